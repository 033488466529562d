/**
 * Decides what a revert does to one record: pure. Values decide, not who wrote later: a record is reverted if every path of
 * the scope still has the value that the scope gave it last. Otherwise it is kept as a whole.
 */
import type { ImpossibleReason } from '@recordhub/protocol'
import { type JsonValue, stringifyLossless } from '@recordhub/protocol/lossless-json'
import { isSameValue, missingChange, parseData, type RecordChange } from '../record/record.ts'
import type { ParsedChange } from '../record/record-history.ts'
import { dataKeyOf } from '../record/record-history.ts'
import {
  EXISTENCE,
  hashContent,
  hashValue,
  MISSING_PATH,
  type RefusedPath,
  toHoldPath,
} from './hold.ts'

/** The parts of a record that a revert restores. */
export type RevertibleContent = {
  full_name: string
  /** Lossless JSON text of an object. */
  data: string
  incomplete: boolean
  missing_since: string | null
}

/** A record of a scope. */
export type RevertCandidate = {
  record: RevertibleContent
  /** Whether the scope created the record. */
  isCreated: boolean
  isAnonymised: boolean
  /** Whether its module is registered: the hub writes nothing to others. */
  isRegistered: boolean
  /** Whether the hub has the whole history that the decision needs. */
  isHistoryStored: boolean
  /**
   * In the order of their numbers: the entries of the scope; if the scope created the record, all entries since then.
   * `isInScope` is true for those of the scope.
   */
  entries: { isInScope: boolean; changes: ParsedChange[] }[]
}

/** The content of a write that a revert makes. */
export type RevertedContent = RevertibleContent & { source: 'revert'; changes: RecordChange[] }

export type RevertDecision =
  | {
      outcome: 'reverted'
      next: RevertibleContent
      /** Empty if the scope has left every value as it was, and at most completed the record. */
      changes: RecordChange[]
      /** What a hold keeps from coming back. */
      refused: RefusedPath[]
    }
  | NotReverted

type NotReverted =
  /** `path`: the first one that has another value. */
  { outcome: 'kept'; path: string } | { outcome: 'impossible'; reason: ImpossibleReason }

/** What is stored of a decision. */
export type DecidedOutcome = { outcome: 'reverted' } | NotReverted

type Value = JsonValue | undefined

const INCOMPLETE = '/incomplete'

/** What is known of a record without its content: enough for most records of a pull that ended a moment ago. */
export type RevertOutline = Pick<
  RevertCandidate,
  'isCreated' | 'isAnonymised' | 'isRegistered' | 'isHistoryStored'
> & {
  missing_since: string | null
  /** The last change of the record. */
  change_seq: number
  /** How many entries a candidate has, how many of them are of the scope, and the number of the last one. */
  entries: { count: number; inScope: number; last_seq: number | null }
}

/**
 * Whether the record is as the scope has left it, so that it is reverted without a comparison of values: only the scope
 * has changed it, once, or since the scope created it.
 */
export function isAsLeft(outline: RevertOutline): boolean {
  const { isCreated, missing_since, change_seq } = outline
  const { count, inScope, last_seq } = outline.entries
  if (findImpossible(outline) !== null || inScope < count) return false
  if (isCreated) return missing_since === null && (last_seq ?? change_seq) === change_seq
  return count === 1 && last_seq === change_seq
}

/**
 * Returns one entry that decides as these do, with one change for each path. The entries of a record with a long history are read
 * and folded in steps.
 */
export function foldEntries(
  entries: RevertCandidate['entries'],
  isCreated: boolean,
): RevertCandidate['entries'] {
  const changes = [...traceScope(entries, isCreated)].map(([path, { base, given }]) => ({
    path,
    ...(base === undefined ? {} : { before: base }),
    ...(given === undefined ? {} : { after: given }),
  }))
  return [{ isInScope: true, changes }]
}

/** The outcome that `decideRevert` gives, without the values of the write. */
export function decideOutcome(candidate: RevertCandidate): DecidedOutcome {
  const compared = compareScope(candidate)
  return 'paths' in compared ? { outcome: 'reverted' } : compared
}

