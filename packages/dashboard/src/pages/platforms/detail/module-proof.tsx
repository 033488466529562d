import { Text } from '@mantine/core'
import type { Doubt, ModuleCompleteness } from '@recordhub/protocol'
import { Time } from '../../../components/time.tsx'
import { formatCount } from '../../../lib/format.ts'

const DOUBTS: Readonly<Record<Doubt, string>> = {
  no_total: 'the platform gave no total',
  total_differs: 'it gave another total than records came',
  rejected: 'records were rejected',
  stale: 'some were pushed while it was read',
  missing_unsettled: 'records that the pull did not contain wait for another pull or a review',
}

/** Whether all records of a module are here, in a sentence or two. */
export function ModuleProof({ completeness }: { completeness: ModuleCompleteness }) {
  const { complete_at, doubts, missing, pushed_since, only_here, trouble } = completeness
  const differs = [
    ...(missing > 0 ? [`${formatCount(missing, 'record')} marked as missing`] : []),
    ...(pushed_since ? [`${formatCount(pushed_since, 'push', 'pushes')} since`] : []),
    ...(only_here ? [`${formatCount(only_here, 'record')} that the last read did not meet`] : []),
  ]
  return (
    <Text size="sm" component="div">
      <Text span fw={600} inherit>
        Completeness:
      </Text>{' '}
      {complete_at === null ? (
        'no pull has proved yet that all of its records are here. '
      ) : (
        <>
          a pull proved <Time at={complete_at} /> that all of its records are here.{' '}
        </>
      )}
      {differs.length > 0 && `${differs.join(', ')}. `}
      {doubts.length > 0 &&
        `The last read was no proof: ${doubts.map((one) => DOUBTS[one]).join(', ')}. `}
      {trouble && `The last read failed: ${trouble}`}
    </Text>
  )
}
