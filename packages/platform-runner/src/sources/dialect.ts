import type { Column } from './source.ts'

/** How a database writes what the statements of this program need. Expressions are of SQL. */
export type Dialect = {
  quote: (name: string) => string
  /** Stands for a value; the first is 1. */
  parameter: (number: number) => string
  /** Reads a value so that it comes as exact text. */
  value: (column: Column) => string
  /** Whether a column holds the text of a parameter, in whatever case. It is written by {@link toPattern}. */
  contains: (column: Column, parameter: string) => string
  /** A value as text that is ordered by code. */
  key: (column: Column) => string
  /** The time of a change, as something that can be compared. */
  mark: (column: Column) => string
  /** The same, as the text that becomes a parameter later. */
  markText: (column: Column) => string
  /** Such a text as something that can be compared. */
  markOf: (parameter: string, column: Column) => string
  /** The latest time that a change can have; null where the column does not say. */
  latestMark: (column: Column) => string | null
  /** A sum over all rows that is another one when one of the times is. */
  sum: (column: Column) => string
}

export const ESCAPE = '!'

export function toPattern(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (letter) => ESCAPE + letter)}%`
}
