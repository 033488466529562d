import type { Hold, Revert, RevertOutcome, RevertRecord, RevertScope } from '@recordhub/protocol'
import type { DotColor } from '../../components/dot.tsx'
import { formatCode, formatCount, formatNumber, formatTime } from '../../lib/format.ts'

/** Of platforms and modules by their names. `platform` is null if any platform may have the module. */
export type Titles = {
  ofPlatform: (name: string) => string
  ofModule: (platform: string | null, recordType: string) => string
}

/** `pull 46,702`: what a revert takes back, as the object of a sentence. */
export function scopeLabel(
  scope: RevertScope,
  titles: Titles = { ofPlatform: (name) => name, ofModule: (_, type) => type },
): string {
  if ('pull_id' in scope) {
    const { pull_id, platform, record_type } = scope
    const part = [
      ...(record_type === undefined ? [] : [titles.ofModule(platform ?? null, record_type)]),
      ...(platform === undefined ? [] : [titles.ofPlatform(platform)]),
    ].join(' of ')
    return `${part && `${part} in `}pull ${formatNumber(pull_id)}`
  }
  if ('from' in scope) {
    return `pushes of ${titles.ofPlatform(scope.platform)} from ${formatTime(scope.from)} to ${formatTime(scope.to)}`
  }
  if ('record_id' in scope) {
    const version =
      scope.version === 0 ? 'as received' : `to version ${formatNumber(scope.version)}`
    return `record ${formatNumber(scope.record_id)} ${version}`
  }
  return `revert ${formatNumber(scope.revert_id)}`
}

/** The title of the page of a revert: its result once it has one. */
export function revertTitle(
  revert: Pick<Revert, 'state' | 'counts' | 'progress' | 'started_at'>,
  what: string,
): string {
  const { state, counts, progress, started_at } = revert
  const done = formatCount(progress.records_done, 'record')
  switch (state) {
    case 'planned':
      return `Revert ${what}`
    case 'queued':
    case 'running':
      return `Reverting ${what}`
    case 'succeeded':
      return `${formatCount(counts.reverted, 'record')} ${counts.reverted === 1 ? 'was' : 'were'} reverted`
    case 'failed':
      return `The revert failed after ${done}`
    case 'cancelled':
      return started_at === null
        ? 'The plan was cancelled'
        : `The revert was cancelled after ${done}`
    default:
      return `The revert was interrupted after ${done}`
  }
}

const STATE_LABELS: Readonly<Record<Exclude<Revert['state'], 'running'>, string>> = {
  planned:
    'This is the plan. Nothing is changed yet. It is kept for a day, and decided again for each record when it starts.',
  queued: 'Waits to start.',
  succeeded: 'Done.',
  failed: 'Records that were written stay reverted.',
  cancelled: 'Records that were written stay reverted.',
  interrupted: 'It was interrupted. The hub continues it.',
}

/** What the state means for the records. */
export function stateLabel({
  state,
  started_at,
  progress: { records_done, records_total },
}: Pick<Revert, 'state' | 'started_at' | 'progress'>): string {
  if (state === 'running') {
    return `${formatNumber(records_done)} of ${formatCount(records_total, 'record')} done.`
  }
  return state === 'cancelled' && started_at === null ? 'Nothing was changed.' : STATE_LABELS[state]
}

/** Whether an ended revert has left a part of what its pull did. */
export function isPartial({
  scope,
  state,
  counts,
}: Pick<Revert, 'scope' | 'state' | 'counts'>): boolean {
  const isOfPart = 'record_type' in scope || 'platform' in scope
  return isOfPart || state !== 'succeeded' || counts.kept + counts.impossible > 0
}

export function revertDot({ state }: Pick<Revert, 'state'>): DotColor {
  if (state === 'succeeded') return 'green'
  if (state === 'running') return 'running'
  if (state === 'failed') return 'red'
  return state === 'interrupted' || state === 'cancelled' ? 'orange' : 'hollow'
}

export const OUTCOMES: readonly { value: RevertOutcome; label: string; hint: string }[] = [
  { value: 'reverted', label: 'Reverted', hint: 'former values, or missing if created' },
  { value: 'kept', label: 'Kept', hint: 'changed again since' },
  { value: 'impossible', label: 'Impossible', hint: 'former values unknown, or no module' },
]

/** `salary › net`: a path of a change or of a hold. */
export function pathLabel(path: string): string {
  const [first = '', ...rest] = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  return LABELS[first] ?? (rest.join(' › ') || formatCode(first))
}

const LABELS: Readonly<Record<string, string>> = {
  full_name: 'Name',
  missing_since: 'Missing',
}

/** What the hub refuses to set again. */
export function heldLabel({ holds, paths }: Pick<Hold, 'holds' | 'paths'>): string {
  if (holds === 'existence') return 'Its creation'
  if (holds === 'absence') return 'The mark as missing'
  return paths.map(pathLabel).join(', ')
}

/** The holds that a revert has on a record, each of which can be lifted by its path. */
export function holdsByPath({ holds, paths }: Pick<Hold, 'holds' | 'paths'>) {
  const values = paths.map((path) => ({ path, label: pathLabel(path) }))
  if (holds === 'values') return values
  const path = holds === 'existence' ? '' : '/missing_since'
  return [{ path, label: heldLabel({ holds, paths }) }, ...values]
}

/** Why a record is kept or impossible to revert: `Phone has another value, by POST`. */
export function whyLabel({ kept, reason }: Pick<RevertRecord, 'kept' | 'reason'>): string {
  if (kept === null) return reason === null ? '—' : (IMPOSSIBLE[reason] ?? formatCode(reason))
  const { path, source, pull_id, revert_id } = kept
  const number = pull_id ?? revert_id
  const by = source === null ? '' : `, by ${source}${number === null ? '' : ` ${number}`}`
  return `${pathLabel(path)} has another value${by}`
}

const IMPOSSIBLE: Readonly<Record<string, string>> = {
  history_deleted: 'Retention may have deleted a part of its history',
  anonymised: 'The record was anonymised',
  module_not_registered: 'Its module is not registered',
}
