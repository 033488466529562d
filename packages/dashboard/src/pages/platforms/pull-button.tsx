import { Button, Tooltip } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { attempt, notify } from '../../components/confirm.tsx'
import { formatTime } from '../../lib/format.ts'
import { starterLabel } from '../pulls/pull-labels.ts'
import { startPull } from '../pulls/start-pull.ts'
import { TEXTS } from './texts.tsx'

/** Pulls a platform. If a pull is already running, shows that one. */
export function PullButton({
  platform: { id, status, modules_registered },
}: {
  platform: { id: number; status: string; modules_registered: number }
}) {
  const [isBusy, setIsBusy] = useState(false)
  const navigate = useNavigate()
  const reason =
    status === 'inactive'
      ? TEXTS.platformInactive
      : modules_registered === 0
        ? TEXTS.noModulesRegistered
        : null

  async function pull(): Promise<void> {
    setIsBusy(true)
    await attempt(async () => {
      const { pull, isNew } = await startPull(`/api/v1/platforms/${id}/pull`, {})
      notify(
        isNew
          ? TEXTS.pullHasStarted
          : TEXTS.pullAlreadyRunning(starterLabel(pull), formatTime(pull.requested_at)),
      )
      await navigate({ to: '/dashboard/pulls/$id', params: { id: String(pull.id) } })
    })
    setIsBusy(false)
  }

  const button = (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isBusy}
      // A disabled button would not show its tooltip.
      {...(reason === null ? {} : { 'data-disabled': true })}
      aria-disabled={reason !== null}
      onClick={() => reason === null && void pull()}
    >
      {TEXTS.pullNow}
    </Button>
  )
  return reason === null ? button : <Tooltip label={reason}>{button}</Tooltip>
}
