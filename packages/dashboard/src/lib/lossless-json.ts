import { JsonSyntaxError, parseJson } from '@recordhub/protocol/lossless-json'

/**
 * A number that JavaScript would write differently, such as 9007199254740993 or 1.10. A class, and not `JSON.rawJSON`, since
 * TanStack Query copies plain objects, and older browsers lack it.
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

/** JSON with its numbers as they came, a member a line. */
export function writeLossless(value: unknown, indent = '  ', lead = ''): string {
  if (value instanceof LosslessNumber) return value.text
  const inner = lead + indent
  const join = (open: string, parts: string[], close: string) => {
    if (parts.length === 0) return open + close
    const [gap, end] = indent === '' ? ['', ''] : [`\n${inner}`, `\n${lead}`]
    return `${open}${gap}${parts.join(`,${gap}`)}${end}${close}`
  }
  if (Array.isArray(value)) {
    const items = value.map((item) => writeLossless(item, indent, inner))
    return join('[', items, ']')
  }
  if (isPlainObject(value)) {
    const colon = indent === '' ? ':' : ': '
    const stated = Object.entries(value).filter(([, member]) => member !== undefined)
    const members = stated.map(
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

/** A value as it reads in one line; null for what is absent or null. */
export function textOfValue(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string') return value
  return writeLossless(value, '')
}
