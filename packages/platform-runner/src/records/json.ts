/**
 * JSON that keeps every number as it was written: one that a double would write in another way is held as a
 * raw value, which `JSON.stringify` writes back verbatim.
 */

export interface RawNumber {
  readonly rawJSON: string
}
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | RawNumber
  | JsonValue[]
  | { [key: string]: JsonValue }

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber
    isRawJSON(value: unknown): value is RawNumber
  }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** A number as it is written; null for what JSON cannot say as one, such as NaN. */
export function exactNumber(text: string): number | RawNumber | null {
  const value = Number(text)
  if (String(value) === text && Number.isFinite(value)) return value
  return NUMBER.test(text) ? JSON.rawJSON(text) : null
}

/** @throws SyntaxError where the text is no JSON. */
export function parseExact(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text)
  if (!text.includes('\\') && !hasInexactNumber(text)) return value
  try {
    return readValue({ text, at: 0 })
  } catch (error) {
    if (error instanceof RangeError) throw new SyntaxError('It is nested too deeply.')
    throw error
  }
}

/** Whether an object somewhere has the key `__proto__`, or there are more levels than that. */
export function isOutOfBounds(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value)) return false
  if (levels === 0 || Object.hasOwn(value, '__proto__')) return true
  return Object.values(value).some((member) => isOutOfBounds(member, levels - 1))
}

function hasInexactNumber(text: string): boolean {
  const outsideOfTexts = text.replace(/"[^"]*"/g, '')
  for (const [token] of outsideOfTexts.matchAll(/-?\d[\d.eE+-]*/g)) {
    if (String(Number(token)) !== token) return true
  }
  return false
}

type Reading = { text: string; at: number }

/**
 * Reads what is known to be JSON. Texts by themselves are left to `JSON.parse`: in whole documents V8 may
 * take a key that is written with an escape for another one (nodejs/node#63785).
 */
function readValue(reading: Reading): JsonValue {
  skipSpace(reading)
  const { text, at } = reading
  const first = text[at]
  if (first === '"') return readText(reading)
  if (first === '[') return readList(reading)
  if (first === '{') return readObject(reading)
  const [token = ''] = /[^\s,\]}]+/y.exec(text.slice(at, at + 5)) ?? []
  if (token === 'true' || token === 'false' || token === 'null') {
    reading.at += token.length
    return token === 'null' ? null : token === 'true'
  }
  return readNumber(reading)
}

function readNumber(reading: Reading): JsonValue {
  const pattern = /[-+.\deE]+/y
  pattern.lastIndex = reading.at
  const token = pattern.exec(reading.text)?.[0] ?? ''
  reading.at += token.length
  return exactNumber(token)
}

function readText(reading: Reading): string {
  const start = reading.at
  let end = start + 1
  while (reading.text[end] !== '"') end += reading.text[end] === '\\' ? 2 : 1
  reading.at = end + 1
  const value: string = JSON.parse(reading.text.slice(start, end + 1))
  return value
}

function readList(reading: Reading): JsonValue[] {
  const items: JsonValue[] = []
  while (goesOn(reading, ']')) items.push(readValue(reading))
  return items
}

function readObject(reading: Reading): JsonValue {
  const members: [string, JsonValue][] = []
  while (goesOn(reading, '}')) {
    const key = readText(reading)
    skipSpace(reading)
    reading.at += 1
    members.push([key, readValue(reading)])
  }
  return Object.fromEntries(members)
}

/** Steps over the opening, or the comma; over the end too, where it is there. */
function goesOn(reading: Reading, end: string): boolean {
  skipSpace(reading)
  const isOver = reading.text[reading.at] === end
  reading.at += 1
  if (isOver) return false
  skipSpace(reading)
  if (reading.text[reading.at] !== end) return true
  reading.at += 1
  return false
}

function skipSpace(reading: Reading): void {
  while (' \t\n\r'.includes(reading.text[reading.at] ?? 'x')) reading.at += 1
}
