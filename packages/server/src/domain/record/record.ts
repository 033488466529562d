/**
 * What a write does to a record: pure decisions, the same for every mouth (push, pull, replay) and
 * every storage engine.
 */

import {
  canonicalText,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { sha256 } from '../../lib/crypto/hash.ts'
import { advanceClocks, clockOf, type FieldClocks, pointerTo } from './field-clock.ts'

/** What a write brings. `full_name` is null where a PATCH leaves it out. */
export type PushedContent = {
  source: 'POST' | 'PATCH'
  full_name: string | null
  data: JsonObject
  /** In the form of `parseInstant`; null where the platform did not say. */
  occurred_at: string | null
}

export type PulledContent = {
  source: 'pull'
  full_name: string
  data: JsonObject
  /** Of the bytes that were read, with the tag of the manifest they were read under. */
  source_hash: string
}

/** The circumstances of the read that a pulled record came in. */
export type ReadCircumstances = {
  /** The write sequence at the read's first request: records pushed after it are left alone. */
  mark: number
  /** When that request was made, in the form of `parseInstant`. */
  requested_at: string
  /** The keys that the module's manifest names. */
  manifest_keys: ReadonlySet<string>
  /** Begins every `source_hash` of this read; changes with the manifest. */
  manifest_tag: string
}

/** The last complete read of a record's module. */
export type LastRead = { mark: number; requested_at: string }

/** What is stored of a record, as far as a decision needs it. */
export type RecordState = {
  full_name: string
  /** Exact JSON text. */
  data: string
  incomplete: boolean
  missing_since: string | null
  /** Null after a push: what was read last is not what is stored now. */
  source_hash: string | null
  field_clocks: FieldClocks | null
  /** The write sequence of the last push; 0 where there was none. */
  pushed_seq: number
  /** When that push was made, in the form of `parseInstant`; null where there was none. */
  pushed_at: string | null
  /** When the pull that last wrote this record made its request. */
  pulled_at: string | null
}

/** One place that a write changed; an absent side is left out. Values are exact JSON texts. */
export type RecordChange = { path: string; before?: string; after?: string }

export type WriteDecision =
  | { outcome: 'created'; next: RecordState }
  /** There is at least one change. */
  | { outcome: 'updated'; next: RecordState; changes: RecordChange[] }
  /** Nothing that anybody sees has changed; `next` is there where book-keeping has. */
  | { outcome: 'unchanged'; next: RecordState | null }
  | { outcome: 'stale' }

/**
 * Decides what a push does (specification 4.1). POST replaces whole, PATCH sets
 * the keys that came. With `occurred_at`, an older push never overwrites a newer one, field by
 * field, in whatever order they arrive. `seq` is the write's place in the write sequence, `at` its time in the form of
 * `parseInstant`.
 */
export function decidePush(
  stored: RecordState | null,
  content: PushedContent,
  context: { seq: number; at: string; lastRead: LastRead | null },
): WriteDecision {
  if (stored && isOlderThanRead(stored, content, context.lastRead)) return { outcome: 'stale' }
  const merged = mergePush(stored, content)
  if (merged === 'stale') return { outcome: 'stale' }
  const next: RecordState = {
    full_name: merged.full_name,
    data: stringifyLossless(merged.data),
    incomplete: content.source === 'PATCH' && (stored?.incomplete ?? true),
    missing_since: null,
    source_hash: null,
    field_clocks: advanceClocks(stored?.field_clocks ?? null, content),
    pushed_seq: context.seq,
    pushed_at: context.at,
    pulled_at: stored?.pulled_at ?? null,
  }
  return conclude(stored, next, merged.data)
}

/**
 * Decides what a pulled record does: sets every key that came, removes keys that the manifest names
 * and that did not come, leaves keys that it does not name, and completes the record. A record that
 * was pushed after the read began is newer and stays (`stale`).
 */
export function decidePull(
  stored: RecordState | null,
  content: PulledContent,
  read: ReadCircumstances,
): WriteDecision {
  if (stored && isSameRead(stored, content, read)) return { outcome: 'unchanged', next: null }
  if (stored && stored.pushed_seq > read.mark) return { outcome: 'stale' }
  const data = stored ? mergePull(parseData(stored.data), content.data, read) : content.data
  const next: RecordState = {
    full_name: content.full_name,
    data: stringifyLossless(data),
    incomplete: false,
    missing_since: null,
    source_hash: content.source_hash,
    field_clocks: null,
    pushed_seq: stored?.pushed_seq ?? 0,
    pushed_at: stored?.pushed_at ?? null,
    pulled_at: read.requested_at,
  }
  const decision = conclude(stored, next, data)
  if (decision.outcome !== 'unchanged') return decision
  // A platform that words the same record anew at each read must not cost a write at each read.
  const known = stored?.source_hash?.startsWith(read.manifest_tag) ?? false
  return known ? { outcome: 'unchanged', next: null } : decision
}

/**
 * Whether the bytes read are those that gave what is stored, so that not even a parse is needed.
 * Needs only a few columns of the record.
 */
export function isSameRead(
  stored: Pick<RecordState, 'source_hash' | 'incomplete' | 'missing_since' | 'pushed_seq'>,
  content: { source_hash: string },
  read: { mark: number },
): boolean {
  return (
    stored.source_hash === content.source_hash &&
    !stored.incomplete &&
    stored.missing_since === null &&
    stored.pushed_seq <= read.mark
  )
}

/** The hash of an element's bytes as read under a manifest. */
export function sourceHash(manifestTag: string, bytes: Uint8Array): string {
  return `${manifestTag}.${sha256(bytes)}`
}

/** Stands for the keys that a manifest names, in the hashes of what is read under it. */
export function manifestTag(keys: Iterable<string>): string {
  return sha256(JSON.stringify([...keys].sort())).slice(0, 8)
}

function isOlderThanRead(
  stored: RecordState,
  content: PushedContent,
  lastRead: LastRead | null,
): boolean {
  if (content.occurred_at === null) return false
  if (stored.pulled_at !== null && content.occurred_at < stored.pulled_at) return true
  // An unchanged record is not written by a read, so the module's last read speaks for it.
  return (
    lastRead !== null &&
    // It did not bring this one: no read has met it, or this one has missed it.
    stored.pulled_at !== null &&
    stored.missing_since === null &&
    stored.pushed_seq <= lastRead.mark &&
    content.occurred_at < lastRead.requested_at
  )
}

type Content = { full_name: string; data: JsonObject }

function mergePush(stored: RecordState | null, content: PushedContent): Content | 'stale' {
  const clocks = stored?.field_clocks ?? null
  const wins = (path: string) => {
    const clock = clockOf(clocks, path)
    return content.occurred_at === null || clock === null || content.occurred_at >= clock
  }
  if (content.source === 'POST') {
    const base = clockOf(clocks, '')
    if (content.occurred_at !== null && base !== null && content.occurred_at < base) return 'stale'
    if (!stored || clocks === null || content.occurred_at === null) {
      return { full_name: content.full_name ?? '', data: content.data }
    }
    return {
      full_name: wins('/full_name') ? (content.full_name ?? '') : stored.full_name,
      data: mergeKeys(parseData(stored.data), content.data, (key) => wins(pointerTo(key))),
    }
  }
  if (!stored) return { full_name: content.full_name ?? '', data: content.data }
  const keys = Object.keys(content.data).filter((key) => wins(pointerTo(key)))
  const takesName = content.full_name !== null && wins('/full_name')
  const cameWithAny = content.full_name !== null || Object.keys(content.data).length > 0
  if (cameWithAny && keys.length === 0 && !takesName) return 'stale'
  const data = parseData(stored.data)
  for (const key of keys) setMember(data, key, memberOf(content.data, key))
  return { full_name: takesName ? (content.full_name ?? '') : stored.full_name, data }
}

/** Every key of both sides, from the incoming side where it wins and from the stored side else. */
function mergeKeys(
  stored: JsonObject,
  incoming: JsonObject,
  wins: (key: string) => boolean,
): JsonObject {
  const merged: JsonObject = {}
  for (const key of new Set([...Object.keys(incoming), ...Object.keys(stored)])) {
    setMember(merged, key, memberOf(wins(key) ? incoming : stored, key))
  }
  return merged
}

function mergePull(stored: JsonObject, incoming: JsonObject, read: ReadCircumstances): JsonObject {
  const merged = { ...incoming }
  for (const [key, value] of Object.entries(stored)) {
    if (!Object.hasOwn(incoming, key) && !read.manifest_keys.has(key)) merged[key] = value
  }
  return merged
}

/** Its own member: a key such as `constructor` must not find what every object inherits. */
function memberOf(data: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(data, key) ? data[key] : undefined
}

function setMember(data: JsonObject, key: string, value: JsonValue | undefined): void {
  if (value !== undefined) data[key] = value
}

function conclude(
  stored: RecordState | null,
  next: RecordState,
  nextData: JsonObject,
): WriteDecision {
  if (!stored) return { outcome: 'created', next }
  const changes = [...findChanges(stored, next, nextData), ...findMarkChanges(stored, next)]
  if (changes.length === 0) return { outcome: 'unchanged', next: { ...next, data: stored.data } }
  return { outcome: 'updated', next, changes }
}

function findChanges(stored: RecordState, next: RecordState, nextData: JsonObject): RecordChange[] {
  const changes: RecordChange[] = []
  if (stored.full_name !== next.full_name) {
    changes.push({
      path: '/full_name',
      before: JSON.stringify(stored.full_name),
      after: JSON.stringify(next.full_name),
    })
  }
  if (stored.data === next.data) return changes
  const storedData = parseData(stored.data)
  for (const key of new Set([...Object.keys(storedData), ...Object.keys(nextData)])) {
    const before = memberOf(storedData, key)
    const after = memberOf(nextData, key)
    if (isSameValue(before, after)) continue
    changes.push({
      path: pointerTo(key),
      ...(before === undefined ? {} : { before: stringifyLossless(before) }),
      ...(after === undefined ? {} : { after: stringifyLossless(after) }),
    })
  }
  return changes
}

type Marks = Pick<RecordState, 'incomplete' | 'missing_since'>

/** That a record is whole now, or has come back, is a change as any other. */
function findMarkChanges(stored: Marks, next: Marks): RecordChange[] {
  const places = ['incomplete', 'missing_since'] as const
  return places
    .filter((place) => stored[place] !== next[place])
    .map((place) => ({
      path: `/${place}`,
      before: JSON.stringify(stored[place]),
      after: JSON.stringify(next[place]),
    }))
}

/** The change that a complete read makes to a record that it did not bring. */
export function missingChange(since: string): RecordChange {
  return { path: '/missing_since', before: 'null', after: JSON.stringify(since) }
}

function isSameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  return canonicalText(one) === canonicalText(other)
}

/** The `data` of a stored record. @param text exact JSON. */
export function parseData(text: string): JsonObject {
  const data = parseLossless(text)
  if (!isJsonObject(data)) throw new Error('The data of a stored record is no JSON object')
  return data
}
