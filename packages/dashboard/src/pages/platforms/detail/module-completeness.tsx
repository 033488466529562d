import type { IncompleteReason, ModuleCompleteness } from '@recordhub/protocol'
import { Time } from '../../../components/time.tsx'
import { formatCount } from '../../../lib/format.ts'

/**
 * When a response with a body verified a module, whether the platform has confirmed since that it is unchanged, and how many
 * pushes are newer.
 */
export function VerifiedAt({ module }: { module: ModuleCompleteness }) {
  const { complete_at, confirmed_at, confirmed_by, incomplete_reasons, pushed_since } = module
  if (complete_at === null) return 'Not verified yet'
  // The confirmed response verified the module only if it gave no reason against it.
  const isConfirmed = confirmed_at !== null && incomplete_reasons.length === 0
  return (
    <>
      Verified <Time at={complete_at} />
      {isConfirmed && (
        <>
          , unchanged since by {confirmed_by === 'etag' ? 'ETag' : 'Last-Modified'} at{' '}
          <Time at={confirmed_at} />
        </>
      )}
      {pushed_since !== null &&
        pushed_since > 0 &&
        `, and ${formatCount(pushed_since, 'newer push', 'newer pushes')}`}
    </>
  )
}

const INCOMPLETE_REASONS: Readonly<Record<IncompleteReason, string>> = {
  no_success: 'The platform does not report success',
  no_total: 'The platform reports no total',
  total_differs: 'The platform’s total differs from the number of records received',
  rejected: 'Records were rejected',
  missing_undecided: 'Records missing from the pull await another pull or a review',
  held: 'A revert holds values that the platform still sends',
}

export function incompleteReasonLabel(reason: IncompleteReason): string {
  return INCOMPLETE_REASONS[reason]
}

/** The records that the last full pull does not explain: stored ones that it did not contain, and later pushes. */
export function differenceLabels({ only_here }: Pick<ModuleCompleteness, 'only_here'>): string[] {
  return only_here ? [`${formatCount(only_here, 'record')} not in the last full pull`] : []
}
