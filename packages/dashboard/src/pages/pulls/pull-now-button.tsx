import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useState } from 'react'
import { attempt, notify } from '../../components/confirm.tsx'
import { formatTime } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { starterLabel } from './pull-labels.ts'
import { startPull } from './start-pull.ts'

/** Pulls one platform. The page stays, and shows the progress. Only for operators. */
export function PullNowButton({
  platform: { id, display_title },
  isIcon = false,
}: {
  platform: { id: number; display_title: string }
  isIcon?: boolean
}) {
  const canOperate = useHasRole('operator')
  const [isSending, setSending] = useState(false)
  async function pull() {
    setSending(true)
    await attempt(async () => {
      const { pull: started, isNew } = await startPull(`/api/v1/platforms/${id}/pull`, {})
      notify(
        isNew
          ? `The pull of ${display_title} has started`
          : `A pull is already running: started ${starterLabel(started)} at ${formatTime(started.requested_at)}`,
      )
    })
    setSending(false)
  }
  if (!canOperate) return null
  if (!isIcon) {
    return (
      <Button
        size="xs"
        variant="subtle"
        color="gray"
        loading={isSending}
        onClick={() => void pull()}
      >
        Pull now
      </Button>
    )
  }
  return (
    <Tooltip label="Pull now">
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={`Pull ${display_title} now`}
        loading={isSending}
        onClick={() => void pull()}
      >
        <IconDownload size={16} stroke={1.6} aria-hidden />
      </ActionIcon>
    </Tooltip>
  )
}
