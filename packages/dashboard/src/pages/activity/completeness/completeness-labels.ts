import type { Doubt, ModuleCompleteness } from '@recordhub/protocol'

const INCOMPLETE_REASONS: Readonly<Record<Doubt, string>> = {
  no_total: 'The platform reports no total',
  total_differs: 'The platform’s total differs from the number of records received',
  rejected: 'Records were rejected',
  stale: 'Records were pushed during the pull; the next pull verifies them',
  missing_unsettled: 'Records missing from the pull await another pull or a review',
}

export function incompleteReasonLabel(doubt: Doubt): string {
  return INCOMPLETE_REASONS[doubt]
}

/** `complete`: verified by the last full pull; `not_pulled`: no full pull has succeeded yet. */
export type CompletenessStatus = 'complete' | 'not_verified' | 'not_pulled'

export function completenessStatus({
  complete_at,
  last_read_at,
  doubts,
  trouble,
}: Pick<
  ModuleCompleteness,
  'complete_at' | 'last_read_at' | 'doubts' | 'trouble'
>): CompletenessStatus {
  if (last_read_at === null) return 'not_pulled'
  return complete_at !== null && doubts.length === 0 && trouble === null
    ? 'complete'
    : 'not_verified'
}
