/** The replay of a group of rejections with the changes that were tested. */
import type { RepairPreview, RepairStep } from '@recordhub/protocol'
import { applyRepair, type Repair } from '../../api/rejected-pushes.ts'
import { formatNumber } from '../../lib/format.ts'

export type Counts = RepairPreview['counts']

/**
 * Replays the rejections of a preview.
 * @param onStep called after each request, with the sums until then.
 * @throws HubCallError
 */
export async function replayGroup(
  repair: Repair,
  { until }: RepairPreview,
  onStep: (step: RepairStep) => void,
): Promise<void> {
  let cursor: string | null = null
  do {
    const step: RepairStep = await applyRepair(repair, { until, cursor })
    cursor = step.next_cursor
    onStep(step)
  } while (cursor !== null)
}

export const OUTCOME_LABELS = {
  created: 'new',
  updated: 'updated',
  unchanged: 'unchanged',
  stale: 'older than stored',
  rejected: 'rejected again',
} as const

/** `11 new, 1 updated, 0 rejected again` */
export function countsLabel(counts: Counts): string {
  const parts = [
    ...(['created', 'updated', 'unchanged', 'stale'] as const).filter((name) => counts[name] > 0),
    'rejected' as const,
  ]
  return parts.map((name) => `${formatNumber(counts[name])} ${OUTCOME_LABELS[name]}`).join(', ')
}
