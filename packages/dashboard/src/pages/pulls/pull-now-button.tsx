import { Button, Tooltip } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { IconDownload, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, HubCallError } from '../../api/call-hub.ts'
import { showPull } from '../../api/live.ts'
import { refreshPull } from '../../api/pulls.ts'
import { attempt, notify, useAttempt } from '../../components/confirm.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'
import { alreadyRunningLabel } from './pull-labels.ts'

type PullNowButtonProps = { platform: { id: number; display_title: string }; isIcon?: boolean }

/** Pulls one platform. The page stays, and shows the progress. Only for operators. */
export function PullNowButton({ platform, isIcon = false }: PullNowButtonProps) {
  const { id, display_title } = platform
  const canOperate = useHasRole('operator')
  const { isBusy, run } = useAttempt()
  async function pull() {
    const { pull: started, isNew } = await startPull(`/api/v1/platforms/${id}/pull`, {})
    notify(
      isNew ? `The pull of ${display_title} has started` : alreadyRunningLabel(started, Date.now()),
    )
  }
  if (!canOperate) return null
  const common = {
    ...{ variant: 'subtle', color: 'gray', loading: isBusy },
    onClick: () => void run(pull),
  }
  if (!isIcon) {
    return (
      <Button {...common} size="xs">
        Pull now
      </Button>
    )
  }
  return (
    <IconButton {...common} tooltip="Pull now" label={`Pull ${display_title} now`}>
      <IconDownload size={16} stroke={1.6} aria-hidden />
    </IconButton>
  )
}

/**
 * Cancels a running pull, without a confirmation, because the stored records are not deleted.
 * @param isQuiet without a border and an icon, in a row of a list.
 */
export function CancelButton({ pull, isQuiet = false }: { pull: Pull; isQuiet?: boolean }) {
  const client = useQueryClient()
  const canOperate = useHasRole('operator')
  const [isCancelling, setCancelling] = useState(false)

  async function cancel() {
    setCancelling(true)
    const succeeded = await attempt(async () => {
      const cancelled = await requestCancellation(pull.id)
      if (cancelled) showPull(cancelled)
      await refreshPull(client, pull.id, cancelled)
    })
    if (!succeeded) setCancelling(false)
  }

  const button = (
    <Button
      size="xs"
      {...(isQuiet
        ? { variant: 'subtle', color: 'gray', px: 6 }
        : { variant: 'default', leftSection: <IconX size={14} /> })}
      disabled={!canOperate || isCancelling}
      onClick={cancel}
    >
      {isCancelling ? 'Cancelling…' : TEXTS.cancel}
    </Button>
  )
  return canOperate ? button : <Tooltip label={TEXTS.requiresOperatorRole}>{button}</Tooltip>
}

/** Returns null if the pull has already ended. */
async function requestCancellation(id: number): Promise<Pull | null> {
  try {
    return (await callHub<{ pull: Pull }>(`/api/v1/pulls/${id}/cancel`, { method: 'POST' })).pull
  } catch (error) {
    if (error instanceof HubCallError && error.code === 'pull_over') return null
    throw error
  }
}

/** The path of the Pull All form (specification 4.1). */
export const PULL_ALL_PATH = '/dashboard/pull-all-existing-records'

/** The started pull; or the running one, with `isNew: false`. */
type StartedPull = { pull: Pull; isNew: boolean }

/**
 * Starts a pull of all platforms, or another one by `path` and `body`.
 * @throws HubCallError
 */
export async function startPull(path: string = PULL_ALL_PATH, body?: object): Promise<StartedPull> {
  const started = await requestPull(path, body)
  showPull(started.pull)
  return started
}

async function requestPull(path: string, body?: object): Promise<StartedPull> {
  try {
    const { pull } = await callHub<{ pull: Pull }>(path, { method: 'POST', body })
    return { pull, isNew: true }
  } catch (error) {
    if (!(error instanceof HubCallError) || error.status !== 409) throw error
    // The response contains the running pull.
    const { pull }: { pull?: Pull | null } = Object(error.body)
    if (!pull) throw error
    return { pull, isNew: false }
  }
}
