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
import { type JsonText, textOf } from '../record/json-text.ts'
import { type PushedContent, pointerTo } from '../record/record.ts'
import { dataKeyOf } from '../record/record-history.ts'

/** The path of a hold on existence: the record stays missing while writes have the refused name and keys. */
export const EXISTENCE = ''
/** The path of a hold on absence: the record is not marked as missing until an element of it arrives. */
export const MISSING_PATH = '/missing_since'
const NAME = '/full_name'

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

/** What a hold on existence refuses: the hash of the name and of each key, as JSON text. */
export function hashContent(full_name: string, data: JsonObject): string {
  const keys = Object.keys(data).map((key) => [toHoldPath(pointerTo(key)), hashValue(data[key])])
  return JSON.stringify(Object.fromEntries([[NAME, hashValue(full_name)], ...keys]))
}

function readContentHashes(refused: string): RefusedPath[] {
  const hashes: Record<string, string> = JSON.parse(refused)
  return Object.entries(hashes).map(([path, refused]) => ({ path, refused }))
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
 * of these lifts them. A hold on existence is on all paths of the refused content in the same way, so that a key that is
 * added lifts nothing. A PATCH lifts nothing but holds on absence.
 */
export function decideHolds(holds: readonly Hold[], write: HeldWrite): HoldDecision {
  const kept = new Set<string>()
  const lifted: HoldDecision['lifted'] = []
  const groups = Map.groupBy(holds, ({ revert_id, path }) => `${revert_id} ${kindOf(path)}`)
  if (groups.size === 0) return { kept, lifted }
  const { stored, result, sides, isWhole } = write
  const isResult = valueComparer(result.full_name, sides.result)
  const isStored = valueComparer(stored.full_name, sides.stored)
  const isLeft = (one: RefusedPath) => kept.has(one.path) && isStored(one)
  // Existence last: with the values that other holds keep, the content may be the refused one.
  const inOrder = [...groups.values()].sort(
    (one, other) => Number(isOfExistence(one)) - Number(isOfExistence(other)),
  )
  for (const group of inOrder) {
    const [first] = group
    if (!first) continue
    const { revert_id } = first
    const kind = kindOf(first.path)
    if (kind === 'absence') {
      lifted.push({ revert_id, kind })
    } else if (kind === 'existence') {
      const compared = readContentHashes(first.refused).filter(({ path }) => write.sets(path))
      if (!isWhole) kept.add(MISSING_PATH)
      else if (compared.every((one) => isResult(one) || isLeft(one))) kept.add(EXISTENCE)
      else lifted.push({ revert_id, kind })
    } else {
      const compared = group.filter(({ path }) => write.sets(path))
      if (compared.length === 0) continue
      if (compared.every(isResult)) for (const { path } of compared) kept.add(path)
      else if (isWhole) lifted.push({ revert_id, kind })
    }
  }
  return { kept, lifted }
}

function isOfExistence([first]: readonly Hold[]): boolean {
  return first?.path === EXISTENCE
}

/** Returns the function that compares the value at a path with the refused one. */
function valueComparer(
  full_name: string,
  readMembers: () => MemberTexts,
): (refused: RefusedPath) => boolean {
  let findKey: ReturnType<typeof keyFinder> | null = null
  const valueAt = (path: string) => {
    findKey ??= keyFinder(readMembers())
    const key = findKey(path)
    if (key === null) return full_name
    const text = readMembers().get(key)
    return text === undefined ? undefined : parseLossless(text)
  }
  return ({ path, refused }) => hashValue(valueAt(path)) === refused
}

/** What a write contains, as far as it decides which paths the write sets. */
export type SettingContent =
  | PushedContent
  | { source: 'pull'; data: JsonText; manifest_keys: ReadonlySet<string> }

/**
 * Returns which paths of holds a write sets: a pull the name, its keys and those of the manifest, a POST all, a PATCH those
 * that it contains, and with `occurred_at` none that a later push has set.
 */
export function pathsSetBy(content: SettingContent, clocks: FieldClocks | null): HeldWrite['sets'] {
  const keys = () => readMemberTexts(textOf(content.data)).keys()
  const contains = (paths: string[]) => {
    const setPaths = new Set(paths.map(toHoldPath))
    return (path: string) => setPaths.has(path)
  }
  if (content.source === 'pull') {
    return contains([NAME, ...[...keys(), ...content.manifest_keys].map(pointerTo)])
  }
  const isSet = (path: string) => canSet(clocks, path, content.occurred_at)
  if (content.source === 'POST') {
    const isLeft = contains(Object.keys(clocks ?? {}).filter((path) => !isSet(path)))
    return (path) => !isLeft(path)
  }
  const paths = [...keys()].map(pointerTo)
  return contains([...paths, ...(content.full_name === null ? [] : [NAME])].filter(isSet))
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
    ...(kept.has(NAME) ? { full_name } : {}),
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
