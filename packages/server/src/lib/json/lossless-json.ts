/**
 * JSON that keeps every number as it was written. A number that a double cannot hold as written
 * (2^53+1, 1.10, 1e2, -0) is held as a raw JSON value (`JSON.rawJSON`), which `JSON.stringify`
 * writes back verbatim; every other value is what `JSON.parse` gives.
 */

/** What `JSON.rawJSON` gives: a number token that is written back as it was read. */
interface RawNumber {
  readonly rawJSON: string
}
export type JsonValue = null | boolean | number | string | RawNumber | JsonValue[] | JsonObject
export type JsonObject = { [key: string]: JsonValue }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
    parse(
      text: string,
      reviver: (key: string, value: unknown, context: { source?: string }) => unknown,
    ): JsonValue
  }
}

/**
 * Parses JSON so that {@link stringifyLossless} gives back its numbers verbatim.
 * @throws SyntaxError where the text is no JSON, or nested too deeply to be handled.
 */
export function parseLossless(text: string): JsonValue {
  try {
    const { renamed, names } = renameEscapedKeys(text)
    const value = parsePlain(renamed)
    return names ? restoreKeys(value, names) : value
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('it is nested too deeply')
    throw error
  }
}

function parsePlain(text: string): JsonValue {
  return hasInexactNumber(text) ? JSON.parse(text, keepNumber) : JSON.parse(text)
}

/** Whether a double would write some number of the text in another way. Jumps over strings. */
function hasInexactNumber(text: string): boolean {
  let at = 0
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = findClosingQuote(text, at + 1) + 1
      if (at === 0) return false
    } else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const start = at
      while (isNumberCode(text.charCodeAt(at))) at++
      if (!isExact(text, start, at)) return true
    } else at++
  }
  return false
}

const QUOTE = 0x22
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** Digits, and `+ - . e E`. */
function isNumberCode(code: number): boolean {
  if (code >= ZERO && code <= NINE) return true
  return code === 0x2b || code === MINUS || code === 0x2e || code === 0x65 || code === 0x45
}

function isExact(text: string, start: number, end: number): boolean {
  const token = text.slice(start, end)
  return token.length === 1 ? token !== '-' : String(Number(token)) === token
}

/** The quote that ends a string, searched from inside of it; -1 where there is none. */
function findClosingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote >= 0) {
    let backslashes = 0
    while (quote - backslashes > from && text[quote - backslashes - 1] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote
    quote = text.indexOf('"', quote + 1)
  }
  return -1
}

/**
 * V8 mistakes a key that is written with an escape for another one that it has met before
 * (https://github.com/nodejs/node/issues/63785); strings that are no keys it reads rightly. So such
 * keys get names without escapes while the text is parsed. Searches from backslash to backslash, so
 * a text without one costs next to nothing.
 */
function renameEscapedKeys(text: string): { renamed: string; names: KeyNames | null } {
  let backslash = text.indexOf('\\')
  if (backslash < 0) return { renamed: text, names: null }
  const names = new KeyNames(text)
  let renamed = ''
  let copied = 0
  while (backslash >= 0) {
    const start = text.lastIndexOf('"', backslash)
    const end = findClosingQuote(text, start + 1) + 1
    if (end === 0 || start < copied) break
    if (isFollowedByColon(text, end)) {
      renamed += text.slice(copied, start) + names.tokenFor(JSON.parse(text.slice(start, end)))
      copied = end
    }
    backslash = text.indexOf('\\', end)
  }
  return { renamed: renamed + text.slice(copied), names: names.isEmpty ? null : names }
}

/** Names without escapes for keys that cannot do without; the same key always gets the same one. */
class KeyNames {
  readonly #mark: string
  readonly #numbers = new Map<string, number>()
  readonly #keys: string[] = []

  constructor(text: string) {
    // One more than the longest run in the text, which thus cannot hold it.
    const longest = (text.match(/\uE000+/g) ?? []).reduce(
      (most, run) => Math.max(most, run.length),
      0,
    )
    this.#mark = '\uE000'.repeat(longest + 1)
  }

  get isEmpty(): boolean {
    return this.#keys.length === 0
  }

  tokenFor(key: string): string {
    const plain = `"${key}"`
    if (JSON.stringify(key) === plain && !key.startsWith(this.#mark)) return plain
    const number = this.#numbers.get(key) ?? this.#keys.push(key) - 1
    this.#numbers.set(key, number)
    return `"${this.#mark}${number}"`
  }

  keyFor(name: string): string {
    if (!name.startsWith(this.#mark)) return name
    return this.#keys[Number(name.slice(this.#mark.length))] ?? name
  }
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from
  while (' \t\n\r'.includes(text.charAt(at)) && at < text.length) at++
  return text[at] === ':'
}

function restoreKeys(value: JsonValue, names: KeyNames): JsonValue {
  if (Array.isArray(value)) return value.map((item) => restoreKeys(item, names))
  if (!isJsonObject(value)) return value
  const entries = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    names.keyFor(name),
    restoreKeys(member, names),
  ])
  return Object.fromEntries(entries)
}

function keepNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  return context.source === String(value) ? value : JSON.rawJSON(context.source)
}

/** Writes a value as JSON text; numbers as they were read. */
export function stringifyLossless(value: JsonValue): string {
  return JSON.stringify(value)
}

/** True for `{…}`; false for arrays, null and raw numbers, which are objects to `typeof`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  )
}

/**
 * The one text of a value: keys sorted at every level, number tokens verbatim, no spaces. Two
 * values are the same to the hub exactly when their canonical texts are.
 */
export function canonicalText(value: JsonValue): string {
  return JSON.stringify(sortKeys(value))
}

function sortKeys(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isJsonObject(value)) return value
  const sorted: JsonObject = {}
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === undefined) continue
    sorted[key] = typeof member === 'object' ? sortKeys(member) : member
  }
  return sorted
}

/**
 * Says what makes a parsed value unacceptable whoever sent it: nesting deeper than `maxDepth` (the
 * value itself is level 1), or a `__proto__` key. Null where nothing does.
 */
export function findUnsafeJson(value: unknown, maxDepth: number): 'too_deep' | 'proto_key' | null {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return null
  if (maxDepth === 0) return 'too_deep'
  if (Array.isArray(value)) {
    for (const item of value) {
      const unsafe = findUnsafeJson(item, maxDepth - 1)
      if (unsafe) return unsafe
    }
    return null
  }
  if (Object.hasOwn(value, '__proto__')) return 'proto_key'
  for (const member of Object.values(value)) {
    if (typeof member !== 'object') continue
    const unsafe = findUnsafeJson(member, maxDepth - 1)
    if (unsafe) return unsafe
  }
  return null
}
