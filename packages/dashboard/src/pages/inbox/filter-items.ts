/** The filter of the inbox by kind and platform, with the choices that its items leave, and the item of a pulled module. */
import type { InboxItem, InboxKind, PullTask } from '@recordhub/protocol'
import type { Choice } from '../../lib/choices.ts'
import type { UrlState } from '../../lib/url-state.ts'

const KINDS: Readonly<Record<InboxKind, string>> = {
  pulls_failing: 'Failing pulls',
  missing_review: 'Missing records',
  rejected: 'Rejections',
  push_errors: 'Push errors',
  drift: 'Drift',
  disagreement: 'List and digest',
  key_expiring: 'Expiring keys',
  certificate_expiring: 'Expiring certificates',
  token_expiring: 'Expiring tokens',
  no_backup: 'Backups',
  alert: 'Alerts',
}

type Filtered = Pick<InboxItem, 'kind' | 'platform'>

export function filterItems<Item extends Filtered>(
  items: readonly Item[],
  { kind, platform }: UrlState,
): Item[] {
  return items.filter(
    (item) =>
      (!kind || item.kind === kind) && (!platform || item.platform?.platform_name === platform),
  )
}

type OfModule = Filtered & Pick<InboxItem, 'record_type'>

/** The item about the result of a module in a pull: its platform fails, or its missing records wait for a review. */
export function itemOfTask<Item extends OfModule>(
  items: readonly Item[],
  task: Pick<PullTask, 'platform_name' | 'record_type' | 'state' | 'not_listed'>,
): Item | undefined {
  const isFailed = task.state === 'failed' || task.state === 'timed_out'
  return items.find(
    ({ kind, platform, record_type }) =>
      platform?.platform_name === task.platform_name &&
      (isFailed
        ? kind === 'pulls_failing'
        : task.not_listed > 0 && kind === 'missing_review' && record_type === task.record_type),
  )
}

export function choicesOf(items: readonly Filtered[]): { kinds: Choice[]; platforms: Choice[] } {
  const platforms = new Map(
    items.flatMap(({ platform }) => (platform ? [[platform.platform_name, platform.title]] : [])),
  )
  const toChoices = (labels: ReadonlyMap<string, string>) =>
    Array.from(labels, ([value, label]) => ({ value, label })).sort((one, other) =>
      one.label.localeCompare(other.label),
    )
  const kinds = new Map(items.map(({ kind }) => [kind, KINDS[kind]]))
  return { kinds: toChoices(kinds), platforms: toChoices(platforms) }
}
