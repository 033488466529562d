import { Button, Tooltip } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, HubCallError } from '../../api/call-hub.ts'
import { showPull } from '../../api/live.ts'
import { refreshPull } from '../../api/pulls.ts'
import { mayActAs, session } from '../../api/session.ts'
import { attempt } from '../../components/confirm.tsx'
import { useStore } from '../../lib/use-store.ts'

/** Cancels a running pull. What it has stored stays, so nothing is asked first. */
export function CancelButton({ pull }: { pull: Pull }) {
  const client = useQueryClient()
  const may = mayActAs(useStore(session).operator?.role, 'operator')
  const [isCancelling, setCancelling] = useState(false)

  async function cancel() {
    setCancelling(true)
    const worked = await attempt(async () => {
      const cancelled = await askToCancel(pull.id)
      if (cancelled) showPull(cancelled)
      await refreshPull(client, pull.id, cancelled)
    })
    if (!worked) setCancelling(false)
  }

  const button = (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconX size={14} />}
      disabled={!may || isCancelling}
      onClick={cancel}
    >
      {isCancelling ? 'Cancelling…' : 'Cancel'}
    </Button>
  )
  return may ? button : <Tooltip label="Your role may not cancel pulls">{button}</Tooltip>
}

/** Null where it has ended by itself meanwhile. */
async function askToCancel(id: number): Promise<Pull | null> {
  try {
    return (await callHub<{ pull: Pull }>(`/api/v1/pulls/${id}/cancel`, { method: 'POST' })).pull
  } catch (error) {
    if (error instanceof HubCallError && error.code === 'pull_over') return null
    throw error
  }
}
