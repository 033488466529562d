/**
 * Lossless JSON preserves the digits of numbers. A number that a double does not represent as written (2^53+1, 1.10, 1e2,
 * -0) becomes a raw JSON value (`JSON.rawJSON`), which `JSON.stringify` writes verbatim. All other values are those of
 * `JSON.parse`.
 */
import { trimTrailing } from './text.ts'

/** The result of `JSON.rawJSON`. */
export interface RawNumber {
  readonly rawJSON: string
}
/** JSON in which `Raw` represents the numbers that a double does not represent as written. */
export type Json<Raw> = null | boolean | number | string | Raw | Json<Raw>[] | JsonMembers<Raw>
type JsonMembers<Raw> = { [key: string]: Json<Raw> }
export type JsonValue = Json<RawNumber>
export type JsonObject = JsonMembers<RawNumber>

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

/** The text is not JSON. Its message quotes only NaN and Infinity: the text may contain personal data. */
export class JsonSyntaxError extends SyntaxError {
  /** The position of the first invalid character, from 1; null if the text is nested too deeply. */
  readonly position: number | null

  /** @param rest the beginning of the text from there. */
  constructor(position: number | null, rest = '') {
    const [token] = /^-?(?:NaN|Infinity)/.exec(rest) ?? []
    super(
      position === null
        ? 'it is nested too deeply'
        : token
          ? `it contains ${token} at position ${position}, which JSON does not have; send null`
          : `unexpected character at position ${position}`,
    )
    this.position = position
  }
}

/**
 * Parses JSON so that {@link stringifyLossless} writes its numbers verbatim.
 * @throws JsonSyntaxError if the text is not JSON, or is nested too deeply.
 */
export function parseLossless(text: string): JsonValue {
  return parseJson(text, JSON.rawJSON)
}

/**
 * Parses JSON, with another representation of the numbers that a double does not represent as written.
 * @throws JsonSyntaxError as {@link parseLossless}.
 */
export function parseJson<Raw>(text: string, toRawNumber: (token: string) => Raw): Json<Raw> {
  // V8 may read a key with an escape as another key that it has read before
  // (https://github.com/nodejs/node/issues/63785), so texts with such keys are left to our own parser.
  if (!hasEscapedKey(text) && !hasInexactNumber(text)) {
    try {
      return JSON.parse(text)
    } catch {
      // Our own parser finds the position of the error.
    }
  }
  try {
    return new Parser(text, toRawNumber).parse()
  } catch (error) {
    if (error instanceof RangeError) throw new JsonSyntaxError(null)
    throw error
  }
}

/** The number that a JSON token stands for; null if the text is not a JSON number, such as NaN or 007. */
export function parseNumber(token: string): number | RawNumber | null {
  const value = Number(token)
  if (String(value) === token && Number.isFinite(value)) return value
  return readNumberToken(token, 0).length === token.length && token !== ''
    ? JSON.rawJSON(token)
    : null
}

/** The digits of a number without its sign, point, exponent, leading and trailing zeros: `12` of `-0.120e5`. */
export function significantDigits(token: string): string {
  const [mantissa = ''] = token.split(/e/i)
  return trimTrailing(mantissa.replace(/[-.]/g, '').replace(/^0+/, ''), '0')
}

/** Writes a value as JSON, with its numbers as they were read. */
export function stringifyLossless(value: JsonValue): string {
  return JSON.stringify(value)
}

/** True for `{…}`; false for arrays, null and raw numbers, which are objects by `typeof`. */
export function isJsonObject(value: unknown): value is JsonObject {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value)
  )
}

/**
 * The canonical text of a value: keys sorted at every level, numbers verbatim, no spaces. Two values are equal to the
 * hub if and only if their canonical texts are.
 */
export function canonicalText(value: JsonValue): string {
  return JSON.stringify(sortKeys(value))
}

/** Whether the canonical texts of two values are equal, without making these texts: ten times as fast for large objects. */
export function isEqualJson(one: JsonValue, other: JsonValue): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object') return false
  if (one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, index) => isEqualMember(item, other[index]))
  }
  if (!isJsonObject(one) || !isJsonObject(other)) {
    return JSON.stringify(one) === JSON.stringify(other)
  }
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && isEqualMember(one[key], other[key]))
}

function isEqualMember(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return isEqualJson(one, other)
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
 * Finds what makes a parsed value unsafe for every reader: nesting deeper than `maxDepth` (the value itself is level 1)
 * or a `__proto__` key. Null if it is safe.
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
  // `Object.values` takes three times as long for an object of very many keys.
  for (const key of Object.keys(value)) {
    const member: unknown = Reflect.get(value, key)
    if (typeof member !== 'object') continue
    const unsafe = findUnsafeJson(member, maxDepth - 1)
    if (unsafe) return unsafe
  }
  return null
}

const QUOTE = 0x22
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39

/** Whether a double would write any number of the text differently. Skips strings. */
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

