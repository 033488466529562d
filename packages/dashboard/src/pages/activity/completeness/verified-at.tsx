import type { ModuleCompleteness } from '@recordhub/protocol'
import { Time } from '../../../components/time.tsx'
import { formatCount } from '../../../lib/format.ts'
import { TEXTS } from '../texts.tsx'

/**
 * When a response with a body verified a module, whether the platform has confirmed since that it is unchanged, and how many
 * pushes are newer.
 */
export function VerifiedAt({ module }: { module: ModuleCompleteness }) {
  const { complete_at, confirmed_at, confirmed_by, incomplete_reasons, pushed_since } = module
  if (complete_at === null) return TEXTS.notVerifiedYet
  // The confirmed response verified the module only if it gave no reason against it.
  const isConfirmed = confirmed_at !== null && incomplete_reasons.length === 0
  return (
    <>
      {TEXTS.verifiedAt(<Time at={complete_at} />)}
      {isConfirmed &&
        TEXTS.unchangedSince(
          confirmed_by === 'etag' ? 'ETag' : 'Last-Modified',
          <Time at={confirmed_at} />,
        )}
      {pushed_since !== null &&
        pushed_since > 0 &&
        TEXTS.newerPushes(formatCount(pushed_since, 'newer push', 'newer pushes'))}
    </>
  )
}
