/** Reads and compares cells in the CSV of LibreOffice, in which only texts are quoted. */

/** `value` is a number, a boolean or a formula as written; empty for an empty cell. */
export type Cell = { text: string } | { value: string }

export const EMPTY: Cell = { value: '' }

/** Reads CSV in which only texts are quoted. */
export function readCells(csv: string): Cell[][] {
  const rows: Cell[][] = []
  let row: Cell[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^,"\n]*))(,|\n|$)/gy
  while (cell.lastIndex < csv.length) {
    const from = cell.lastIndex
    const [, text, value = '', end] = cell.exec(csv) ?? []
    if (end === undefined) throw new Error(`No cell: ${csv.slice(from, from + 80)}`)
    row.push(text === undefined ? { value } : { text: text.replaceAll('""', '"') })
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

/** Returns one line for each cell that differs. */
export function findDifferences(expected: Cell[][], found: Cell[][]): string[] {
  const rows = Math.max(expected.length, found.length)
  return Array.from({ length: rows }, (_, at) => at).flatMap((at) => {
    const [expectedRow = [], foundRow = []] = [expected[at], found[at]]
    const columns = Math.max(expectedRow.length, foundRow.length)
    return Array.from({ length: columns }, (_, column) => column).flatMap((column) => {
      const [expectedCell, foundCell] = [show(expectedRow[column]), show(foundRow[column])]
      if (expectedCell === foundCell) return []
      return [
        `row ${at + 1}, column ${column + 1}: ${shorten(expectedCell)} expected, found ${shorten(foundCell)}`,
      ]
    })
  })
}

function show(cell: Cell | undefined): string {
  if (!cell) return 'no cell'
  return 'text' in cell
    ? `the text ${JSON.stringify(cell.text)}`
    : `the value ${cell.value || '(none)'}`
}

function shorten(text: string): string {
  return text.length > 120 ? `${text.slice(0, 80)}…${text.slice(-30)} (${text.length})` : text
}
