/** Applies holds to the decision about a write: pure. */

import { withText } from '../record/json-text.ts'
import {
  conclude,
  type NewRecordState,
  type RecordState,
  type WriteDecision,
} from '../record/record.ts'
import {
  decideHolds,
  type Hold,
  type HoldDecision,
  keepHeld,
  kindOf,
  pathsSetBy,
  readSides,
  type SettingContent,
} from './hold.ts'

type OpenDecision = Extract<WriteDecision, { outcome: 'created' | 'updated' | 'unchanged' }>

/** `held`: nothing has changed, because of holds. */
export type HeldDecision = WriteDecision | { outcome: 'held' }

/**
 * Returns the decision without the values that are held.
 * @param stored the record before the write.
 */
export function holdBack(
  stored: RecordState,
  decision: OpenDecision,
  { holds, content }: { holds: readonly Hold[]; content: SettingContent },
): { held: HeldDecision; lifted: HoldDecision['lifted']; isHeld: boolean } {
  const result = withText<NewRecordState>(decision.next ?? stored)
  const isWhole = content.source !== 'PATCH'
  const sets = pathsSetBy(content, stored.field_clocks)
  const sides = readSides(stored.data, result.data)
  const { kept, lifted } = decideHolds(holds, { stored, result, sides, isWhole, sets })
  const remaining = holds.length > 0 && !areAllLifted(holds, lifted)
  // While a hold remains, the same bytes are not skipped as unchanged: they have not been stored as they are.
  const pulled = remaining ? { fingerprint: null, version: null } : {}
  const next = { ...keepHeld(result, stored, { kept, sides }), ...pulled }
  if (kept.size === 0 && decision.outcome === 'updated') {
    return { held: { ...decision, next }, lifted, isHeld: false }
  }
  const concluded = conclude(stored, next)
  if (kept.size === 0) return { held: concluded, lifted, isHeld: false }
  const held = concluded.outcome === 'unchanged' ? ({ outcome: 'held' } as const) : concluded
  return { held, lifted, isHeld: true }
}

function areAllLifted(holds: readonly Hold[], lifted: HoldDecision['lifted']): boolean {
  const names = new Set(lifted.map(({ revert_id, kind }) => `${revert_id} ${kind}`))
  return holds.every(({ revert_id, path }) => names.has(`${revert_id} ${kindOf(path)}`))
}
