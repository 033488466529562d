/** Saved views belong to their owner. Operators can share theirs, and admins can change every shared view. */
import type { NewView, SavedView, ViewChange } from '@recordhub/protocol'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import { type Caller, hasRole, keyOfCaller, nameOfCaller } from '../../domain/auth/caller.ts'
import { found, HubError } from '../../errors.ts'
import { isStorableText } from '../../lib/text/code-points.ts'
import { MAX_VIEWS, type StoredView, type ViewStore } from '../../storage/port/record-list-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { resolveListQuery } from './list-query.ts'

/** How the page shows the list. */
const PAGE_PARAMETERS: ReadonlySet<string> = new Set(['columns', 'facets', 'widths', 'pinned'])

type ViewDeps = Pick<FeatureDeps, 'views' | 'records'>
type By = { caller: Caller; address: string | null }

export async function listViews(views: ViewStore, caller: Caller): Promise<SavedView[]> {
  const owner = keyOfCaller(caller)
  return (await views.listViews(owner)).map((view) => toSavedView(view, owner))
}

/** @throws HubError `invalid_request`, `forbidden`, `view_name_taken`, `too_many_views`. */
export async function createView(
  { views, records }: ViewDeps,
  view: NewView,
  by: By,
): Promise<SavedView> {
  const content = { ...(await validateView(records, view, by)), shared: view.shared ?? false }
  const owner = keyOfCaller(by.caller)
  const created = await views.createView(
    { ...content, owner },
    auditOf('created', content.name, by),
  )
  if (created === 'name_taken') throw new HubError('view_name_taken', { name: content.name })
  if (created === 'too_many') throw new HubError('too_many_views', { max: MAX_VIEWS })
  return toSavedView(created, owner)
}

/** @throws HubError `not_found`, `invalid_request`, `forbidden`, `view_name_taken`. */
export async function changeView(
  { views, records }: ViewDeps,
  viewId: number,
  change: ViewChange,
  by: By,
): Promise<SavedView> {
  const stored = await findChangeable(views, viewId, by)
  const audit = auditOf('changed', stored.name, by)
  const content = await validateView(records, change, by)
  const changed = await views.changeView(viewId, content, audit)
  if (changed === 'name_taken') throw new HubError('view_name_taken', { name: change.name ?? '' })
  return toSavedView(found('view', changed), keyOfCaller(by.caller))
}

/** @throws HubError `not_found`, `forbidden`. */
export async function deleteView(views: ViewStore, viewId: number, by: By): Promise<void> {
  const stored = await findChangeable(views, viewId, by)
  found('view', await views.deleteView(viewId, auditOf('deleted', stored.name, by)))
}

async function findChangeable(views: ViewStore, viewId: number, { caller }: By) {
  const view = found('view', await views.readView(viewId))
  const isOwn = view.owner === keyOfCaller(caller)
  // Private views of others return 404.
  found('view', isOwn || view.shared)
  if (!isOwn && !hasRole(caller, 'admin')) throw new HubError('forbidden', { role: 'admin' })
  return view
}

/**
 * Validates the given members of a view, and normalises its query.
 * @throws HubError `invalid_request`, `forbidden`.
 */
async function validateView<View extends ViewChange>(
  records: ViewDeps['records'],
  view: View,
  { caller }: By,
): Promise<View> {
  if (view.name !== undefined && !isStorableText(view.name)) {
    const reason = 'the name contains U+0000 or a lone surrogate'
    throw new HubError(
      'invalid_request',
      { reason },
      { errors: { name: ['must not contain U+0000 or a lone surrogate'] } },
    )
  }
  if (view.shared === true && !hasRole(caller, 'operator')) {
    throw new HubError('forbidden', { role: 'operator' })
  }
  if (view.query === undefined) return view
  const query = new URLSearchParams(view.query)
  const filters = [...query].filter(([name]) => !PAGE_PARAMETERS.has(name))
  await resolveListQuery(new URLSearchParams(filters), (one) => records.readScope(one))
  return { ...view, query: query.toString() }
}

function auditOf(
  verb: 'created' | 'changed' | 'deleted',
  name: string,
  { caller, address }: By,
): NewAuditEntry {
  return { actor: nameOfCaller(caller), action: `view.${verb}`, target: name, address }
}

function toSavedView({ owner, ...view }: StoredView, caller: string): SavedView {
  return { ...view, own: owner === caller }
}