/** Digits, and `+ - . e E`. */
function isNumberCode(code: number): boolean {
  if (code >= ZERO && code <= NINE) return true
  return code === 0x2b || code === MINUS || code === 0x2e || code === 0x65 || code === 0x45
}

function isExact(text: string, start: number, end: number): boolean {
  const token = text.slice(start, end)
  return token.length === 1 ? token !== '-' : String(Number(token)) === token
}

/** Finds the quote that ends a string, from a position inside the string; -1 without one. */
export function findClosingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote >= 0) {
    let backslashes = 0
    while (quote - backslashes > from && text[quote - backslashes - 1] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote
    quote = text.indexOf('"', quote + 1)
  }
  return -1
}

/** Whether any key is written with an escape. Moves from backslash to backslash, so most texts cost next to nothing. */
function hasEscapedKey(text: string): boolean {
  let backslash = text.indexOf('\\')
  while (backslash >= 0) {
    const start = text.lastIndexOf('"', backslash)
    const end = findClosingQuote(text, start + 1) + 1
    if (end === 0) return false
    if (isFollowedByColon(text, end)) return true
    backslash = text.indexOf('\\', end)
  }
  return false
}

function isFollowedByColon(text: string, from: number): boolean {
  let at = from
  while (isSpace(text.charCodeAt(at))) at++
  return text[at] === ':'
}

/** Space, tab, line feed, carriage return. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d
}

/** Unlike an assignment, it creates a member for the key `__proto__`, as `JSON.parse` does. */
function defineMember<Value>(object: Record<string, Value>, key: string, value: Value): void {
  const isOpen = { configurable: true, enumerable: true, writable: true }
  Object.defineProperty(object, key, { value, ...isOpen })
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Escapes, and control characters, which are invalid in strings. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const NEEDS_DECODING = /[\\\u0000-\u001f]/

/** The longest JSON number at a position; "" without one. */
function readNumberToken(text: string, at: number): string {
  NUMBER.lastIndex = at
  return NUMBER.exec(text)?.[0] ?? ''
}

const KEYWORDS = [
  ['null', null],
  ['true', true],
  ['false', false],
] as const

/** A recursive descent parser. `JSON.parse` decodes one string at a time, which it does correctly. */
class Parser<Raw> {
  readonly #text: string
  readonly #toRawNumber: (token: string) => Raw
  #at = 0

  constructor(text: string, toRawNumber: (token: string) => Raw) {
    this.#text = text
    this.#toRawNumber = toRawNumber
  }

  parse(): Json<Raw> {
    const value = this.#readValue()
    this.#skipSpace()
    return this.#at === this.#text.length ? value : this.#fail()
  }

  #readValue(): Json<Raw> {
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) === QUOTE) return this.#readString()
    if (this.#take('{')) return this.#readObject()
    if (this.#take('[')) return this.#readArray()
    return this.#readKeywordOrNumber()
  }

  #readObject(): JsonMembers<Raw> {
    const object: JsonMembers<Raw> = {}
    this.#skipSpace()
    if (this.#take('}')) return object
    do {
      this.#skipSpace()
      const key = this.#readString()
      this.#expect(':')
      const value = this.#readValue()
      if (key === '__proto__') defineMember(object, key, value)
      else object[key] = value
      this.#skipSpace()
    } while (this.#take(','))
    this.#expect('}')
    return object
  }

  #readArray(): Json<Raw>[] {
    const items: Json<Raw>[] = []
    this.#skipSpace()
    if (this.#take(']')) return items
    do {
      items.push(this.#readValue())
      this.#skipSpace()
    } while (this.#take(','))
    this.#expect(']')
    return items
  }

  #readString(): string {
    if (this.#text.charCodeAt(this.#at) !== QUOTE) this.#fail()
    const end = findClosingQuote(this.#text, this.#at + 1) + 1
    if (end === 0) this.#fail()
    const content = this.#text.slice(this.#at + 1, end - 1)
    if (!NEEDS_DECODING.test(content)) {
      this.#at = end
      return content
    }
    try {
      const value: string = JSON.parse(this.#text.slice(this.#at, end))
      this.#at = end
      return value
    } catch {
      return this.#fail()
    }
  }

  #readKeywordOrNumber(): Json<Raw> {
    for (const [keyword, value] of KEYWORDS) {
      if (!this.#text.startsWith(keyword, this.#at)) continue
      this.#at += keyword.length
      return value
    }
    const token = readNumberToken(this.#text, this.#at)
    if (token === '') this.#fail()
    this.#at += token.length
    const number = Number(token)
    return String(number) === token ? number : this.#toRawNumber(token)
  }

  #take(sign: string): boolean {
    if (this.#text.charCodeAt(this.#at) !== sign.charCodeAt(0)) return false
    this.#at += 1
    return true
  }

  #expect(sign: string): void {
    this.#skipSpace()
    if (!this.#take(sign)) this.#fail()
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
  }

  #fail(): never {
    throw new JsonSyntaxError(this.#at + 1, this.#text.slice(this.#at, this.#at + 9))
  }
}
