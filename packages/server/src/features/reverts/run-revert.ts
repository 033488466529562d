/**
 * Applies a revert. Each record is decided again, and its write is rejected if the record has changed since the decision;
 * then it is decided once more. A record that is done is not written again, so a revert continues after its process was
 * killed, on this node or another one.
 */
import type { ImpossibleReason } from '@recordhub/protocol'
import { decideRevert } from '../../domain/revert/decide-revert.ts'
import { type ErrorCode, HubError, isStorageUnavailable } from '../../errors.ts'
import { createPause, yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { RevertWrite, WriteOutcome } from '../../storage/port/record-store.ts'
import type { ClaimedRevert, RevertResult, ScopeRecord } from '../../storage/port/revert-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { Ingest } from '../ingest/ingest.ts'
import { describeRevertEnd } from './describe-revert.ts'
import { STEP_BYTES, toResult } from './plan-revert.ts'

/** Records of one commit, during which pushes wait. */
const STEP = 400
const LEASE_SECONDS = 30
/** How often the lease is renewed and the progress counted. */
const RENEW_EVERY_MS = 2000

export type RunDeps = Pick<
  FeatureDeps,
  'reverts' | 'holds' | 'clock' | 'processName' | 'monotonicClock'
> & {
  ingest: Pick<Ingest, 'revert'>
}

/** Takes the next revert and applies it until its end, the signal, or the end of its lease. @returns false if there is none. */
export async function runNextRevert(deps: RunDeps, signal: AbortSignal): Promise<boolean> {
  const { reverts, processName: owner } = deps
  const lease = { owner, seconds: LEASE_SECONDS }
  const revert = await reverts.claimRevert(lease)
  if (!revert) return false
  try {
    const isDone = await applyRevert(deps, revert, signal)
    if (isDone) await finish(deps, revert)
    else if (signal.aborted) await reverts.releaseRevert(revert.revert_id, owner)
  } catch (error) {
    const isPermanent = !signal.aborted && !canSucceedLater(error)
    const end = isPermanent
      ? fail(deps, revert, error)
      : reverts.releaseRevert(revert.revert_id, owner)
    // An end that cannot be stored either: the revert continues when its lease has ended.
    await end.catch(() => undefined)
    throw error
  }
  return true
}

const TEMPORARY = new Set<string>([
  'storage_failed',
  'starting',
  'shutting_down',
] satisfies ErrorCode[])

/** Whether another attempt, or one of another process, may succeed. Any other error would come back for ever. */
function canSucceedLater(error: unknown): boolean {
  return isStorageUnavailable(error) || (error instanceof HubError && TEMPORARY.has(error.code))
}

/** Ends a revert that cannot continue. An operator may plan the same scope again. */
async function fail(
  { reverts, processName: owner }: RunDeps,
  { revert_id, operator }: ClaimedRevert,
  cause: unknown,
): Promise<void> {
  const error = cause instanceof HubError ? cause.message : UNEXPECTED
  const log = describeRevertEnd(revert_id, { actor: operator, address: null }, error)
  await reverts.finishRevert(revert_id, owner, { state: 'failed', error }, log)
}

const UNEXPECTED = 'An unexpected error. The log of the hub has the details.'

/** @returns false if the revert was stopped: by the signal, an operator, or another process that runs it. */
async function applyRevert(
  deps: RunDeps,
  revert: ClaimedRevert,
  signal: AbortSignal,
): Promise<boolean> {
  const { reverts, processName: owner, monotonicClock } = deps
  const { revert_id } = revert
  let after = 0
  let renewedAt = monotonicClock.now()
  for (;;) {
    if (signal.aborted) return false
    const undone = await reverts.listUndone(revert_id, after, STEP)
    if (undone.length === 0) return true
    for (const ids of await reverts.splitSteps(undone, STEP_BYTES)) {
      if (signal.aborted) return false
      const outcome = await applyStep(deps, revert, ids)
      if (outcome === 'stopped') return false
      // Or the revert was cancelled.
      if (outcome === 'again' || monotonicClock.now() - renewedAt > RENEW_EVERY_MS) {
        renewedAt = monotonicClock.now()
        if (!(await reverts.renewLease(revert_id, { owner, seconds: LEASE_SECONDS }))) return false
      }
      await yieldToEventLoop()
      // Records that have changed meanwhile are decided again.
      if (outcome === 'again') break
      after = ids.at(-1) ?? after
    }
  }
}

async function applyStep(
  { reverts, ingest, clock, monotonicClock, processName: owner }: RunDeps,
  { revert_id, resolved, makes_holds }: ClaimedRevert,
  ids: number[],
): Promise<'done' | 'again' | 'stopped'> {
  const records = await reverts.readScopeRecords(resolved, ids)
  const known = new Set(records.map((record) => record.record_id))
  await reverts.dropRecords(
    revert_id,
    ids.filter((id) => !known.has(id)),
  )
  const at = clock.now().toISOString()
  const results: RevertResult[] = []
  const writes: RevertWrite[] = []
  const written: ScopeRecord[] = []
  const pause = createPause(monotonicClock)
  for (const record of records) {
    const decision = decideRevert(record, at)
    await pause()
    if (decision.outcome !== 'reverted' || decision.changes.length === 0) {
      results.push(toResult(record, decision))
      continue
    }
    const { platform_id, record_type, reference_number, change_seq } = record
    written.push(record)
    writes.push({
      ...{ platform_id, record_type, reference_number },
      content: { source: 'revert', ...decision.next, changes: decision.changes },
      revert: {
        ...{ revert_id, owner, change_seq, creates: record.isCreated },
        refused: makes_holds ? decision.refused : [],
        ends_holds_of: resolved.kind === 'revert' && !makes_holds ? resolved.revert_id : null,
      },
    })
  }
  const outcomes = writes.length > 0 ? await ingest.revert(writes) : []
  const { step, impossible } = readOutcomes(outcomes, written)
  results.push(...impossible)
  const areCurrent = results.length === 0 || (await reverts.saveResults(revert_id, results))
  return step === 'done' && !areCurrent ? 'again' : step
}

/** Why a record cannot be reverted that could be when the plan was made. */
const IMPOSSIBLE = new Map<string, ImpossibleReason>([
  ['module_not_registered', 'module_not_registered'],
  ['record_erased', 'anonymised'],
])

function readOutcomes(
  outcomes: WriteOutcome[],
  written: ScopeRecord[],
): { step: 'done' | 'again' | 'stopped'; impossible: RevertResult[] } {
  let step: 'done' | 'again' = 'done'
  const impossible: RevertResult[] = []
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.outcome !== 'rejected') continue
    const record = written[index]
    if (outcome.code === 'revert_not_running') return { step: 'stopped', impossible }
    const reason = IMPOSSIBLE.get(outcome.code)
    if (outcome.code === 'record_changed') step = 'again'
    else if (!reason || !record) throw new HubError(outcome.code)
    else impossible.push(toResult(record, { outcome: 'impossible', reason }))
  }
  return { step, impossible }
}

async function finish(
  { reverts, holds, processName: owner }: RunDeps,
  { revert_id, resolved, makes_holds, operator }: ClaimedRevert,
): Promise<void> {
  const requester = { actor: operator, address: null }
  if (resolved.kind === 'revert' && !makes_holds) {
    // Also those of records that this revert has kept: nothing of the first one is refused any more.
    const target = `revert ${resolved.revert_id}`
    await holds.liftHolds(
      { revert_id: resolved.revert_id },
      {
        activity: {
          level: 'info',
          kind: 'holds.lifted',
          message: `The holds of revert ${resolved.revert_id} were lifted by revert ${revert_id}`,
          actor: operator,
          details: { revert_id: resolved.revert_id },
        },
        audit: { ...requester, action: 'holds.lift', target, details: { by_revert: revert_id } },
      },
      { revert_id, owner },
    )
  }
  const end = { state: 'succeeded' as const, error: null }
  await reverts.finishRevert(revert_id, owner, end, describeRevertEnd(revert_id, requester, null))
}
