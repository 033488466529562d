import { StatusBadge } from '../../components/status-badge.tsx'
import { type PullIssues, pullStateLabel } from './pull-labels.ts'

/** The state of a pull, or of a platform or module in a pull. A success with rejected or unlisted records is orange. */
export function PullStateBadge({ state, counts }: { state: string; counts: PullIssues }) {
  const { status, label } = pullStateLabel(state, counts)
  return <StatusBadge status={status} label={label} />
}
