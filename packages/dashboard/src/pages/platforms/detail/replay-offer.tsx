import { Alert, Button, Group, Text } from '@mantine/core'
import type { PlatformDetails, PlatformModule, ReplayStepResponse } from '@recordhub/protocol'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useHasRole } from '../../../lib/use-has-role.ts'
import { TEXTS } from '../../../texts.ts'

type ReplayCounts = ReplayStepResponse['counts']
type Replayed = { isDryRun: boolean; isFinished: boolean; counts: ReplayCounts }

/** Offers to replay pushes that were rejected while a module was not registered. */
export function ReplayOffer(props: { platform: PlatformDetails; module: PlatformModule }) {
  const { platform_name } = props.platform
  const { record_type, registered, replayable } = props.module
  const [replayed, setReplayed] = useState<Replayed | null>(null)
  const canOperate = useHasRole('operator')
  const refreshLive = useRefreshLive()
  const isBusy = replayed !== null && !replayed.isFinished

  async function replay(isDryRun: boolean): Promise<void> {
    let counts: ReplayCounts = { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 }
    let cursor: string | null = null
    setReplayed({ isDryRun, isFinished: false, counts })
    const isDone = await attempt(async () => {
      do {
        const step: ReplayStepResponse = await callHub('/api/v1/rejected-pushes/replay', {
          method: 'POST',
          body: {
            platform: platform_name,
            record_type,
            code: 'module_not_registered',
            dry_run: isDryRun,
            ...(cursor === null ? {} : { cursor }),
          },
        })
        for (const [name] of LABELS) {
          counts = { ...counts, [name]: counts[name] + step.counts[name] }
        }
        cursor = step.next_cursor
        setReplayed({ isDryRun, isFinished: cursor === null, counts })
      } while (cursor !== null)
    })
    if (!isDone) setReplayed(null)
    await refreshLive()
  }

  if (replayable === 0 && replayed === null) return null
  const pushes = formatCount(replayable, 'push', 'pushes')
  if (!registered) {
    return (
      <Alert color="yellow" title={`${pushes} rejected`}>
        They have been saved. Register the module to replay them.
      </Alert>
    )
  }
  return (
    <Alert
      color={replayable === 0 ? 'green' : 'yellow'}
      icon={<IconArrowBackUp />}
      title={
        replayable === 0
          ? 'All rejected pushes were replayed'
          : `${pushes} rejected while the module was not registered`
      }
    >
      {replayed && (
        <Text size="sm" role="status">
          {replayed.isDryRun ? 'Test result: ' : 'Replayed: '}
          {countsLabel(replayed.counts)}
          {replayed.isFinished ? '.' : ' so far…'}
        </Text>
      )}
      {canOperate && replayable > 0 && (
        <Group gap="xs" mt="sm">
          <Button size="xs" loading={isBusy} onClick={() => void replay(false)}>
            Replay all
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => void replay(true)}>
            {TEXTS.test}
          </Button>
        </Group>
      )}
    </Alert>
  )
}

const LABELS: readonly [keyof ReplayCounts, string][] = [
  ['created', 'new'],
  ['updated', 'updated'],
  ['unchanged', 'unchanged'],
  ['stale', 'older than stored'],
  ['rejected', 'rejected again'],
]

/** `12 new, 1 updated, 3 older than stored` */
function countsLabel(counts: ReplayCounts): string {
  const labels = LABELS.map(([name, label]) => counts[name] > 0 && `${counts[name]} ${label}`)
  return labels.filter(Boolean).join(', ') || 'nothing to replay'
}
