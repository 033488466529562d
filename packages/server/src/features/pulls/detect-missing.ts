/**
 * What a read that ended well says about the records that it did not bring: they are marked as missing,
 * or, where that would be suspiciously many, an operator is asked.
 */
import { createHash } from 'node:crypto'
import {
  graceStart,
  isCompleteRead,
  type MissingSet,
  needsSecondRead,
  type OpenReview,
  type ReadStart,
  validateMissing,
} from '../../domain/pull/missing.ts'
import { HubError } from '../../errors.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { MissingStore, ModulePlace, UnmetRecord } from '../../storage/port/missing-store.ts'
import { toAbortError } from './abort-error.ts'
import { describeHeld, describeSettled } from './describe-missing.ts'
import type { PullTaskContext, PullTaskOutcome } from './run-pull-task.ts'

/** Looked at in one step: where none of them was met, rows are read, and pushes wait for no more than this. */
const STEP = 1000
/** Marked in one transaction, or looked up at once: pushes wait for no more than this. */
const CHUNK = 500
/** Of what a read of several pages did not meet, so many are kept for the next one, which keeps the next. */
const MAX_SUSPECTS = 10_000

export type DetectMissingDeps = {
  missing: MissingStore
  /** Above this part of a module an operator is asked first. */
  missingFusePercent: number
  /** A read that began less than this after a record was pushed does not mark the record. */
  missingGraceSeconds: number
}

export type JudgedOutcome = PullTaskOutcome & {
  /** Whether nothing is left to be judged: else the next read must bring all records again. */
  isSettled: boolean
  /** How many records it met only as elements that were rejected: what is stored of them stays. */
  rejectedHere: number
}

/** A read as its records are judged by it. */
type JudgingRead = Pick<PullTaskContext, 'plan' | 'source' | 'signal' | 'pull_id'> &
  Pick<PullTaskOutcome, 'extent' | 'requested_at'> &
  ReadStart

/**
 * Marks what is gone, where the read can tell, and counts it in the outcome. Where that breaks off, the
 * outcome says so as its error; what was marked by then stays, and the next read marks the rest.
 */
export async function detectMissing(
  parts: DetectMissingDeps,
  context: PullTaskContext,
  outcome: PullTaskOutcome,
): Promise<JudgedOutcome> {
  const pushed_until = graceStart(outcome.requested_at, parts.missingGraceSeconds)
  const read: JudgingRead = { ...context, ...outcome, pushed_until }
  const counts = { ...outcome.counts }
  // That nothing has changed is asked only after a read that was settled.
  if (outcome.error === null && outcome.extent.pages === 0) {
    return { ...outcome, isSettled: true, rejectedHere: 0 }
  }
  let isSettled = false
  let rejectedHere = 0
  try {
    if (outcome.error === null && isCompleteRead(outcome.extent, { ...outcome, ...counts })) {
      isSettled = await settle(parts, read, (marked) => {
        counts.missing += marked
      })
    } else {
      // Two reads in a row must agree, and this one has nothing to say.
      await parts.missing.rememberSuspects(context.plan, [])
    }
    if (outcome.error === null) rejectedHere = await countRejectedHere(parts.missing, read)
    return { ...outcome, counts, isSettled, rejectedHere }
  } catch (error) {
    return { ...outcome, counts, error: outcome.error ?? error, isSettled: false, rejectedHere }
  }
}

async function countRejectedHere(
  missing: MissingStore,
  { plan, extent }: JudgingRead,
): Promise<number> {
  const references = [...extent.rejected]
  let count = 0
  for (let at = 0; at < references.length; at += CHUNK) {
    const ids = await missing.findPresent(plan, references.slice(at, at + CHUNK))
    count += ids.filter((id) => !extent.seen.has(id)).length
    await yieldToEventLoop()
  }
  return count
}

