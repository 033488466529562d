/** What a revert changes in the records of its list. */
import type { ListedRevertRecord, RevertRecord } from '@recordhub/protocol'
import { parseLossless, stringifyLossless } from '@recordhub/protocol/lossless-json'
import type { RecordChange } from '../../domain/record/record.ts'
import type { ParsedChange } from '../../domain/record/record-history.ts'
import { decideRevert } from '../../domain/revert/decide-revert.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import type { ResolvedScope } from '../../storage/port/revert-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { STEP_BYTES } from './plan-revert.ts'

/** Steps of `STEP_BYTES` that are read for one list; the changes of further records are not listed. */
const MAX_STEPS = 8
const MAX_CHANGES = 3
/** A larger change is counted only. */
const MAX_CHANGE_BYTES = 2000

/**
 * Adds to each record that gets, or got, its former values the first of its changes. Those of a planned record are decided
 * now: there are none if it would be kept by now.
 */
export async function listChanges(
  { reverts, clock }: Pick<FeatureDeps, 'reverts' | 'clock'>,
  { revert_id, resolved }: { revert_id: number; resolved: ResolvedScope },
  records: readonly RevertRecord[],
): Promise<ListedRevertRecord[]> {
  const known = new Map<number, Listed>()
  const at = clock.now().toISOString()
  const valued = records.filter(({ outcome, creates }) => outcome === 'reverted' && !creates)
  for (const isDone of [false, true]) {
    const ids = valued.filter(({ done }) => done === isDone).map(({ record_id }) => record_id)
    const scope: ResolvedScope = isDone ? { kind: 'revert', revert_id, begin: at } : resolved
    for (const step of (await reverts.splitSteps(ids, STEP_BYTES)).slice(0, MAX_STEPS)) {
      for (const record of await reverts.readScopeRecords(scope, step)) {
        const decision = isDone ? null : decideRevert(record, at)
        const planned = decision?.outcome === 'reverted' ? decision.changes.map(parseChange) : []
        const made = record.entries.flatMap(({ changes }) => changes)
        known.set(record.record_id, summarize(isDone ? made : planned))
      }
      await yieldToEventLoop()
    }
  }
  return records.map((record) => ({ ...record, ...(known.get(record.record_id) ?? summarize([])) }))
}

type Listed = Pick<ListedRevertRecord, 'changes' | 'changes_total'>

/** Keeps no large value, so that a list of large records needs little memory. */
function summarize(all: readonly ParsedChange[]): Listed {
  const changes: ParsedChange[] = []
  for (const change of all) {
    if (changes.length === MAX_CHANGES) break
    if (stringifyLossless(change).length <= MAX_CHANGE_BYTES) changes.push(change)
  }
  return { changes, changes_total: all.length }
}

function parseChange({ path, before, after }: RecordChange): ParsedChange {
  return {
    path,
    ...(before === undefined ? {} : { before: parseLossless(before) }),
    ...(after === undefined ? {} : { after: parseLossless(after) }),
  }
}
