import { Button, Tooltip } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, HubCallError } from '../../api/call-hub.ts'
import { showPull } from '../../api/live.ts'
import { refreshPull } from '../../api/pulls.ts'
import { attempt } from '../../components/confirm.tsx'
import { useHasRole } from '../../lib/use-has-role.ts'
import { TEXTS } from '../../texts.ts'

/** Cancels a running pull, without a confirmation, because the stored records are not deleted. */
export function CancelButton({ pull }: { pull: Pull }) {
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
      variant="default"
      leftSection={<IconX size={14} />}
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
