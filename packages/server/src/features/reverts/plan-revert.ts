/** Plans a revert: decides every record of its scope, in steps, so that a plan of any size takes little memory. */
import type { Revert, RevertScope } from '@recordhub/protocol'
import { type DecidedOutcome, decideOutcome, isAsLeft } from '../../domain/revert/decide-revert.ts'
import { found, HubError, requireMember } from '../../errors.ts'
import { createPause, yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { parseTimestamp, TIMESTAMP_RULE } from '../../lib/time/rfc3339.ts'
import type {
  ResolvedScope,
  RevertResult,
  ScopeCursor,
  ScopeRecord,
} from '../../storage/port/revert-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

/** Records that are listed at once. */
const STEP = 500
/** Records whose values are read and compared at once, during which pushes wait. */
const COMPARE_STEP = 100
/** The maximum size of the data and history that are compared at once, which limits their paths too. */
export const STEP_BYTES = 1_000_000

type PlanDeps = Pick<FeatureDeps, 'reverts' | 'pulls' | 'records' | 'retention' | 'clock'>

/**
 * @throws HubError `not_found` for a scope that names something unknown; `revert_not_possible` for a pull or revert that has
 *   not ended; `invalid_request` for an invalid time.
 */
export async function planRevert(
  deps: PlanDeps,
  { scope, reason }: { scope: RevertScope; reason: string },
  operator: string,
): Promise<Revert> {
  const { reverts } = deps
  const { resolved, makes_holds } = await resolveScope(deps, scope)
  const history_since = await findHistoryStart(deps, resolved)
  const revert = { scope, resolved, reason, operator, makes_holds, history_since }
  const revertId = await reverts.createRevert(revert)
  for (let after: ScopeCursor | null | undefined; after !== null; ) {
    const step = await reverts.listScope(resolved, after ?? null, STEP)
    // The first steps of a pull and of a revert name each record once.
    const isUnique = resolved.kind !== 'pushes' && (after ?? null)?.stream !== 1
    const ids = isUnique ? step.ids : await reverts.findUnplanned(revertId, step.ids)
    await reverts.addPlanned(revertId, await decideStep(reverts, resolved, ids))
    after = step.next
    await yieldToEventLoop()
  }
  return reverts.finishPlan(revertId)
}

/** Compares the values of those records only that something else may have changed since the scope. */
async function decideStep(
  reverts: PlanDeps['reverts'],
  resolved: ResolvedScope,
  ids: number[],
): Promise<RevertResult[]> {
  const outlines = await reverts.readScopeOutlines(resolved, ids)
  const results = outlines
    .filter(isAsLeft)
    .map((outline) => toResult(outline, { outcome: 'reverted' }))
  const others = outlines.filter((one) => !isAsLeft(one)).map(({ record_id }) => record_id)
  for (let at = 0; at < others.length; at += COMPARE_STEP) {
    const step = others.slice(at, at + COMPARE_STEP)
    for (const some of await reverts.splitSteps(step, STEP_BYTES)) {
      const records = await reverts.readScopeRecords(resolved, some)
      const pause = createPause()
      for (const record of records) {
        results.push(toResult(record, decideOutcome(record)))
        await pause()
      }
      await yieldToEventLoop()
    }
  }
  return results
}

/** What is stored of a decision about a record. */
export function toResult(
  record: Pick<ScopeRecord, 'record_id' | 'platform_id' | 'isCreated' | 'change_seq'>,
  decision: DecidedOutcome,
): RevertResult {
  return {
    record_id: record.record_id,
    platform_id: record.platform_id,
    outcome: decision.outcome,
    creates: record.isCreated,
    kept_path: decision.outcome === 'kept' ? decision.path : null,
    decided_seq: record.change_seq,
    reason: decision.outcome === 'impossible' ? decision.reason : null,
  }
}

type Resolved = { resolved: ResolvedScope; makes_holds: boolean }

async function resolveScope(deps: PlanDeps, scope: RevertScope): Promise<Resolved> {
  if ('pull_id' in scope) return resolvePull(deps, scope)
  if ('platform' in scope) return resolvePushes(deps, scope)
  if ('record_id' in scope) return resolveVersion(deps, scope)
  const { revert_id } = scope
  const first = found('revert', await deps.reverts.readRevert(revert_id))
  const stored = found('revert', await deps.reverts.readResolved(revert_id))
  if (first.started_at === null || first.finished_at === null) {
    throw new HubError('revert_not_possible', { reason: 'the revert has not ended' })
  }
  // A revert of a revert brings the refused values back; a revert of that one refuses them again.
  const makes_holds = !stored.makes_holds
  return { resolved: { kind: 'revert', revert_id, begin: first.started_at }, makes_holds }
}

async function resolvePull(
  { pulls, reverts }: PlanDeps,
  { pull_id, platform: name, record_type: type }: Extract<RevertScope, { pull_id: number }>,
): Promise<Resolved> {
  const pull = found('pull', await pulls.readPull(pull_id))
  if (pull.finished_at === null) {
    throw new HubError('revert_not_possible', { reason: 'the pull has not ended' })
  }
  const begin = pull.requested_at
  const isWhole = name === undefined && type === undefined
  const names = { platform: name ?? null, record_type: type ?? null }
  const modules = isWhole ? null : await reverts.findModules(names, pull_id)
  if (modules?.length === 0) {
    const module = type === undefined ? 'no module' : `no module "${type}"`
    const what = name === undefined ? module : `${module} of the platform "${name}"`
    throw new HubError('module_not_in_pull', { pull_id: String(pull_id), what })
  }
  const module_ids = modules?.map(({ module_id }) => module_id) ?? null
  return { resolved: { kind: 'pull', pull_id, module_ids, begin }, makes_holds: true }
}

async function resolvePushes(
  { reverts, clock }: PlanDeps,
  scope: Extract<RevertScope, { from: string }>,
): Promise<Resolved> {
  const readTime = (name: 'from' | 'to') =>
    requireMember(parseTimestamp(scope[name]), name, TIMESTAMP_RULE)
  const [from, to] = [readTime('from'), readTime('to')]
  if (from >= to) throw new HubError('invalid_request', { reason: 'from must be before to' })
  const [module] = await reverts.findModules({ platform: scope.platform, record_type: null }, null)
  const { platform_id } = found('platform', module ?? null)
  // A push after the plan, such as a correction, is in no plan. All may seem to be later if the clock was set back.
  const planned = new Date(clock.now().getTime() + 1).toISOString()
  const end = from < planned && planned < to ? planned : to
  return { resolved: { kind: 'pushes', platform_id, from, to: end }, makes_holds: true }
}

async function resolveVersion(
  { records }: PlanDeps,
  { record_id, version }: Extract<RevertScope, { record_id: number }>,
): Promise<Resolved> {
  const record = found('record', await records.readRecord(record_id))
  const before = version === 0 ? null : version + 1
  const { entries } = await records.listHistory({ record_id, limit: 1, maxBytes: 1, before })
  const [entry] = entries
  const isEntry =
    version === 0
      ? entry !== undefined
      : entry?.change_seq === version || record.change_seq === version
  if (!isEntry) throw new HubError('not_found', { what: 'change of the record' })
  return { resolved: { kind: 'record', record_id, version }, makes_holds: true }
}

/** Since when the history is complete, if retention has deleted a part of what the scope wrote; null if it has not. */
async function findHistoryStart(
  { retention }: PlanDeps,
  resolved: ResolvedScope,
): Promise<string | null> {
  if (resolved.kind === 'record') return null
  const since = await retention.historyCompleteSince()
  const begin = resolved.kind === 'pushes' ? resolved.from : resolved.begin
  return since !== null && begin < since ? since : null
}
