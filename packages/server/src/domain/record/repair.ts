/** The same change to many rejected pushes: a rule of data, and the proposal of one for a module that is not registered. */
import type { RepairChange } from '@recordhub/protocol'
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'

/**
 * Applies changes in their order. A change that does not apply to a body, because the member is absent, is not text, or
 * would overwrite another one, leaves the body as it is.
 */
export function applyChanges(
  body: JsonValue,
  changes: readonly RepairChange[],
): { body: JsonValue; isChanged: boolean } {
  const changed = changes.reduce(applyChange, body)
  return { body: changed, isChanged: stringifyLossless(changed) !== stringifyLossless(body) }
}

function applyChange(body: JsonValue, change: RepairChange): JsonValue {
  const names = change.path.slice(1).split('/').map(unescapeName)
  return changeParent(body, names.slice(0, -1), (parent) =>
    changeMember(parent, names.at(-1) ?? '', change),
  )
}

/** The names in a JSON Pointer (RFC 6901). */
function unescapeName(text: string): string {
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}

function changeParent(
  value: JsonValue,
  [name, ...names]: readonly string[],
  apply: (parent: JsonObject) => JsonObject,
): JsonValue {
  if (!isJsonObject(value)) return value
  if (name === undefined) return apply(value)
  const member = memberOf(value, name)
  if (member === undefined) return value
  return withMember(value, name, changeParent(member, names, apply))
}

function changeMember(parent: JsonObject, name: string, change: RepairChange): JsonObject {
  const value = memberOf(parent, name)
  switch (change.op) {
    case 'set':
      return withMember(parent, name, toJson(change.value))
    case 'default':
      return value === undefined || value === null
        ? withMember(parent, name, toJson(change.value))
        : parent
    case 'rename':
      return value === undefined || memberOf(parent, change.to) !== undefined
        ? parent
        : mapMembers(parent, (key, one) => [key === name ? change.to : key, one])
    case 'remove':
      return Object.fromEntries(Object.entries(parent).filter(([key]) => key !== name))
    case 'to_number':
      return typeof value === 'string' ? withMember(parent, name, toNumber(value)) : parent
    case 'to_text':
      return value === undefined || isTextOrContainer(value)
        ? parent
        : withMember(parent, name, stringifyLossless(value))
    case 'trim':
      return typeof value === 'string' ? withMember(parent, name, value.trim()) : parent
  }
}

function memberOf(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** Sets a member in its place, or as the last one. */
function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  if (!Object.hasOwn(object, name)) return { ...object, [name]: value }
  return mapMembers(object, (key, one) => [key, key === name ? value : one])
}

function mapMembers(
  object: JsonObject,
  map: (key: string, value: JsonValue) => [string, JsonValue],
): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => map(key, value)))
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The number with the digits of the text; the text itself if it is none. */
function toNumber(text: string): JsonValue {
  const trimmed = text.trim()
  return NUMBER.test(trimmed) ? parseLossless(trimmed) : text
}

/** Null has no text that says so. */
function isTextOrContainer(value: JsonValue): boolean {
  return value === null || typeof value === 'string' || Array.isArray(value) || isJsonObject(value)
}

/** A value of a request, which is parsed as lossless JSON. */
function toJson(value: unknown): JsonValue {
  return parseLossless(JSON.stringify(value) ?? 'null')
}

type Module = { record_type: string; module_name: string }
type ModuleProposal = Module & { reason: 'name' | 'plural' | 'spelling' }

/**
 * Proposes the module that was probably meant by a record type that is not registered: one whose type or name is the same
 * except for case, spaces and accents, or in the plural, or in one or two letters. Null if there is none, or more than one.
 */
export function proposeModule(sent: string, modules: readonly Module[]): ModuleProposal | null {
  const wanted = normalise(sent)
  if (wanted === '') return null
  const rules = [
    ['name', (name: string) => name === wanted],
    ['plural', (name: string) => singular(name) === singular(wanted)],
    ['spelling', (name: string) => isNear(name, wanted)],
  ] as const
  for (const [reason, matches] of rules) {
    const found = modules.filter(({ record_type, module_name }) =>
      [record_type, module_name].map(normalise).some((name) => name !== '' && matches(name)),
    )
    const [module] = found
    if (module) return found.length === 1 ? { ...module, reason } : null
  }
  return null
}

function normalise(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/(?<=x|ch|sh|ss)es$|(?<=[^s])s$/, '')
}

/** Shorter names with one difference are too often other words. */
const MIN_LENGTH = 4
const MIN_LENGTH_FOR_TWO = 8
const MAX_LENGTH = 100

function isNear(name: string, wanted: string): boolean {
  const length = Math.min(name.length, wanted.length)
  if (length < MIN_LENGTH || Math.max(name.length, wanted.length) > MAX_LENGTH) return false
  return editDistance(name, wanted) <= (length < MIN_LENGTH_FOR_TWO ? 1 : 2)
}

/** The number of letters that are added, removed, replaced, or exchanged with their neighbour. */
function editDistance(one: string, other: string): number {
  let before: number[] = []
  let row = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1]
      const isExchanged = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (isSame ? 0 : 1),
        i > 1 && j > 1 && isExchanged ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = row
    row = next
  }
  return row[other.length] ?? 0
}
