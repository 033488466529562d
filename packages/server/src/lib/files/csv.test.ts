import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { csvLine, escapeFormula } from './csv.ts'

/** A strict parser of RFC 4180. */
function readCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (let at = 0; at < text.length; at = cell.lastIndex) {
    cell.lastIndex = at
    const match = cell.exec(text)
    assert.ok(match, `invalid CSV at ${at}`)
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '')
    if (match[3] === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

const cell = fc.oneof(fc.string(), fc.constantFrom('', '"', ',', '\r\n', '\n', 'a,"b"\r', ' 王 '))

test('cells with any content are read back unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1 })), (rows) => {
      assert.deepEqual(readCsv(rows.map(csvLine).join('')), rows)
    }),
  )
})

test('a cell that would be a formula is escaped, and numbers stay numbers', () => {
  for (const text of [
    '=1+1',
    '+49 30',
    '-',
    '-a',
    '@x',
    '\t=1',
    '\r=1',
    '\n=1',
    '＝1',
    '-1+2',
    '--5',
    '\u0000=1',
    '\u0001\u200b@x',
    '\ufeff=1',
    '\ta',
  ]) {
    assert.equal(escapeFormula(text), `'${text}`)
  }
  for (const text of ['', '5', '-5', '-5.25', 'a=1', ' =1', "'=1", '王']) {
    assert.equal(escapeFormula(text), text)
  }
})

test('a cell with a separator of another dialect is quoted, so that no spreadsheet divides it', () => {
  assert.equal(csvLine(['a;=1+1', 'b\t=1+1', 'c']), '"a;=1+1","b\t=1+1",c\r\n')
})
