import { Text } from '@mantine/core'
import type { ModuleCompleteness } from '@recordhub/protocol'
import { Time } from '../../../components/time.tsx'
import { formatCount } from '../../../lib/format.ts'
import { incompleteReasonLabel } from '../../activity/completeness/completeness-labels.ts'
import { TEXTS } from './texts.tsx'

/** Whether the hub has all records of a module, and the reasons if not. */
export function ModuleCompletenessText({ completeness }: { completeness: ModuleCompleteness }) {
  const { complete_at, doubts, missing, pushed_since, only_here, trouble } = completeness
  const differences = [
    ...(missing > 0 ? [`${formatCount(missing, 'record')} marked as missing`] : []),
    ...(pushed_since ? [`${formatCount(pushed_since, 'push', 'pushes')} since then`] : []),
    ...(only_here ? [`${formatCount(only_here, 'record')} not in the last full pull`] : []),
  ]
  return (
    <Text size="sm" component="div">
      <Text span fw={600} inherit>
        {TEXTS.completeness}
      </Text>{' '}
      {complete_at === null ? TEXTS.notVerifiedYet : TEXTS.verifiedAt(<Time at={complete_at} />)}
      {differences.length > 0 && `${differences.join(', ')}. `}
      {doubts.length > 0 && TEXTS.notVerifiedBecause(doubts.map(incompleteReasonLabel).join('. '))}
      {trouble && TEXTS.lastPullFailedWith(trouble)}
    </Text>
  )
}
