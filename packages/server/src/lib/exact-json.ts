/**
 * JSON that keeps every number as it was written. A number that a double cannot hold as written
 * (2^53+1, 1.10, 1e2, -0) is held as a raw JSON value (`JSON.rawJSON`), which `JSON.stringify`
 * writes back verbatim; every other value is what `JSON.parse` gives.
 */

/** What `JSON.rawJSON` gives: a number token that is written back as it was read. */
export interface RawNumber {
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
 * Finds number tokens that might not survive a double: 16 or more digits, an exponent, a trailing
 * zero after the point, a negative zero, or so small that a double prints an exponent. It may see
 * one where there is none (inside a string), which costs only time; it never misses one. Every
 * alternative begins where a run begins, so the search is linear in the text.
 */
const DOUBTFUL_NUMBER =
  /(?:(?<![\d.])[\d.]{16,}|\d[eE][+-]?\d+|\.\d*0|-0|0\.000000\d*)(?=[\s,\]}]|$)/

/**
 * Parses JSON so that {@link stringifyExact} gives back its numbers verbatim.
 * @throws SyntaxError where the text is no JSON.
 */
export function parseExact(text: string): JsonValue {
  return DOUBTFUL_NUMBER.test(text) ? JSON.parse(text, keepNumber) : JSON.parse(text)
}

function keepNumber(_key: string, value: unknown, context: { source?: string }): unknown {
  if (typeof value !== 'number' || context.source === undefined) return value
  return context.source === String(value) ? value : JSON.rawJSON(context.source)
}

/** Writes a value as JSON text; numbers as they were read. */
export function stringifyExact(value: JsonValue): string {
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
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  let text = '{'
  for (const key of Object.keys(value).sort()) {
    const member = value[key]
    if (member === undefined) continue
    text += `${text.length > 1 ? ',' : ''}${JSON.stringify(key)}:${canonicalText(member)}`
  }
  return `${text}}`
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
  for (const [key, member] of Object.entries(value)) {
    if (key === '__proto__') return 'proto_key'
    if (typeof member !== 'object') continue
    const unsafe = findUnsafeJson(member, maxDepth - 1)
    if (unsafe) return unsafe
  }
  return null
}
