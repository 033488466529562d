import { Alert, Button, Group, Text } from '@mantine/core'
import type { PlatformDetails, PlatformModule, ReplayStepAnswer } from '@recordhub/protocol'
import { IconArrowBackUp } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub } from '../../../api/call-hub.ts'
import { useRefreshLive } from '../../../api/queries.ts'
import { attempt } from '../../../components/confirm.tsx'
import { formatCount } from '../../../lib/format.ts'
import { useMay } from '../use-may.ts'
import { addCounts, countsInWords, NO_REPLAYS, type ReplayCounts } from './replay-words.ts'

type Replayed = { isDryRun: boolean; isOver: boolean; counts: ReplayCounts }

/** Pushes that were refused while a module was not registered can be written after all, once it is. */
export function ReplayOffer({
  platform: { platform_name },
  module: { record_type, registered, replayable },
}: {
  platform: PlatformDetails
  module: PlatformModule
}) {
  const [replayed, setReplayed] = useState<Replayed | null>(null)
  const mayOperate = useMay('operator')
  const refreshLive = useRefreshLive()
  const isBusy = replayed !== null && !replayed.isOver

  async function replay(isDryRun: boolean): Promise<void> {
    let counts = NO_REPLAYS
    let cursor: string | null = null
    setReplayed({ isDryRun, isOver: false, counts })
    const isDone = await attempt(async () => {
      do {
        const step: ReplayStepAnswer = await callHub('/api/v1/rejected-pushes/replay', {
          method: 'POST',
          body: {
            platform: platform_name,
            record_type,
            code: 'module_not_registered',
            dry_run: isDryRun,
            ...(cursor === null ? {} : { cursor }),
          },
        })
        counts = addCounts(counts, step.counts)
        cursor = step.next_cursor
        setReplayed({ isDryRun, isOver: cursor === null, counts })
      } while (cursor !== null)
    })
    if (!isDone) setReplayed(null)
    await refreshLive()
  }

  if (replayable === 0 && replayed === null) return null
  const refused = formatCount(replayable, 'push', 'pushes')
  if (!registered) {
    return (
      <Alert color="yellow" variant="light" title={`${refused} refused`}>
        They are kept. Once the module is registered, you can have them written after all.
      </Alert>
    )
  }
  return (
    <Alert
      color={replayable === 0 ? 'green' : 'yellow'}
      variant="light"
      icon={<IconArrowBackUp />}
      title={
        replayable === 0
          ? 'What was refused is written'
          : `${refused} refused while the module was not registered`
      }
    >
      {replayed && (
        <Text size="sm" role="status">
          {replayed.isDryRun ? 'A replay would give: ' : 'Replayed: '}
          {countsInWords(replayed.counts)}
          {replayed.isOver ? '.' : ' so far…'}
        </Text>
      )}
      {mayOperate && replayable > 0 && (
        <Group gap="xs" mt="sm">
          <Button size="xs" loading={isBusy} onClick={() => void replay(false)}>
            Replay them
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => void replay(true)}>
            Try it without writing
          </Button>
        </Group>
      )}
    </Alert>
  )
}
