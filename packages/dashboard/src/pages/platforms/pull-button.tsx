import { Button, Tooltip } from '@mantine/core'
import type { Pull } from '@recordhub/protocol'
import { IconDownload } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { callHub, HubCallError } from '../../api/call-hub.ts'
import { attempt, tell } from '../../components/confirm.tsx'

/** Pulls what a platform has; where a pull is running already, that one is shown. */
export function PullButton({
  platform: { id, status, modules_registered },
}: {
  platform: { id: number; status: string; modules_registered: number }
}) {
  const [isBusy, setIsBusy] = useState(false)
  const navigate = useNavigate()
  const reason =
    status === 'inactive'
      ? 'The platform is switched off'
      : modules_registered === 0
        ? 'No module is registered'
        : null

  async function pull(): Promise<void> {
    setIsBusy(true)
    await attempt(async () => {
      const { pull, isNew } = await startPull(id)
      tell(isNew ? 'The pull has begun.' : 'A pull is running already. This is it.')
      await navigate({ to: '/dashboard/pulls/$id', params: { id: String(pull.id) } })
    })
    setIsBusy(false)
  }

  const button = (
    <Button
      variant="default"
      leftSection={<IconDownload size={16} aria-hidden />}
      loading={isBusy}
      // A button that is disabled for good could not tell why.
      {...(reason === null ? {} : { 'data-disabled': true })}
      aria-disabled={reason !== null}
      onClick={() => reason === null && void pull()}
    >
      Pull its records
    </Button>
  )
  return reason === null ? button : <Tooltip label={reason}>{button}</Tooltip>
}

async function startPull(id: number): Promise<{ pull: Pull; isNew: boolean }> {
  try {
    const path = `/api/v1/platforms/${id}/pull`
    const { pull } = await callHub<{ pull: Pull }>(path, { method: 'POST', body: {} })
    return { pull, isNew: true }
  } catch (error) {
    const pull = error instanceof HubCallError && error.status === 409 ? pullIn(error.body) : null
    if (!pull) throw error
    return { pull, isNew: false }
  }
}

/** The pull that runs, in the answer to one who wanted to start another. */
function pullIn(body: unknown): Pull | null {
  const { pull = null }: { pull?: Pull | null } = Object(body)
  return pull
}
