/** What the specification says of reverts and holds: a part of the reference model. It shares no code with the hub. */
import type { Data, ModelRecord } from './model.ts'

/** Who wrote a record. `at` is the time of the hub. */
export type Writer =
  | { kind: 'push'; at: number }
  | { kind: 'pull'; pull_id: number }
  | { kind: 'revert'; revert_id: number }

export type Value = string | number | boolean | null
/** The value of each path. A key that a record does not have is not in it. */
export type Values = ReadonlyMap<string, Value>

/** A write that changed a record, with all values before and after it. */
export type ModelEntry = { by: Writer; before: Values; after: Values }

export type ModelHold =
  | { revert_id: number; kind: 'values'; refused: ReadonlyMap<string, Value | undefined> }
  | { revert_id: number; kind: 'existence'; name: string; data: Data }
  | { revert_id: number; kind: 'absence' }

/** What belongs to a revert, and whether it is a part of its scope. */
export type ModelScope = {
  isOfScope: (by: Writer, position: { index: number; count: number }) => boolean
  createsRecords: boolean
}

export type Content = Pick<ModelRecord, 'name' | 'data' | 'incomplete' | 'missingSince'>

export const NAME = '/full_name'
const INCOMPLETE = '/incomplete'
export const MISSING = '/missing_since'
const DATA = '/data/'

export function valuesOf({ name, data, incomplete, missingSince }: Content): Values {
  const keys = [...data].map(([key, value]): [string, Value] => [`${DATA}${key}`, value])
  return new Map<string, Value>([
    [NAME, name],
    [INCOMPLETE, incomplete],
    [MISSING, missingSince],
    ...keys,
  ])
}

export function toContent(values: Values): Content {
  const missing = values.get(MISSING)
  const keys = [...values].filter(([path]) => path.startsWith(DATA))
  return {
    name: String(values.get(NAME)),
    data: new Map(keys.map(([path, value]) => [path.slice(DATA.length), toText(value)])),
    incomplete: values.get(INCOMPLETE) === true,
    missingSince: typeof missing === 'number' ? missing : null,
  }
}

function toText(value: Value): string | null {
  return value === null ? null : String(value)
}

export type ModelDecision =
  | { outcome: 'kept' }
  /** `next` has no time since when a created record is missing: the hub chooses it. */
  | { outcome: 'reverted'; next: Content; isCreated: boolean; isChanged: boolean; holds: NewHold[] }

type NewHold = ModelHold extends infer Hold
  ? Hold extends ModelHold
    ? Omit<Hold, 'revert_id'>
    : never
  : never

/** Decides what a revert does to a record as it is now. */
export function decideModel(record: ModelRecord, scope: ModelScope): ModelDecision {
  const { history, createdBy } = record
  const current = valuesOf(record)
  const count = history.length
  const isCreated = scope.createsRecords && scope.isOfScope(createdBy, { index: -1, count })
  const given = new Map<string, Value | undefined>()
  const former = new Map<string, Value | undefined>()
  for (const [index, { by, before, after }] of history.entries()) {
    const isOfScope = scope.isOfScope(by, { index, count })
    for (const path of new Set([...before.keys(), ...after.keys()])) {
      const [old, set] = [before.get(path), after.get(path)]
      if (old === set) continue
      if (isOfScope) {
        // What another writer has set between two writes of the scope is not taken back.
        if (!given.has(path) || given.get(path) !== old) former.set(path, old)
        given.set(path, set)
      } else if (isCreated && !given.has(path)) given.set(path, old)
    }
  }
  for (const [path, value] of given) if (current.get(path) !== value) return { outcome: 'kept' }
  const { name, data } = record
  if (isCreated) {
    if (record.missingSince !== null) return { outcome: 'kept' }
    const holds: NewHold[] = [{ kind: 'existence', name, data }]
    return { outcome: 'reverted', next: record, isCreated, isChanged: true, holds }
  }
  const next = new Map(current)
  const refused = new Map<string, Value | undefined>()
  const holds: NewHold[] = []
  let isChanged = false
  for (const [path, value] of former) {
    const last = given.get(path)
    if (value === last) continue
    // That the scope has completed the record is taken back only together with a value.
    if (path !== INCOMPLETE) isChanged = true
    if (value === undefined) next.delete(path)
    else next.set(path, value)
    if (path === MISSING) {
      holds.push(last === null ? { kind: 'existence', name, data } : { kind: 'absence' })
    } else if (path !== INCOMPLETE) refused.set(path, last)
  }
  if (refused.size > 0) holds.push({ kind: 'values', refused })
  return {
    ...{ outcome: 'reverted', isCreated, isChanged, holds },
    next: isChanged ? toContent(next) : record,
  }
}

