/** Lines of CSV (RFC 4180). */

/**
 * What a spreadsheet takes for the beginning of a formula, in the full width of East Asia too, also where
 * characters that nobody sees stand before it: LibreOffice leaves U+0000 out and runs the rest.
 */
const FORMULA = /^[\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]|^[\t\r\n]/u
const PLAIN_NUMBER = /^-?\d+(?:\.\d+)?$/
const NEEDS_QUOTES = /[",\r\n]/

/** A line with its end. */
export function csvLine(cells: readonly string[]): string {
  // A line of one empty cell would be no line.
  if (cells.length === 1 && cells[0] === '') return '""\r\n'
  return `${cells.map(quote).join(',')}\r\n`
}

/**
 * A text of somebody else's that no spreadsheet runs as a formula: an apostrophe stands before what would
 * be one. What reads as a number (-5) is none.
 */
export function withoutFormula(text: string): string {
  return FORMULA.test(text) && !PLAIN_NUMBER.test(text) ? `'${text}` : text
}

function quote(cell: string): string {
  return NEEDS_QUOTES.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
