/** Lines of CSV (RFC 4180). */

/**
 * The start of a formula in a spreadsheet, including full-width characters, and after invisible characters: LibreOffice
 * skips U+0000 and evaluates the rest.
 */
const FORMULA = /^[\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/
/** Also the separators that a spreadsheet may use instead of the comma: a text after one would become a cell, and a formula. */
const NEEDS_QUOTES = /[",;\t\r\n]/

/** A line including its line end. */
export function csvLine(cells: readonly string[]): string {
  // Without quotes, a line with one empty cell would be an empty line.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(quote).join(',')}\r\n`
}

/** Prefixes a text with an apostrophe if a spreadsheet would evaluate it as a formula. Does not change numbers like -5. */
export function escapeFormula(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text
}

function quote(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
