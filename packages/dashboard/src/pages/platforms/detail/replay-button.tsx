import { Button, Group, Text } from '@mantine/core'
import type { RejectedPush, Replay } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt } from '../../../components/confirm.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'

/** Replays a rejected push. Its body is edited in the inbox. */
export function ReplayButton({ rejected }: { rejected: RejectedPush }) {
  const { id, platform_name, replayed_at, replayed_by } = rejected
  const [isBusy, setIsBusy] = useState(false)
  const [replay, setReplay] = useState<Replay | null>(null)
  const canOperate = useHasRole('operator')
  const refreshLive = useRefreshLive()

  async function start(): Promise<void> {
    setIsBusy(true)
    await attempt(async () => {
      const path = `/api/v1/rejected-pushes/${id}/replay`
      const replayed = await callHub<{ replay: Replay }>(path, { method: 'POST', body: {} })
      setReplay(replayed.replay)
      await refreshLive()
    })
    setIsBusy(false)
  }

  if (replayed_at !== null) {
    return (
      <Text size="sm" component="div">
        Replayed <Time at={replayed_at} /> by <OperatorName by={replayed_by} />.
      </Text>
    )
  }
  return (
    <>
      {canOperate && (
        <Group gap="sm">
          <Button size="xs" loading={isBusy} onClick={() => void start()}>
            {TEXTS.replay}
          </Button>
          <PageLink
            to="/dashboard/inbox"
            search={{ tab: 'rejected', platform: platform_name, rejected: String(id) }}
            size="sm"
          >
            Fix before replay
          </PageLink>
        </Group>
      )}
      {replay && (
        <Text size="sm" role="status">
          {replay.outcome === 'rejected' ? `Rejected again: ${replay.message}` : replay.message}
        </Text>
      )}
    </>
  )
}
