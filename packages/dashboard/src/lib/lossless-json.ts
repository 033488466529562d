import { JsonSyntaxError, parseJson } from '@recordhub/protocol/lossless-json'

/**
 * A number that JavaScript would write differently, such as 9007199254740993 or 1.10. The hub uses `JSON.rawJSON` for
 * these; here they are a class, because TanStack Query copies plain objects, and older browsers lack `JSON.rawJSON`.
 */
export class LosslessNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/**
 * Parses JSON; a number is an {@link LosslessNumber} if a `number` would lose digits.
 * @throws SyntaxError with the position of the error.
 */
export function parseLossless(text: string): unknown {
  try {
    return parseJson(text, (token) => new LosslessNumber(token))
  } catch (error) {
    if (!(error instanceof JsonSyntaxError) || error.position === null) throw error
    throw new SyntaxError(`Invalid JSON at character ${error.position}`)
  }
}

/** Writes a value as JSON, with its numbers as they were read. One member per line, unless `indent` is empty. */
export function writeLossless(value: unknown, indent = '  ', lead = ''): string {
  if (value instanceof LosslessNumber) return value.text
  const inner = lead + indent
  const join = (open: string, elements: string[], close: string) => {
    if (elements.length === 0) return open + close
    const [gap, end] = indent === '' ? ['', ''] : [`\n${inner}`, `\n${lead}`]
    return `${open}${gap}${elements.join(`,${gap}`)}${end}${close}`
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => writeLossless(item, indent, inner))
    return join('[', items, ']')
  }
  if (isPlainObject(value)) {
    const colon = indent === '' ? ':' : ': '
    const present = Object.entries(value).filter(([, member]) => member !== undefined)
    const members = present.map(
      ([key, member]) => `${JSON.stringify(key)}${colon}${writeLossless(member, indent, inner)}`,
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
    !(value instanceof LosslessNumber)
  )
}

/** A value on one line: strings verbatim, other values as JSON; null for null and undefined. */
export function textOfValue(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return writeLossless(value, '')
}
