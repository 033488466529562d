/**
 * Holds: what keeps the values that a revert has taken back from coming back with the next pull or push. Pure decisions.
 */
import {
  canonicalText,
  type JsonObject,
  type JsonValue,
  parseLossless,
} from '@recordhub/protocol/lossless-json'
import { sha256 } from '../../lib/crypto/hash.ts'
import {
  formatMembers,
  isSameText,
  type MemberTexts,
  readMemberTexts,
} from '../../lib/json/member-texts.ts'
import { isStorableText } from '../../lib/text/code-points.ts'
import { canSet, type FieldClocks } from '../record/field-clocks.ts'
import { textOf } from '../record/json-text.ts'
import { type PushedContent, parseData, pointerTo } from '../record/record.ts'
import { dataKeyOf } from '../record/record-history.ts'

/** The path of a hold on existence: the record stays missing while writes have the refused name and data. */
export const EXISTENCE = ''
/** The path of a hold on absence: the record is not marked as missing until an element of it arrives. */
export const MISSING_PATH = '/missing_since'

/** Longer paths do not fit into an index of PostgreSQL. */
const MAX_PATH_LENGTH = 500
/** No JSON Pointer contains it. */
const HASHED = '/data/~sha256:'

/** The path of a hold on a value. That of a key which the databases cannot store or index contains the key's hash. */
export function toHoldPath(path: string): string {
  if (path.length <= MAX_PATH_LENGTH && isStorableText(path)) return path
  return HASHED + sha256(JSON.stringify(path))
}

/** Returns the function that finds the key of a hold's path in the data; null for a path of something else. */
function keyFinder(...data: readonly MemberTexts[]): (path: string) => string | null {
  let hashed: Map<string, string> | null = null
  return (path) => {
    if (!path.startsWith(HASHED)) return dataKeyOf(path)
    const keys = () => data.flatMap((members) => [...members.keys()])
    hashed ??= new Map(keys().map((key) => [toHoldPath(pointerTo(key)), key]))
    // A key that neither side has stands for no value.
    return hashed.get(path) ?? path
  }
}

/** A path, and the hash of the value that does not come back. Of absence there is no value: the hash is empty. */
export type RefusedPath = { path: string; refused: string }

export type Hold = RefusedPath & { revert_id: number }

export type HoldKind = 'values' | 'existence' | 'absence'

export function kindOf(path: string): HoldKind {
  if (path === EXISTENCE) return 'existence'
  return path === MISSING_PATH ? 'absence' : 'values'
}

/** The hash of a value in canonical form, so that the order of keys does not lift a hold. */
export function hashValue(value: JsonValue | undefined): string {
  return value === undefined ? 'absent' : sha256(canonicalText(value))
}

export function hashContent(full_name: string, data: JsonObject): string {
  return hashValue([full_name, data])
}

/** The state of a record as far as holds decide about it. */
type HeldState = {
  full_name: string
  /** Lossless JSON text of an object. */
  data: string
  missing_since: string | null
}

/** The members of the data of a record and of the result of a write, read when they are first needed. */
export type Sides = { stored: () => MemberTexts; result: () => MemberTexts }

export function readSides(stored: string, result: string): Sides {
  const readOnce = (text: string) => {
    let members: MemberTexts | null = null
    return () => (members ??= readMemberTexts(text))
  }
  return { stored: readOnce(stored), result: readOnce(result) }
}

/** A write whose holds are decided. */
export type HeldWrite = {
  stored: HeldState
  /** What the record would be without holds. */
  result: HeldState
  /** The data of both. */
  sides: Sides
  /** Whether it is a write of the whole record, as all but PATCH are. */
  isWhole: boolean
  /** Whether it sets the path of a hold. */
  sets: (path: string) => boolean
}

export type HoldDecision = {
  /** The paths that stay as they are; `EXISTENCE` for the whole record. */
  kept: ReadonlySet<string>
  /** The holds that end. */
  lifted: { revert_id: number; kind: HoldKind }[]
}

/**
 * Decides which paths a write leaves as they are, and which holds it lifts. The holds of one revert belong together: they
 * hold only a write that has the refused value at all of their paths that it sets. A whole write with another value at any
 * of these lifts them. A PATCH lifts nothing but holds on absence.
 */
