/**
 * Decides what replaying a rejected write does. The write takes its original position in the write order, so that
 * it never overwrites anything newer.
 */
import { parseRfc3339 } from '../../lib/time/rfc3339.ts'
import { withText } from './json-text.ts'
import {
  decidePull,
  decidePush,
  type LastRead,
  type NewRecordState,
  type PushedContent,
  type WriteDecision,
} from './record.ts'

/** A pulled record, without its original bytes. */
export type ReplayedElement = {
  source: 'pull'
  full_name: string
  /** Lossless JSON text of an object, as `stringifyLossless` writes it. */
  data: string
  /** The keys in the module's manifest. */
  manifest_keys: ReadonlySet<string>
}

export type ReplayedContent = PushedContent | ReplayedElement

/**
 * The position of a rejected write in the write order: of a push, when it was rejected; of a pulled record, at the
 * first request of the read. `at` has the format of `parseRfc3339`.
 */
export type WritePosition = { seq: number; at: string }

type ReplayContext = {
  /** Null to overwrite newer data: the write then counts as the newest one. */
  position: WritePosition | null
  /** The position of a write that arrives now. */
  now: WritePosition
  lastRead: LastRead | null
}

/** Decides what a replay does. The result does not depend on the order of replays. */
export function decideReplay(
  stored: NewRecordState | null,
  content: ReplayedContent,
  { position, now, lastRead }: ReplayContext,
): WriteDecision {
  if (stored && position && isSuperseded(stored, position, lastRead)) return { outcome: 'stale' }
  if (content.source !== 'pull') {
    const pushed = position ? content : { ...content, occurred_at: null }
    return decidePush(stored, pushed, { ...(position ?? now), lastRead })
  }
  const { source, full_name, data, manifest_keys } = content
  const read = {
    snapshotSeq: (position ?? now).seq,
    requested_at: (position ?? now).at,
    manifest_keys,
    manifest_hash: NO_BYTES,
  }
  const element = { source, full_name, data, fingerprint: NO_BYTES, version: null }
  const decision = decidePull(stored, element, read)
  if (decision.outcome === 'stale' || decision.next === null) return decision
  const pushed = position ? {} : { pushed_seq: now.seq, pushed_at: now.at }
  return { ...decision, next: { ...withText(decision.next), fingerprint: null, ...pushed } }
}

/** Differs from every hash of an element and every hash of a manifest. */
const NO_BYTES = 'replay'

/** Whether a push or read after the position has written the record or found it missing. */
function isSuperseded(
  stored: NewRecordState,
  position: WritePosition,
  lastRead: LastRead | null,
): boolean {
  if (stored.pushed_seq > position.seq) return true
  if (stored.pulled_at !== null && stored.pulled_at >= position.at) return true
  const missingAt = stored.missing_since === null ? null : parseRfc3339(stored.missing_since)
  if (missingAt !== null && missingAt >= position.at) return true
  // A read does not write unchanged records, so the module's last read counts for them.
  return lastRead !== null && stored.pulled_at !== null && lastRead.snapshotSeq >= position.seq
}
