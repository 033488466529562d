import { Switch } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, tell } from '../../../components/confirm.tsx'

/** Switches a platform on and off. */
export function StatusSwitch({ platform }: { platform: PlatformDetails }) {
  const { id, display_title, status } = platform
  const refreshLive = useRefreshLive()

  async function change(to: 'active' | 'inactive'): Promise<void> {
    await callHub(`/api/v1/platforms/${id}`, { method: 'PATCH', body: { status: to } })
    await refreshLive()
    tell(to === 'active' ? `${display_title} is active.` : `${display_title} is switched off.`)
  }

  return (
    <Switch
      label="Active"
      description={
        status === 'active'
          ? 'It is pulled and may push.'
          : 'It is not pulled, and its pushes are refused.'
      }
      checked={status === 'active'}
      onChange={({ currentTarget }) => {
        if (currentTarget.checked) void attempt(() => change('active'))
        else {
          confirm({
            title: `Switch ${display_title} off?`,
            action: 'Switch off',
            children:
              'Its pushes are refused from then on and not kept; it is not pulled. Its records stay.',
            onConfirm: () => change('inactive'),
          })
        }
      }}
    />
  )
}
