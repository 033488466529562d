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
  for (const [text, escaped] of [
    ['a;=1', "a;'=1"],
    ['a|+1|@x', "a|'+1|'@x"],
    ['a\t-b', "a\t'-b"],
    ['a\r\n=1', "a\r\n'=1"],
    ['\t=1', "'\t'=1"],
    [';＝1', ";'＝1"],
    ['a;"=1', 'a;\'"=1'],
    ['a;\u0000\u200b=1', "a;'\u0000\u200b=1"],
    ['=1;=2', "'=1;'=2"],
    ['-5;-x', "'-5;'-x"],
    ['["a;=1"]', '["a;\'=1"]'],
  ] as const) {
    assert.equal(escapeFormula(text), escaped)
  }
  for (const text of [
    '',
    '5',
    '-5',
    '-5.25',
    '-1e-5',
    'a=1',
    ' =1',
    "'=1",
    '王',
    'a;-5|-7',
    'a;b"=1',
    'a,=1',
  ]) {
    assert.equal(escapeFormula(text), text)
  }
})

test('a cell with a separator of another dialect is quoted, so that no spreadsheet divides it', () => {
  assert.equal(csvLine(['a;b', 'b\tc', 'c|d', 'd']), '"a;b","b\tc","c|d",d\r\n')
})

test('no part of a text begins a formula, whatever separator a spreadsheet expects', () => {
  const part = fc.constantFrom(
    ';',
    '\t',
    '|',
    '\n',
    '=1',
    '+',
    '-5',
    '-',
    '@',
    '"',
    '\u200b',
    'a',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = escapeFormula(parts.join(''))
      const [first = '', ...others] = text.split(/[;\t|\n]/)
      for (const cell of [first, ...others.map((one) => one.replace(/^["\u200b]+/, ''))]) {
        assert.ok(!/^\u200b*[=+\-@]/.test(cell) || /^-\d+$/.test(cell), JSON.stringify(text))
      }
    }),
  )
})
