/**
 * What a refused write does when it is replayed: pure decisions. It takes the place in the order of
 * writes that it had when it came, so that it never overwrites what is newer than that.
 */
import type { JsonObject } from '@recordhub/protocol/lossless-json'
import { parseRfc3339 } from '../../lib/time/rfc3339.ts'
import {
  decidePull,
  decidePush,
  type LastRead,
  type PushedContent,
  type RecordState,
  type WriteDecision,
} from './record.ts'

/** An element of a read, without the bytes that it came in. */
export type ReplayedElement = {
  source: 'pull'
  full_name: string
  data: JsonObject
  /** The keys that the module's manifest names. */
  manifest_keys: ReadonlySet<string>
}

export type ReplayedContent = PushedContent | ReplayedElement

/**
 * Where a refused write stands: a push at the moment of its refusal, an element at the first request of
 * its read. `at` is in the form of `parseInstant`.
 */
export type WritePosition = { seq: number; at: string }

export type ReplayContext = {
  /** Null where the operator insists: then it counts as if it came now. */
  place: WritePosition | null
  /** The place of a write that comes now. */
  now: WritePosition
  lastRead: LastRead | null
}

/** Decides what a replay does, in whatever order replays are made. */
export function decideReplay(
  stored: RecordState | null,
  content: ReplayedContent,
  { place, now, lastRead }: ReplayContext,
): WriteDecision {
  if (stored && place && isOvertaken(stored, place, lastRead)) return { outcome: 'stale' }
  if (content.source !== 'pull') {
    const pushed = place ? content : { ...content, occurred_at: null }
    return decidePush(stored, pushed, { ...(place ?? now), lastRead })
  }
  const { manifest_keys, ...element } = content
  const read = {
    mark: (place ?? now).seq,
    requested_at: (place ?? now).at,
    manifest_keys,
    manifest_tag: NO_BYTES,
  }
  const decision = decidePull(stored, { ...element, source_hash: NO_BYTES }, read)
  if (decision.outcome === 'stale' || decision.next === null) return decision
  const pushed = place ? {} : { pushed_seq: now.seq, pushed_at: now.at }
  return { ...decision, next: { ...decision.next, source_hash: null, ...pushed } }
}

/** No hash of an element is like it, and none begins with it. */
const NO_BYTES = 'replay'

/** Whether a push or a read that is newer than the place has spoken of the record. */
function isOvertaken(
  stored: RecordState,
  place: WritePosition,
  lastRead: LastRead | null,
): boolean {
  if (stored.pushed_seq > place.seq) return true
  if (stored.pulled_at !== null && stored.pulled_at >= place.at) return true
  const missedAt = stored.missing_since === null ? null : parseRfc3339(stored.missing_since)
  if (missedAt !== null && missedAt >= place.at) return true
  // An unchanged record is not written by a read, so the module's last read speaks for it.
  return lastRead !== null && stored.pulled_at !== null && lastRead.mark >= place.seq
}
