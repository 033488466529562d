/** *Replay 12 as `loan`*: replays the rejections of a module that is not registered as the one that was probably meant. */
import { Button } from '@mantine/core'
import type { InboxItem, RepairableGroup } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type Repair,
  rejectedPushGroupsQuery,
  repairPreviewQuery,
  useRefreshRejected,
} from '../../api/rejected-pushes.ts'
import { confirm, notify, useAttempt } from '../../components/confirm.tsx'
import { formatNumber } from '../../lib/format.ts'
import { countsLabel, NONE, replayGroup, useShowRecords } from '../inbox/replay-group.ts'

/** A group of rejections with the module that was probably meant. */
export type Proposed = RepairableGroup & { proposal: NonNullable<RepairableGroup['proposal']> }

/** The group of an item; null if it is none of rejections, or nothing is proposed for it. */
export function useProposed({ platform, rejected }: InboxItem): Proposed | null {
  const query = rejectedPushGroupsQuery({ platform: platform?.platform_name })
  const { data } = useQuery({ ...query, enabled: platform !== null && rejected !== null })
  const group = data?.groups.find(({ cause }) => cause === rejected?.cause)
  return group?.proposal ? { ...group, proposal: group.proposal } : null
}

export function DidYouMean({ module_name, record_type }: Proposed['proposal']) {
  return (
    <>
      Did you mean {module_name} (<code>{record_type}</code>)?
    </>
  )
}

/** Tests the replay, and asks with its counts. */
export function ReplayProposed({ group }: { group: Proposed }) {
  const { platform_name: platform, cause, rejected_pushes: count, proposal } = group
  const { record_type: as } = proposal
  const { showModule } = useShowRecords()
  const client = useQueryClient()
  const refresh = useRefreshRejected()
  const { isBusy, run } = useAttempt()
  const label = `Replay ${formatNumber(count)} as ${as}`
  const repair: Repair = {
    ...{ platform, cause },
    changes: [{ op: 'set', path: '/record_type', value: as }],
  }
  async function test() {
    const preview = await client.fetchQuery(repairPreviewQuery(repair, count))
    confirm({
      title: `${label}?`,
      children: `The test says: ${countsLabel(preview.counts)}. Nothing is stored yet.`,
      action: 'Replay',
      color: 'harbour',
      async onConfirm() {
        let counts = NONE
        try {
          await replayGroup(repair, preview, ({ totals }) => {
            counts = totals
          })
          notify(`Replayed: ${countsLabel(counts)}`, showModule(platform, as, counts))
        } finally {
          await refresh()
        }
      },
    })
  }
  return (
    <Button size="xs" variant="default" loading={isBusy} onClick={() => void run(test)}>
      {label}
    </Button>
  )
}
