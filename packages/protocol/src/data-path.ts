/**
 * Paths to values in the data of a record, as columns, filters, sorts and exports take them: `birth.place.placeName`, or
 * `contributors[].role` for the roles of all contributors.
 */
import type { JsonValue } from './lossless-json.ts'

/** A key, or each element of a list. */
export type PathStep = string | typeof EACH
export const EACH = Symbol('each element of a list')

export type DataPath = {
  /** As it was written. */
  text: string
  steps: readonly PathStep[]
}

/**
 * Parses a path. Every text is one: `.` divides keys, `[]` stands for each element of a list, and `\` before a character
 * makes it part of a key.
 */
export function parsePath(text: string): DataPath {
  const steps: PathStep[] = []
  let key: string | null = ''
  for (const [part] of text.matchAll(PART)) {
    if (part === '.' || part === '[]') {
      if (key !== null) steps.push(key)
      key = part === '.' ? '' : null
      if (part === '[]') steps.push(EACH)
    } else key = (key ?? '') + (part.startsWith('\\') && part.length > 1 ? part.slice(1) : part)
  }
  if (key !== null) steps.push(key)
  return { text, steps }
}

const PART = /\\.|\.|\[\]|[^.\\[]+|./gsu
const SPECIAL = /[.[\]\\]/g

/** Writes the steps of a path so that {@link parsePath} reads the same ones. */
export function formatPath(steps: readonly PathStep[]): string {
  return steps.reduce<string>((text, step, at) => {
    if (step === EACH) return `${text}[]`
    const key = step.replace(SPECIAL, '\\$&')
    return at === 0 ? key : `${text}.${key}`
  }, '')
}

/** Whether a path leads into lists, so that a record may have several values there. */
export function hasManyValues({ steps }: DataPath): boolean {
  return steps.includes(EACH)
}

/** Whether a text is a path into a value, and not only the key of a field. */
export function isNested({ steps }: DataPath): boolean {
  return steps.length > 1
}

/**
 * Returns the values at a path, in the order of the data: none if it is absent, several if the path leads into lists. A
 * member of `data` whose key is the whole text comes first: its key may contain dots.
 */
export function valuesAt(data: JsonValue, path: DataPath): JsonValue[]
export function valuesAt(data: unknown, path: DataPath): unknown[]
export function valuesAt(data: unknown, { text, steps }: DataPath): unknown[] {
  if (!isMembers(data)) return []
  if (Object.hasOwn(data, text)) return [data[text]]
  let values: unknown[] = [data]
  for (const step of steps) {
    values = values.flatMap((value) => {
      if (step === EACH) return Array.isArray(value) ? value : []
      return isMembers(value) && Object.hasOwn(value, step) ? [value[step]] : []
    })
    if (values.length === 0) break
  }
  return values
}

/** Whether a value is a JSON object: not a list, and not what stands for a number with all its digits. */
export function isMembers(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
  )
}
