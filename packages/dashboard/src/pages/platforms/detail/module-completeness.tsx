import { Text } from '@mantine/core'
import type { ModuleCompleteness } from '@recordhub/protocol'
import { Time } from '../../../components/time.tsx'
import { formatCount } from '../../../lib/format.ts'
import {
  differenceLabels,
  incompleteReasonLabel,
} from '../../activity/completeness/completeness-labels.ts'
import { TEXTS } from './texts.tsx'

/** Whether the hub has all records of a module, and the reasons if not. */
export function ModuleCompletenessText({ completeness }: { completeness: ModuleCompleteness }) {
  const { complete_at, incomplete_reasons, missing, last_error } = completeness
  const differences = [
    ...(missing > 0 ? [TEXTS.markedAsMissing(formatCount(missing, 'record'))] : []),
    ...differenceLabels(completeness),
  ]
  return (
    <Text size="sm" component="div">
      <Text span fw={600} inherit>
        {TEXTS.completeness}
      </Text>{' '}
      {complete_at === null ? TEXTS.notVerifiedYet : TEXTS.verifiedAt(<Time at={complete_at} />)}
      {differences.length > 0 && `${differences.join(', ')}. `}
      {incomplete_reasons.length > 0 &&
        TEXTS.notVerifiedBecause(incomplete_reasons.map(incompleteReasonLabel).join('. '))}
      {last_error && TEXTS.lastPullFailedWith(last_error)}
    </Text>
  )
}
