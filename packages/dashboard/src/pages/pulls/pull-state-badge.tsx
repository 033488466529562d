import { StatusBadge } from '../../components/status-badge.tsx'
import { pullStateLabel } from './pull-labels.ts'

/** The state of a pull, or of a platform or module in a pull. A success with rejected records is yellow. */
export function PullStateBadge({ state, rejected }: { state: string; rejected: number }) {
  const { status, label } = pullStateLabel(state, rejected)
  return <StatusBadge status={status} label={label} />
}
