/** The replay of a group of rejections with the changes that were tested. */
import type { RepairPreview, RepairStep, Replay } from '@recordhub/protocol'
import { useNavigate } from '@tanstack/react-router'
import { applyRepair, type Repair } from '../../api/rejected-pushes.ts'
import { formatNumber } from '../../lib/format.ts'
import type { UrlState } from '../../lib/url-state.ts'

export type Counts = RepairPreview['counts']
export const NONE: Counts = { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 }

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

/** Makes the *Show* of a notification, which opens the record that was replayed, or those of its module. */
export function useShowRecords() {
  const navigate = useNavigate()
  const show = (search: UrlState) => ({
    label: 'Show',
    onClick: () => navigate({ to: '/dashboard/records', search }),
  })
  return {
    showRecord: ({ record_id }: Replay) =>
      record_id === null ? undefined : show({ record: String(record_id) }),
    showModule: (platform: string, record_type: string | null, { created, updated }: Counts) =>
      record_type === null || created + updated === 0 ? undefined : show({ platform, record_type }),
  }
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