/**
 * What a write sets: a POST all paths, a PATCH those that it contains, both without those that a later push has set, and a
 * pull those that it contains or its manifest names.
 */
export type Setting = { isWhole: boolean; sets: (path: string) => boolean }

export function holdBack<State extends Content>(
  stored: Content & Pick<ModelRecord, 'holds'>,
  result: State,
  { isWhole, sets }: Setting,
): { state: State; holds: ModelHold[]; isHeld: boolean } {
  const kept = new Set<string>()
  const holds: ModelHold[] = []
  const wanted = valuesOf(result)
  for (const hold of stored.holds) {
    if (hold.kind !== 'values') continue
    const compared = [...hold.refused].filter(([path]) => sets(path))
    const isRefused =
      compared.length > 0 && compared.every(([path, value]) => wanted.get(path) === value)
    if (isRefused) for (const [path] of compared) kept.add(path)
    if (isRefused || !isWhole || compared.length === 0) holds.push(hold)
  }
  let state = keep(result, stored, kept)
  const left = state
  for (const hold of stored.holds) {
    if (hold.kind !== 'existence') continue
    // A PATCH brings no record back, and a whole write does only by another value.
    if (!isWhole) {
      state = { ...state, missingSince: stored.missingSince }
      kept.add(MISSING)
    } else if (findOther(hold, [wanted, valuesOf(left)], sets) === null) {
      const { name, data, incomplete, missingSince } = stored
      state = { ...state, name, data, incomplete, missingSince }
      kept.add('')
    } else continue
    holds.push(hold)
  }
  if (kept.size > 0) state = { ...state, incomplete: stored.incomplete }
  return { state, holds, isHeld: kept.size > 0 }
}

function keep<State extends Content>(result: State, stored: Content, kept: Set<string>): State {
  if (kept.size === 0) return result
  const [values, old] = [new Map(valuesOf(result)), valuesOf(stored)]
  for (const path of kept) {
    const value = old.get(path)
    if (value === undefined) values.delete(path)
    else values.set(path, value)
  }
  const { name, data } = toContent(values)
  return { ...result, name, data }
}

/** A path of the content that a hold refuses which a write sets, and where no side has the refused value; null without one. */
function findOther(
  { name, data }: { name: string; data: Data },
  sides: Values[],
  sets: Setting['sets'],
): string | null {
  const refused: [string, Value][] = [[NAME, name]]
  for (const [key, value] of data) refused.push([`${DATA}${key}`, value])
  for (const [path, value] of refused) {
    if (sets(path) && sides.every((side) => side.get(path) !== value)) return path
  }
  return null
}

/** Whether a hold refuses what a revert makes of its record, which ends the hold. */
export function isContradicted(hold: ModelHold, next: Content): boolean {
  if (hold.kind === 'absence') return next.missingSince !== null
  const values = valuesOf(next)
  if (hold.kind === 'existence') {
    return next.missingSince === null && findOther(hold, [values], () => true) === null
  }
  return [...hold.refused].every(([path, value]) => values.get(path) === value)
}

/** The paths of holds as rows name them. */
export function pathsOfHold(hold: ModelHold): string[] {
  if (hold.kind === 'values') return [...hold.refused.keys()]
  return [hold.kind === 'existence' ? '' : MISSING]
}
