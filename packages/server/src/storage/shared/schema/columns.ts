/** Reads columns of a row and checks their types, which the drivers return as `unknown`. */
export type Row = Record<string, unknown>

export function integerOf(row: Row, column: string): number {
  const value = row[column]
  if (typeof value === 'number') return value
  throw new TypeError(`Column ${column} is not a number`)
}

export function textOf(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new TypeError(`Column ${column} is not a text`)
}

export function nullableTextOf(row: Row, column: string): string | null {
  return row[column] === null ? null : textOf(row, column)
}

export function nullableIntegerOf(row: Row, column: string): number | null {
  return row[column] === null ? null : integerOf(row, column)
}
