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
  if (kept.size === 0) return { held: decision, lifted, isHeld: false }
  // The same bytes are not skipped as unchanged: they have not been stored as they are.
  const pulled = { fingerprint: null, version: null }
  const concluded = conclude(stored, { ...keepHeld(result, stored, { kept, sides }), ...pulled })
  const held = concluded.outcome === 'unchanged' ? ({ outcome: 'held' } as const) : concluded
  return { held, lifted, isHeld: true }
}
