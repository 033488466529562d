/** Lines of CSV (RFC 4180). */

/**
 * The start of a formula in a spreadsheet, including full-width characters, and after invisible characters: LibreOffice
 * skips U+0000 and evaluates the rest.
 */
const FORMULA = /^[\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u
const SIGN = /[=+\-@＝＋－＠]/
/** Separators at which a spreadsheet that does not expect commas begins a new cell, whatever the quotes. */
const SEPARATOR = /\r\n|[;|\t\r\n]/g
/** Separators, and what a spreadsheet skips after them. */
const BETWEEN_CELLS = /[;|"\p{Cc}\p{Cf}]+/gu
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const NUMBER_CELL = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[;|\t\r\n]|$)/y
const NEEDS_QUOTES = /[",;|\t\r\n]/

/** A line including its line end. */
export function csvLine(cells: readonly string[]): string {
  // Without quotes, a line with one empty cell would be an empty line.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(quote).join(',')}\r\n`
}

/**
 * Adds an apostrophe where a spreadsheet would begin a formula: at the start of a text, and after a separator of another
 * dialect of CSV, at which it may divide the text. Does not change numbers like -5.
 */
export function escapeFormula(text: string): string {
  const escaped = text.replace(BETWEEN_CELLS, (between, at: number) =>
    beginsFormula(text, at + between.length) ? between.replace(SEPARATOR, "$&'") : between,
  )
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${escaped}` : escaped
}

function beginsFormula(text: string, at: number): boolean {
  if (!SIGN.test(text.charAt(at))) return false
  NUMBER_CELL.lastIndex = at
  return !NUMBER_CELL.test(text)
}

function quote(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