/** @param at the time of the revert: since when a record that the scope created is missing. RFC 3339. */
export function decideRevert(candidate: RevertCandidate, at: string): RevertDecision {
  const compared = compareScope(candidate)
  if (!('paths' in compared)) return compared
  const { record, isCreated } = candidate
  const { data, paths } = compared
  if (isCreated) {
    return {
      outcome: 'reverted',
      next: { ...record, missing_since: at },
      changes: [missingChange(at)],
      refused: [{ path: EXISTENCE, refused: hashContent(record.full_name, data) }],
    }
  }
  const next: RevertibleContent = { ...record }
  const changes: RecordChange[] = []
  const refused: RefusedPath[] = []
  let isDataChanged = false
  for (const [path, { base, given }] of paths) {
    if (isSameValue(base, given)) continue
    changes.push(toChange(path, given, base))
    const key = dataKeyOf(path)
    if (key !== null) {
      isDataChanged = true
      if (base === undefined) delete data[key]
      else data[key] = base
      refused.push({ path: toHoldPath(path), refused: hashValue(given) })
    } else if (path === '/full_name') {
      next.full_name = String(base)
      refused.push({ path, refused: hashValue(given) })
    } else if (path === INCOMPLETE) {
      next.incomplete = base === true
    } else if (path === MISSING_PATH) {
      next.missing_since = typeof base === 'string' ? base : null
      refused.push(refusedPresence(record, given))
    }
  }
  // Whether the hub has the whole record is no value of the platform: nothing could hold it, or lift its hold.
  if (changes.every(({ path }) => path === INCOMPLETE)) {
    return { outcome: 'reverted', next: record, changes: [], refused: [] }
  }
  if (isDataChanged) next.data = stringifyLossless(data)
  return { outcome: 'reverted', next, changes, refused }
}

function findImpossible({
  isAnonymised,
  isRegistered,
  isHistoryStored,
}: Pick<
  RevertCandidate,
  'isAnonymised' | 'isRegistered' | 'isHistoryStored'
>): ImpossibleReason | null {
  if (isAnonymised) return 'anonymised'
  if (!isRegistered) return 'module_not_registered'
  return isHistoryStored ? null : 'history_deleted'
}

/** Compares each path of the scope with its value now. */
function compareScope(
  candidate: RevertCandidate,
): NotReverted | { data: ReturnType<typeof parseData>; paths: Map<string, TracedPath> } {
  const { record, isCreated, entries } = candidate
  const reason = findImpossible(candidate)
  if (reason !== null) return { outcome: 'impossible', reason }
  const data = parseData(record.data)
  const paths = traceScope(entries, isCreated)
  for (const [path, { given }] of paths) {
    if (!isSameValue(currentValue(record, data, path), given)) return { outcome: 'kept', path }
  }
  if (isCreated && record.missing_since !== null) return { outcome: 'kept', path: MISSING_PATH }
  return { data, paths }
}

/** What the scope gave a path last, and the value that the path had without the scope. */
type TracedPath = { base: Value; given: Value }

/**
 * Follows each path through the entries. The base of a path is the value before the first write of the scope; if another
 * writer has set another value between two writes of the scope, it is that value.
 */
function traceScope(
  entries: RevertCandidate['entries'],
  isCreated: boolean,
): Map<string, TracedPath> {
  const paths = new Map<string, TracedPath>()
  for (const { isInScope, changes } of entries) {
    for (const { path, before, after } of changes) {
      const known = paths.get(path)
      if (isInScope) {
        const base = known && isSameValue(known.given, before) ? known.base : before
        paths.set(path, { base, given: after })
      } else if (isCreated && !known) {
        // The creation itself has no entry: it gave the value that the first change has replaced.
        paths.set(path, { base: undefined, given: before })
      }
    }
  }
  return paths
}

function currentValue(
  record: RevertibleContent,
  data: Readonly<Record<string, JsonValue | undefined>>,
  path: string,
): Value {
  const key = dataKeyOf(path)
  if (key !== null) return Object.hasOwn(data, key) ? data[key] : undefined
  if (path === '/full_name') return record.full_name
  if (path === INCOMPLETE) return record.incomplete
  return record.missing_since
}

/** A record that the scope marked as missing is held as present, and one that it brought back as missing. */
function refusedPresence(record: RevertibleContent, given: Value): RefusedPath {
  return typeof given === 'string'
    ? { path: MISSING_PATH, refused: '' }
    : { path: EXISTENCE, refused: hashContent(record.full_name, parseData(record.data)) }
}

function toChange(path: string, before: Value, after: Value): RecordChange {
  return {
    path,
    ...(before === undefined ? {} : { before: stringifyLossless(before) }),
    ...(after === undefined ? {} : { after: stringifyLossless(after) }),
  }
}