export function decideHolds(holds: readonly Hold[], write: HeldWrite): HoldDecision {
  const kept = new Set<string>()
  const lifted: HoldDecision['lifted'] = []
  const groups = Map.groupBy(holds, ({ revert_id, path }) => `${revert_id} ${kindOf(path)}`)
  if (groups.size === 0) return { kept, lifted }
  // Existence last: with the values that other holds keep, the content may be the refused one.
  const inOrder = [...groups.values()].sort(
    (one, other) => Number(isOfExistence(one)) - Number(isOfExistence(other)),
  )
  for (const group of inOrder) {
    const [first] = group
    if (!first) continue
    const kind = kindOf(first.path)
    if (kind === 'absence') {
      lifted.push({ revert_id: first.revert_id, kind })
    } else if (kind === 'existence') {
      if (isRefusedContent(write, kept, first.refused)) kept.add(EXISTENCE)
      else if (!write.isWhole) kept.add(MISSING_PATH)
      else lifted.push({ revert_id: first.revert_id, kind })
    } else {
      const members = write.sides.result()
      const findKey = keyFinder(members)
      const compared = group.filter(({ path }) => write.sets(path))
      const isRefused = ({ path, refused }: Hold) =>
        hashValue(resultAt(write.result, members, findKey(path))) === refused
      if (compared.length === 0) continue
      if (compared.every(isRefused)) for (const { path } of compared) kept.add(path)
      else if (write.isWhole) lifted.push({ revert_id: first.revert_id, kind })
    }
  }
  return { kept, lifted }
}

function isOfExistence([first]: readonly Hold[]): boolean {
  return first?.path === EXISTENCE
}

/** Whether a write sends the refused content, or what the other holds leave of it is the refused content. */
function isRefusedContent(
  { stored, result, sides }: HeldWrite,
  kept: ReadonlySet<string>,
  refused: string,
): boolean {
  if (hashContent(result.full_name, parseData(result.data)) === refused) return true
  if (kept.size === 0) return false
  const full_name = kept.has('/full_name') ? stored.full_name : result.full_name
  return hashContent(full_name, parseData(keepKeys(sides, kept))) === refused
}

function resultAt(
  result: HeldState,
  members: MemberTexts,
  key: string | null,
): JsonValue | undefined {
  if (key === null) return result.full_name
  const text = members.get(key)
  return text === undefined ? undefined : parseLossless(text)
}

/**
 * Returns which paths of holds a push sets: a POST all, a PATCH those that it contains, and with `occurred_at` none that a
 * later push has set.
 */
export function pathsSetBy(
  { source, full_name, data, occurred_at }: PushedContent,
  clocks: FieldClocks | null,
): HeldWrite['sets'] {
  const isSet = (path: string) => canSet(clocks, path, occurred_at)
  if (source === 'POST') {
    const left = Object.keys(clocks ?? {}).filter((path) => !isSet(path))
    const leftPaths = new Set(left.map(toHoldPath))
    return (path) => !leftPaths.has(path)
  }
  const keys = [...readMemberTexts(textOf(data)).keys()].map(pointerTo)
  const paths = full_name === null ? keys : [...keys, '/full_name']
  const setPaths = new Set(paths.filter(isSet).map(toHoldPath))
  return (path) => setPaths.has(path)
}

/** Returns the result of a write with the held paths as they are stored. */
export function keepHeld<State extends HeldState & { incomplete: boolean }>(
  result: State,
  stored: HeldState & { incomplete: boolean },
  { kept, sides }: { kept: ReadonlySet<string>; sides: Sides },
): State {
  if (kept.size === 0) return result
  const { full_name, data, missing_since, incomplete } = stored
  // A write that is not stored completely does not complete the record.
  if (kept.has(EXISTENCE)) {
    return { ...result, full_name, data, missing_since, incomplete }
  }
  const next = {
    ...result,
    incomplete,
    ...(kept.has(MISSING_PATH) ? { missing_since } : {}),
    ...(kept.has('/full_name') ? { full_name } : {}),
  }
  if (![...kept].some(isOfData)) return next
  const left = keepKeys(sides, kept)
  return { ...next, data: isSameText(left, data) ? data : left }
}

const isOfData = (path: string) => path.startsWith('/data/')

/** The data of the result with the held keys as they are stored. */
function keepKeys(sides: Sides, kept: ReadonlySet<string>): string {
  const stored = sides.stored()
  const left = new Map(sides.result())
  const findKey = keyFinder(left, stored)
  for (const path of kept) {
    const key = findKey(path)
    if (key === null) continue
    const text = stored.get(key)
    if (text === undefined) left.delete(key)
    else left.set(key, text)
  }
  return formatMembers(left)
}
