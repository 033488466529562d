import { isMembers } from './data-path.ts'

const MAX_PARTS = 4

/**
 * Returns a nested value on one line, such as "Barcelona, España · 1893" for a birth, or "3 contributors" for a list of
 * objects. Null if there is nothing to show.
 * @param name of the value, as it follows a number: contributors.
 * @param textOf returns the text of a value that is neither an object nor a list; null for an empty one.
 */
export function summarizeValue(
  value: unknown,
  name: string,
  textOf: (value: unknown) => string | null,
): string | null {
  if (Array.isArray(value)) return summarizeList(value, name, textOf)
  if (!isMembers(value)) return textOf(value) || null
  return joinParts(partsOf(value, name, textOf), ' · ')
}

function summarizeList(
  values: readonly unknown[],
  name: string,
  textOf: (value: unknown) => string | null,
): string | null {
  const [first] = values
  if (values.length === 1) return summarizeValue(first, name, textOf)
  const isFlat = !values.slice(0, MAX_PARTS).some((value) => isNested(value))
  if (!isFlat) return `${values.length} ${name}`
  const shown = values.slice(0, MAX_PARTS).flatMap((value) => textOf(value) || [])
  const rest = values.length - MAX_PARTS
  return joinParts(rest > 0 ? [...shown, `+${rest}`] : shown, ', ')
}

/** The members of an object in their order, with one line for each nested value. */
function partsOf(
  value: Record<string, unknown>,
  name: string,
  textOf: (value: unknown) => string | null,
): string[] {
  const parts: string[] = []
  for (const [key, member] of Object.entries(value)) {
    if (parts.length === MAX_PARTS) return [...parts, '…']
    const part = isMembers(member)
      ? joinParts(partsOf(member, key, textOf), ', ')
      : summarizeValue(member, key || name, textOf)
    if (part !== null) parts.push(part)
  }
  return parts
}

function isNested(value: unknown): boolean {
  return Array.isArray(value) || isMembers(value)
}

function joinParts(parts: readonly string[], separator: string): string | null {
  return parts.length > 0 ? parts.join(separator) : null
}
