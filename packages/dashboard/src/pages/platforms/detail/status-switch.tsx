import { Switch } from '@mantine/core'
import type { PlatformDetails } from '@recordhub/protocol'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt, confirm, notify } from '../../../components/confirm.tsx'
import { TEXTS } from './texts.tsx'

/** Activates and deactivates a platform. */
export function StatusSwitch({ platform }: { platform: PlatformDetails }) {
  const { id, display_title, status } = platform
  const refreshLive = useRefreshLive()

  async function change(newStatus: 'active' | 'inactive'): Promise<void> {
    await callHub(`/api/v1/platforms/${id}`, { method: 'PATCH', body: { status: newStatus } })
    await refreshLive()
    notify(newStatus === 'active' ? TEXTS.isActive(display_title) : TEXTS.isInactive(display_title))
  }

  return (
    <Switch
      label={TEXTS.active}
      description={status === 'active' ? TEXTS.activeDescription : TEXTS.inactiveDescription}
      checked={status === 'active'}
      onChange={({ currentTarget }) => {
        if (currentTarget.checked) void attempt(() => change('active'))
        else {
          confirm({
            title: TEXTS.deactivateTitle(display_title),
            action: TEXTS.deactivate,
            children: TEXTS.deactivateMessage,
            onConfirm: () => change('inactive'),
          })
        }
      }}
    />
  )
}
