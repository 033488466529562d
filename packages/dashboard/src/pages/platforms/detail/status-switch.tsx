import { Switch } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'

/** Activates and deactivates a platform. */
export function StatusSwitch({ platform }: { platform: PlatformDetails }) {
  const { id, display_title, status } = platform
  const refreshLive = useRefreshLive()

  async function change(newStatus: 'active' | 'inactive'): Promise<void> {
    await callHub(`/api/v1/platforms/${id}`, { method: 'PATCH', body: { status: newStatus } })
    await refreshLive()
    notify(newStatus === 'active' ? `${display_title} is active.` : `${display_title} is inactive.`)
  }

  return (
    <Switch
      label="Active"
      description={
        status === 'active'
          ? 'The platform is pulled and can push.'
          : 'The platform is not pulled, and its pushes are rejected.'
      }
      checked={status === 'active'}
      onChange={({ currentTarget }) => {
        if (currentTarget.checked) void attempt(() => change('active'))
        else {
          confirm({
            title: `Deactivate ${display_title}?`,
            action: 'Deactivate',
            children:
              'Its pushes are rejected and not saved, and it is no longer pulled. Its records are kept.',
            onConfirm: () => change('inactive'),
          })
        }
      }}
    />
  )
}
