/** Decides what a write does to a record: pure, the same for pushes, pulls and replays and for every storage engine. */
import {
  isEqualJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { isSameText, type MemberTexts, readMemberTexts } from '../../lib/json/member-texts.ts'
import { isUnchanged } from '../pull/unchanged.ts'
import { advanceClocks, canSet, type FieldClocks, lastSetAt } from './field-clocks.ts'
import { type JsonText, textOf, withText } from './json-text.ts'

/** The content of a push. `full_name` is null if a PATCH leaves it out. */
export type PushedContent = {
  source: 'POST' | 'PATCH'
  full_name: string | null
  data: JsonText
  /** In the form of `parseRfc3339`; null if the platform did not send it. */
  occurred_at: string | null
}

export type PulledContent = {
  source: 'pull'
  full_name: string
  data: JsonText
  /** The fingerprint of the received bytes and of the manifest at that time. */
  fingerprint: string
  /** The version that the platform sent with it; null without one. */
  version: string | null
}

/** The read that a pulled record belongs to. */
export type ReadContext = {
  /** The write sequence at the first request of the read: records pushed after it are not changed. */
  snapshotSeq: number
  /** The time of that request, in the form of `parseRfc3339`. */
  requested_at: string
  /** The keys that the manifest of the module names. */
  manifest_keys: ReadonlySet<string>
  /** The prefix of every fingerprint of this read; it changes with the manifest. */
  manifest_hash: string
}

/** The last complete read of a record's module. */
export type LastRead = { snapshotSeq: number; requested_at: string }

/** The stored state of a record, as far as decisions need it. */
export type RecordState = {
  full_name: string
  /** Lossless JSON text. */
  data: string
  incomplete: boolean
  missing_since: string | null
  /** The fingerprint of the last pull that wrote the record; null after a push. */
  fingerprint: string | null
  /** The version of the bytes that the last pull read; null after a push, and without one. */
  version: string | null
  field_clocks: FieldClocks | null
  /** The write sequence of the last push; 0 if there was none. */
  pushed_seq: number
  /** The time of that push, in the form of `parseRfc3339`; null if there was none. */
  pushed_at: string | null
  /** The time of the request of the pull that last wrote the record. */
  pulled_at: string | null
}

/** The state of a record that is not stored yet. */
export type NewRecordState = Omit<RecordState, 'data'> & { data: JsonText }

/** One path that a write changed. `before` or `after` is left out if there was no value. Values are lossless JSON texts. */
export type RecordChange = { path: string; before?: string; after?: string }

/** What a stale push lost against: a pull requested at, or a push that occurred at, a later time. */
export type NewerWrite = {
  source: 'pull' | 'push'
  /** In the form of `parseRfc3339`. */
  at: string
}

export type WriteDecision =
  | { outcome: 'created'; next: NewRecordState }
  /** There is at least one change. */
  | { outcome: 'updated'; next: RecordState; changes: RecordChange[] }
  /** No visible change; `next` is set if bookkeeping columns have changed. */
  | { outcome: 'unchanged'; next: RecordState | null }
  /** `newer` is set for a push that lost by its time. */
  | { outcome: 'stale'; newer?: NewerWrite }

/**
 * Decides what a push does (specification 4.1). POST replaces the record, PATCH sets the keys that it contains. With
 * `occurred_at`, an older push never overwrites the fields of a newer one, regardless of the order in which they arrive.
 * `seq` is the number of the write in the write sequence, `at` its time in the form of `parseRfc3339`.
 */
export function decidePush(
  known: NewRecordState | null,
  content: PushedContent,
  context: { seq: number; at: string; lastRead: LastRead | null },
): WriteDecision {
  const stored = known && withText(known)
  const read = stored && findNewerRead(stored, content, context)
  if (read) return { outcome: 'stale', newer: { source: 'pull', at: read } }
  const merged = mergePush(stored, content)
  if ('newerAt' in merged) {
    return { outcome: 'stale', newer: { source: 'push', at: merged.newerAt } }
  }
  const next: NewRecordState = {
    full_name: merged.full_name,
    data: merged.data,
    incomplete: content.source === 'PATCH' && (stored?.incomplete ?? true),
    missing_since: null,
    fingerprint: null,
    version: null,
    field_clocks: advanceClocks(stored?.field_clocks ?? null, content, () =>
      Object.keys(parseData(textOf(content.data))).map(pointerTo),
    ),
    pushed_seq: context.seq,
    pushed_at: context.at,
    pulled_at: stored?.pulled_at ?? null,
  }
  return stored ? conclude(stored, withText(next)) : { outcome: 'created', next }
}

/**
 * Decides what a pulled record does: it sets every key that it contains, removes keys that the manifest names and that
 * it lacks, leaves keys that the manifest does not name, and completes the record. A record that was pushed after the
 * read began is newer and is not changed (`stale`).
 */
export function decidePull(
  known: NewRecordState | null,
  content: PulledContent,
  read: ReadContext,
): WriteDecision {
  const stored = known && withText(known)
  if (stored && isUnchanged(stored, content, read)) return { outcome: 'unchanged', next: null }
  if (stored && stored.pushed_seq > read.snapshotSeq) return { outcome: 'stale' }
  const next: NewRecordState = {
    full_name: content.full_name,
    data: content.data,
    incomplete: false,
    missing_since: null,
    fingerprint: content.fingerprint,
    version: content.version,
    field_clocks: null,
    pushed_seq: stored?.pushed_seq ?? 0,
    pushed_at: stored?.pushed_at ?? null,
    pulled_at: read.requested_at,
  }
  if (!stored) return { outcome: 'created', next }
  const { text, ...members } = mergePull(stored.data, textOf(content.data), read)
  const decision = conclude(stored, { ...next, data: text }, members)
  if (decision.outcome !== 'unchanged') return decision
  // A platform that serialises the same content differently each time must not cause a write at each read.
  if (!stored.fingerprint?.startsWith(read.manifest_hash)) return decision
  if (stored.version !== content.version) return decision
  return { outcome: 'unchanged', next: null }
}

/**
 * The request time of a read that contained the record and was requested after the push occurred; null without one. A
 * request later than the push itself was timed by a clock that was set back since, and says nothing.
 */
function findNewerRead(
  stored: RecordState,
  { occurred_at }: PushedContent,
  { at, lastRead }: { at: string; lastRead: LastRead | null },
): string | null {
  if (occurred_at === null || stored.pulled_at === null) return null
  const isOlderThan = (requested_at: string) => occurred_at < requested_at && requested_at <= at
  if (isOlderThan(stored.pulled_at)) return stored.pulled_at
  // A read does not write unchanged records, so the last read of the module counts for them.
  const isOlder =
    lastRead !== null &&
    // That read contained the record: it was pulled before and is not marked as missing.
    stored.missing_since === null &&
    stored.pushed_seq <= lastRead.snapshotSeq &&
    isOlderThan(lastRead.requested_at)
  return isOlder ? lastRead.requested_at : null
}

/**
 * Parses the data only if the stored data take part in the result.
 * @returns `newerAt` if every value of the push was set later: the latest of these times.
 */
function mergePush(
  stored: RecordState | null,
  content: PushedContent,
): { full_name: string; data: JsonText } | { newerAt: string } {
  const clocks = stored?.field_clocks ?? null
  const wins = (path: string) => canSet(clocks, path, content.occurred_at)
  if (content.source === 'POST') {
    const base = lastSetAt(clocks, '')
    if (content.occurred_at !== null && base !== null && content.occurred_at < base) {
      return { newerAt: base }
    }
    if (!stored || clocks === null || content.occurred_at === null) {
      return { full_name: content.full_name ?? '', data: content.data }
    }
    const next = mergeKeys(parseData(stored.data), parseData(textOf(content.data)), (key) =>
      wins(pointerTo(key)),
    )
    return {
      full_name: wins('/full_name') ? (content.full_name ?? '') : stored.full_name,
      data: stringifyLossless(next),
    }
  }
  if (!stored) return { full_name: content.full_name ?? '', data: content.data }
  const pushed = parseData(textOf(content.data))
  const pushedKeys = Object.keys(pushed)
  const keys = pushedKeys.filter((key) => wins(pointerTo(key)))
  const setsName = content.full_name !== null && wins('/full_name')
  const hasContent = content.full_name !== null || pushedKeys.length > 0
  if (hasContent && keys.length === 0 && !setsName) {
    const paths = [
      ...pushedKeys.map(pointerTo),
      ...(content.full_name === null ? [] : ['/full_name']),
    ]
    return { newerAt: paths.map((path) => lastSetAt(clocks, path) ?? '').reduce(later) }
  }
  const next = parseData(stored.data)
  for (const key of keys) setMember(next, key, memberOf(pushed, key))
  return {
    full_name: setsName ? (content.full_name ?? '') : stored.full_name,
    data: stringifyLossless(next),
  }
}

function later(one: string, other: string): string {
  return one > other ? one : other
}

/** Every key of both sides, from the incoming side if it wins, otherwise from the stored side. */
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

/** The members of the data of a stored record and of its next state, as far as they were read. */
type Members = { stored?: MemberTexts; next?: MemberTexts }

/** Reads the data only if they differ. `text` is the text of the next state. */
function mergePull(
  storedText: string,
  incomingText: string,
  read: ReadContext,
): Members & { text: string } {
  if (storedText === incomingText) return { text: incomingText }
  const stored = readMemberTexts(storedText)
  const incoming = readMemberTexts(incomingText)
  const remaining = [...stored.keys()].filter(
    (key) => !incoming.has(key) && !read.manifest_keys.has(key),
  )
  if (remaining.length === 0) return { text: incomingText, stored, next: incoming }
  const next = parseData(incomingText)
  for (const key of remaining) setMember(next, key, parseLossless(stored.get(key) ?? 'null'))
  return { text: stringifyLossless(next), stored }
}

/** An own member: a key such as `constructor` must not return an inherited one. */
function memberOf(data: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(data, key) ? data[key] : undefined
}

function setMember(data: JsonObject, key: string, value: JsonValue | undefined): void {
  if (value !== undefined) data[key] = value
}

/** The decision that makes `next` of a record. @param members of the data of both, as far as they were read. */
export function conclude(
  stored: RecordState | null,
  next: RecordState,
  members: Members = {},
): WriteDecision {
  if (!stored) return { outcome: 'created', next }
  const changes = [...findChanges(stored, next, members), ...findStatusChanges(stored, next)]
  if (changes.length === 0) return { outcome: 'unchanged', next: { ...next, data: stored.data } }
  return { outcome: 'updated', next, changes }
}

function findChanges(stored: RecordState, next: RecordState, members: Members): RecordChange[] {
  const changes: RecordChange[] = []
  if (stored.full_name !== next.full_name) {
    changes.push({
      path: '/full_name',
      before: JSON.stringify(stored.full_name),
      after: JSON.stringify(next.full_name),
    })
  }
  if (stored.data === next.data) return changes
  const storedTexts = members.stored ?? readMemberTexts(stored.data)
  const nextTexts = members.next ?? readMemberTexts(next.data)
  for (const key of new Set([...storedTexts.keys(), ...nextTexts.keys()])) {
    const before = storedTexts.get(key)
    const after = nextTexts.get(key)
    if (isSameText(before, after)) continue
    changes.push({
      path: pointerTo(key),
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    })
  }
  return changes
}

const STATUS = ['incomplete', 'missing_since'] as const
type Status = Pick<RecordState, (typeof STATUS)[number]>

/** Whether a change is of the name or the data of a record, not of its status. */
export function isOfValue({ path }: RecordChange): boolean {
  return !STATUS.some((member) => path === `/${member}`)
}

/** A record that becomes complete, or is no longer missing, is a change like any other. */
function findStatusChanges(stored: Status, next: Status): RecordChange[] {
  return STATUS.filter((member) => stored[member] !== next[member]).map((member) => ({
    path: `/${member}`,
    before: JSON.stringify(stored[member]),
    after: JSON.stringify(next[member]),
  }))
}

/** The change that marks a record as missing. */
export function missingChange(since: string): RecordChange {
  return { path: '/missing_since', before: 'null', after: JSON.stringify(since) }
}

/** Whether two values are equal to the hub; `undefined` is no value. */
export function isSameValue(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  return isEqualJson(one, other)
}

/** The length of `"":0,`. */
const MIN_MEMBER_LENGTH = 5

/** Whether a write leaves a record with more keys than that, because it keeps keys that it does not contain. */
export function addsTooManyKeys(
  content: { data: JsonText },
  { data }: RecordState,
  maxKeys: number,
): boolean {
  if (data.length <= maxKeys * MIN_MEMBER_LENGTH || data === textOf(content.data)) return false
  return readMemberTexts(data).size > maxKeys
}

/** The `data` of a stored record. @param text lossless JSON. */
export function parseData(text: string): JsonObject {
  const data = parseLossless(text)
  if (!isJsonObject(data)) throw new Error('The data of a stored record is not a JSON object')
  return data
}

/** The JSON Pointer of a key of a record's `data`. */
export function pointerTo(key: string): string {
  return `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}
