/** *Replay 12 as `loan`*: replays the rejections of a module that is not registered as the one that was probably meant. */
import { Button } from '@mantine/core'
import type { RepairableGroup } from '@recordhub/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type Repair,
  rejectedPushGroupsQuery,
  repairPreviewQuery,
  useRefreshRejected,
} from '../../api/rejected-pushes.ts'
import { confirm, notify, useAttempt } from '../../components/confirm.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useHasRole } from '../../lib/use-has-role.ts'
import { countsLabel, replayGroup } from '../inbox/replay-group.ts'

/** Renders nothing for viewers, and for a group without a proposal. */
export function ReplayProposed({ platform, cause }: { platform: string; cause: string }) {
  const canOperate = useHasRole('operator')
  const { data } = useQuery({ ...rejectedPushGroupsQuery({ platform }), enabled: canOperate })
  const group = data?.groups.find((one) => one.cause === cause)
  if (!canOperate || !group?.proposal) return null
  return <ReplayButton group={group} as={group.proposal.record_type} />
}

/** Tests the replay, and asks with its counts. */
function ReplayButton({ group, as }: { group: RepairableGroup; as: string }) {
  const { platform_name: platform, cause, rejected_pushes: count } = group
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
        let result = ''
        try {
          await replayGroup(repair, preview, ({ totals }) => {
            result = countsLabel(totals)
          })
          notify(`Replayed: ${result}`)
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
