import type { IncompleteReason, ModuleCompleteness } from '@recordhub/protocol'
import { formatCount } from '../../../lib/format.ts'

const INCOMPLETE_REASONS: Readonly<Record<IncompleteReason, string>> = {
  no_success: 'The platform does not report success',
  no_total: 'The platform reports no total',
  total_differs: 'The platform’s total differs from the number of records received',
  rejected: 'Records were rejected',
  missing_undecided: 'Records missing from the pull await another pull or a review',
}

export function incompleteReasonLabel(reason: IncompleteReason): string {
  return INCOMPLETE_REASONS[reason]
}

/** The records that the last full pull does not explain: stored ones that it did not contain, and later pushes. */
export function differenceLabels({ only_here }: Pick<ModuleCompleteness, 'only_here'>): string[] {
  return only_here ? [`${formatCount(only_here, 'record')} not in the last full pull`] : []
}

/** "Complete", or "Complete, 4 accepted exceptions". */
export function completeLabel({ accepted }: Pick<ModuleCompleteness, 'accepted'>): string {
  return accepted === 0 ? 'Complete' : `Complete, ${formatCount(accepted, 'accepted exception')}`
}

/** `complete`: verified by the last full pull; `not_pulled`: no full pull has succeeded yet. */
export type CompletenessStatus = 'complete' | 'not_verified' | 'not_pulled'

export function completenessStatus({
  complete_at,
  last_read_at,
  incomplete_reasons,
  last_error,
}: Pick<
  ModuleCompleteness,
  'complete_at' | 'last_read_at' | 'incomplete_reasons' | 'last_error'
>): CompletenessStatus {
  if (last_read_at === null) return 'not_pulled'
  return complete_at !== null && incomplete_reasons.length === 0 && last_error === null
    ? 'complete'
    : 'not_verified'
}
