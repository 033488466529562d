import { Button, Group, Text } from '@mantine/core'
import type { RejectedPush, Replay } from '@recordhub/protocol'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt } from '../../../components/confirm.tsx'
import { OperatorName } from '../../../components/operator-name.tsx'
import { PageLink } from '../../../components/page-link.tsx'
import { Time } from '../../../components/time.tsx'
import { useMay } from '../use-may.ts'

/** Has one that was refused written after all. To mend its body first, the Activity page has more room. */
export function ReplayButton({ rejected }: { rejected: RejectedPush }) {
  const { id, platform_name, replayed_at, replayed_by } = rejected
  const [isBusy, setIsBusy] = useState(false)
  const [replay, setReplay] = useState<Replay | null>(null)
  const mayOperate = useMay('operator')
  const refreshLive = useRefreshLive()

  async function start(): Promise<void> {
    setIsBusy(true)
    await attempt(async () => {
      const path = `/api/v1/rejected-pushes/${id}/replay`
      const answer = await callHub<{ replay: Replay }>(path, { method: 'POST', body: {} })
      setReplay(answer.replay)
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
      {mayOperate && (
        <Group gap="sm">
          <Button size="xs" loading={isBusy} onClick={() => void start()}>
            Replay
          </Button>
          <PageLink
            to="/dashboard/activity"
            search={{ tab: 'rejected', platform: platform_name, rejected: String(id) }}
            size="sm"
          >
            Mend it first
          </PageLink>
        </Group>
      )}
      {replay && (
        <Text size="sm" role="status">
          {replay.outcome === 'rejected' ? `Refused again: ${replay.message}` : replay.message}
        </Text>
      )}
    </>
  )
}
