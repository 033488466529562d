/**
 * JSON whose numbers keep the digits in which they were sent: 9007199254740993 and 1.10 are values of
 * platforms, and a browser's own parser would show others.
 */

/** A number that JavaScript would write in another way. */
export class ExactNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const SPACE = /[ \t\n\r]*/y

/**
 * Parses JSON; a number is an {@link ExactNumber} where a `number` would lose what was written.
 * @throws SyntaxError where the text is no JSON.
 */
export function parseExact(text: string): unknown {
  let at = 0

  function skip(): void {
    SPACE.lastIndex = at
    SPACE.test(text)
    at = SPACE.lastIndex
  }

  function fail(): never {
    throw new SyntaxError(`Invalid JSON at character ${at + 1}`)
  }

  function take(sign: string): boolean {
    skip()
    if (text[at] !== sign) return false
    at += 1
    return true
  }

  function readString(): string {
    skip()
    if (text[at] !== '"') fail()
    let end = text.indexOf('"', at + 1)
    while (end > 0 && isEscaped(text, end, at + 1)) end = text.indexOf('"', end + 1)
    if (end < 0) fail()
    const token = text.slice(at, end + 1)
    at = end + 1
    return JSON.parse(token)
  }

  function readArray(): unknown[] {
    const items: unknown[] = []
    if (take(']')) return items
    do items.push(readValue())
    while (take(','))
    return take(']') ? items : fail()
  }

  function readObject(): Record<string, unknown> {
    const members: [string, unknown][] = []
    if (take('}')) return {}
    do {
      const key = readString()
      if (!take(':')) fail()
      members.push([key, readValue()])
    } while (take(','))
    return take('}') ? Object.fromEntries(members) : fail()
  }

  function readWord(): unknown {
    for (const [word, value] of WORDS) {
      if (!text.startsWith(word, at)) continue
      at += word.length
      return value
    }
    NUMBER.lastIndex = at
    const token = NUMBER.exec(text)?.[0] ?? fail()
    at += token.length
    const number = Number(token)
    return String(number) === token ? number : new ExactNumber(token)
  }

  function readValue(): unknown {
    skip()
    if (take('{')) return readObject()
    if (take('[')) return readArray()
    return text[at] === '"' ? readString() : readWord()
  }

  const value = readValue()
  skip()
  return at === text.length ? value : fail()
}

const WORDS: readonly [string, unknown][] = [
  ['null', null],
  ['true', true],
  ['false', false],
]

/** Whether an odd number of backslashes stands before a place. */
function isEscaped(text: string, place: number, from: number): boolean {
  let backslashes = 0
  while (place - backslashes > from && text[place - backslashes - 1] === '\\') backslashes += 1
  return backslashes % 2 === 1
}

/** JSON with its numbers as they came, a member a line. */
export function writeExact(value: unknown, indent = '  ', lead = ''): string {
  if (value instanceof ExactNumber) return value.text
  const inner = lead + indent
  const join = (open: string, parts: string[], close: string) => {
    if (parts.length === 0) return open + close
    const [gap, end] = indent === '' ? ['', ''] : [`\n${inner}`, `\n${lead}`]
    return `${open}${gap}${parts.join(`,${gap}`)}${end}${close}`
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => writeExact(item, indent, inner))
    return join('[', items, ']')
  }
  if (isPlainObject(value)) {
    const colon = indent === '' ? ':' : ': '
    const stated = Object.entries(value).filter(([, member]) => member !== undefined)
    const members = stated.map(
      ([key, member]) => `${JSON.stringify(key)}${colon}${writeExact(member, indent, inner)}`,
    )
    return join('{', members, '}')
  }
  return JSON.stringify(value)
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof ExactNumber)
  )
}

/** A value as it reads in one line; null for what is absent or null. */
export function textOfValue(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return writeExact(value, '')
}
