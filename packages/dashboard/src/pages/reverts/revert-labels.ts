import type { Revert, RevertOutcome, RevertScope } from '../../api/reverts.ts'
import type { DotColor } from '../../components/dot.tsx'
import { formatCount, formatNumber, formatTime } from '../../lib/format.ts'

/** `pull 46,702`: what a revert takes back, as the object of a sentence. */
export function scopeLabel(
  scope: RevertScope,
  titleOf: (platform: string) => string = (name) => name,
): string {
  if ('pull_id' in scope) {
    const pull = `pull ${formatNumber(scope.pull_id)}`
    return scope.record_type === undefined ? pull : `${scope.record_type} of ${pull}`
  }
  if ('platform' in scope) {
    return `pushes of ${titleOf(scope.platform)} from ${formatTime(scope.from)} to ${formatTime(scope.to)}`
  }
  if ('record_id' in scope) {
    return `record ${formatNumber(scope.record_id)} to version ${formatNumber(scope.version)}`
  }
  return `revert ${formatNumber(scope.revert_id)}`
}

/** The title of the page of a revert: its result once it has one. */
export function revertTitle(revert: Pick<Revert, 'state' | 'counts'>, what: string): string {
  const { state, counts } = revert
  const done = formatCount(counts.reverted, 'record')
  const are = counts.reverted === 1 ? 'is' : 'are'
  switch (state) {
    case 'planned':
      return `Revert ${what}`
    case 'queued':
    case 'running':
      return `Reverting ${what}`
    case 'succeeded':
      return `${done} ${are} reverted`
    case 'failed':
      return `The revert failed after ${done}`
    case 'cancelled':
      return `The revert was cancelled after ${done}`
    default:
      return `The revert was interrupted after ${done}`
  }
}

export function revertDot({ state }: Pick<Revert, 'state'>): DotColor {
  if (state === 'succeeded') return 'green'
  if (state === 'running') return 'running'
  if (state === 'failed') return 'red'
  return state === 'interrupted' || state === 'cancelled' ? 'orange' : 'hollow'
}

export const OUTCOMES: readonly { value: RevertOutcome; label: string; hint: string }[] = [
  { value: 'reverted', label: 'Reverted', hint: 'have the values that the scope gave them' },
  { value: 'kept', label: 'Kept', hint: 'have another value, written since' },
  { value: 'impossible', label: 'Impossible', hint: 'the hub no longer knows the former values' },
]

/** `Name`, `salary › net`, `Whole record`, `Missing`: what a hold refuses. */
export function heldLabel(path: string): string {
  if (path === '') return 'The record itself'
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const [first = '', ...rest] = steps
  if (first === 'full_name') return 'Name'
  if (first === 'missing_since') return 'Missing'
  return first === 'data' ? rest.join(' › ') : steps.join(' › ')
}
