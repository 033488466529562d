import { StatusBadge } from '../../components/status-badge.tsx'
import { pullStateLabel } from './pull-words.ts'

/** The state of a pull, or of a platform or module in a pull. A success with rejected records is not plain green. */
export function PullStateBadge({ state, rejected }: { state: string; rejected: number }) {
  const { status, label } = pullStateLabel(state, rejected)
  return <StatusBadge status={status} label={label} />
}