/** @returns whether nothing is left to be judged. */
async function settle(
  parts: DetectMissingDeps,
  read: JudgingRead,
  onMarked: (count: number) => void,
): Promise<boolean> {
  const { missing, missingFusePercent } = parts
  const { plan } = read
  const asked = [missing.readMissingState(plan), missing.countUnmarked(plan)] as const
  const [{ review, suspects }, records] = await Promise.all(asked)
  // Most of the time all were met, as the counters tell without a look at any record.
  const isAllThere = records === read.extent.seen.size
  const suspected = needsSecondRead(read.extent) ? new Set(suspects ?? []) : null
  const { found, record_ids, unmet, undecided } = isAllThere
    ? {
        found: { missing: 0, records, fingerprint: '' },
        record_ids: [],
        unmet: [],
        undecided: 0,
      }
    : await survey(missing, read, records, suspected)
  const verdict = validateMissing(found, review, missingFusePercent)
  if (verdict.verdict === 'mark') {
    let marked = 0
    for await (const count of markAll(missing, read, found, suspected)) {
      marked += count
      onMarked(count)
    }
    if (review && verdict.close) {
      const line = describeSettled(read, verdict.close, marked)
      await missing.closeReview(review.review_id, verdict.close, line)
    }
  } else await ask(missing, read, verdict.ask, { found, record_ids, review, missingFusePercent })
  if (suspected || suspects) await missing.rememberSuspects(plan, suspected ? unmet : [])
  return verdict.verdict === 'mark' && unmet.length <= found.missing && undecided === 0
}

/** Finds what would be marked, before anything is. */
async function survey(
  missing: MissingStore,
  read: JudgingRead,
  records: number,
  suspected: ReadonlySet<number> | null,
): Promise<{ found: MissingSet; record_ids: number[]; unmet: number[]; undecided: number }> {
  const hash = createHash('sha256')
  const unmet: number[] = []
  const record_ids: number[] = []
  let undecided = 0
  for await (const step of walkUnmet(missing, read)) {
    undecided += step.undecided
    for (const { record_id } of step.unmet) {
      if (suspected && unmet.length < MAX_SUSPECTS) unmet.push(record_id)
      if (suspected && !suspected.has(record_id)) continue
      hash.update(`${record_id} `)
      record_ids.push(record_id)
    }
  }
  const found = { missing: record_ids.length, records, fingerprint: hash.digest('base64url') }
  return { found, record_ids, unmet, undecided }
}

async function* markAll(
  missing: MissingStore,
  read: JudgingRead,
  found: MissingSet,
  suspected: ReadonlySet<number> | null,
): AsyncGenerator<number> {
  if (found.missing === 0) return
  const { mark, pushed_until, pull_id } = read
  const { platform_id, module_id } = read.plan
  const since = new Date(Date.parse(read.requested_at)).toISOString()
  for await (const { unmet } of walkUnmet(missing, read)) {
    const gone = unmet.filter(({ record_id }) => suspected?.has(record_id) ?? true)
    for (let at = 0; at < gone.length; at += CHUNK) {
      checkRunning(read)
      const outcome = await missing.markMissing({
        platform_id,
        module_id,
        pull_id,
        mark,
        pushed_until,
        since,
        records: gone.slice(at, at + CHUNK),
      })
      if (outcome.outcome === 'rejected') {
        throw toAbortError(outcome.code)
      }
      yield outcome.marked
      await yieldToEventLoop()
    }
  }
}

async function* walkUnmet(
  missing: MissingStore,
  { plan, mark, pushed_until, extent, ...read }: JudgingRead,
): AsyncGenerator<{ unmet: UnmetRecord[]; undecided: number }> {
  const isMet = ({ record_id, reference_number }: UnmetRecord) =>
    extent.seen.has(record_id) || extent.rejected.has(reference_number)
  const { platform_id, module_id }: ModulePlace = plan
  for (let after: string | null | undefined; after !== null; ) {
    checkRunning(read)
    const query = { platform_id, module_id, mark, pushed_until, isMet, limit: STEP }
    const { next, ...step } = await missing.listUnmet({ ...query, after: after ?? null })
    after = next
    if (step.unmet.length > 0 || step.undecided > 0) yield step
    await yieldToEventLoop()
  }
}

async function ask(
  missing: MissingStore,
  read: JudgingRead,
  how: 'anew' | 'update' | null,
  about: {
    found: MissingSet
    record_ids: number[]
    review: OpenReview | null
    missingFusePercent: number
  },
): Promise<void> {
  const { found, record_ids, review } = about
  const { platform_id, module_id } = read.plan
  const question = { platform_id, module_id, pull_id: read.pull_id, ...found, record_ids }
  if (how === 'anew') {
    const line = describeHeld(read, found, about.missingFusePercent)
    await missing.askForReview(question, review, line)
  } else if (how === 'update' && review) await missing.changeReview(review.review_id, question)
}

function checkRunning({ signal }: Pick<JudgingRead, 'signal'>): void {
  if (signal.aborted) throw new HubError('pull_not_running')
}
