import type { Column } from './source.ts'

/** The SQL expressions that differ between databases. */
export type Dialect = {
  quote: (name: string) => string
  /** The placeholder of a parameter, from 1. */
  parameter: (number: number) => string
  /** Selects a value so that it arrives as exact text. */
  value: (column: Column) => string
  /** Whether a column contains a text, case-insensitively. The parameter is a {@link toPattern}. */
  contains: (column: Column, parameter: string) => string
  /** A value as text with binary collation. */
  key: (column: Column) => string
  /** The change time as a comparable value. */
  changeTime: (column: Column) => string
  /** The change time as text, which becomes a parameter later. */
  changeTimeText: (column: Column) => string
  /** A parameter with the text of a change time as a comparable value. */
  changeTimeParameter: (parameter: string, column: Column) => string
  /** The latest change time that is not in the future; null if unknown for the column. */
  latestChangeTime: (column: Column) => string | null
  /** The sum over all rows of a hash of these columns. */
  sum: (columns: readonly Column[]) => string
  /** Null if the database has no md5. */
  digest: DigestDialect | null
}

/** Expressions for the buckets and sums of a digest. All texts are in UTF-8. */
export type DigestDialect = {
  /** The text as which {@link Dialect.value} arrives; null for a column whose text may be another one. */
  text: (column: Column) => string | null
  concat: (texts: readonly string[]) => string
  /** The lower-case hex digits of the MD5 of a text. */
  md5: (text: string) => string
  /** The number of the first 12 hex digits of a text. */
  number: (hex: string) => string
  separator: string
  parameterText: (parameter: string) => string
}

export const ESCAPE = '!'

export function toPattern(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, (letter) => ESCAPE + letter)}%`
}
