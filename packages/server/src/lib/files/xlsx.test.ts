/** Reads the written spreadsheets back with an independent zip reader. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { openXlsx } from '../../../test/helpers/hub/xlsx-file.ts'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { createSeededRandom } from '../../../test/helpers/random/seed.ts'
import { xlsxStream } from './xlsx.ts'

async function* chunked(rows: JsonValue[][], size: number): AsyncGenerator<JsonValue[][]> {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}

const column = (header: string, holdsTimes = false) => ({ header, holdsTimes })

async function writeAndOpen(rows: JsonValue[][], maxRows?: number, size = 3) {
  return openXlsx(
    await buffer(xlsxStream([column('a'), column('b')], chunked(rows, size), maxRows)),
  )
}

test('texts, booleans and null are read back unchanged, except for lone surrogates', async () => {
  const nasty = fc.constantFrom('\u0000', '\r\n', '\ud800', '_x0041_', '<&>', '\uffff', '👍', ' a ')
  const value = fc.oneof(fc.string({ unit: codePoint }), nasty, fc.boolean(), fc.constant(null))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(value, value), { maxLength: 8 }), async (rows) => {
      const shown = (cell: JsonValue) => (typeof cell === 'string' ? cell.toWellFormed() : cell)
      const expected = rows.map((row) => row.map((cell) => (cell === '' ? null : shown(cell))))
      assert.deepEqual((await writeAndOpen(rows)).get('Records'), [['a', 'b'], ...expected])
    }),
    { numRuns: 60 },
  )
})

test('numbers stay numbers if a spreadsheet shows all their digits, otherwise they become texts', async () => {
  const tokens = ['0', '-5', '1.10', '-0', '1e2', '123456789012345', '0.000001', '1.5E-7']
  const long = ['1234567890123456', '9007199254740993', '0.1234567890123456', '1e400', '1e-320']
  const rows = [...tokens, ...long].map((token) => [parseLossless(token)])
  const sheet = (await writeAndOpen(rows)).get('Records')?.slice(1)
  assert.deepEqual(sheet, [
    ...tokens.map((number) => [{ number }]),
    ...long.map((token) => [token]),
  ])
})

test('objects and lists become JSON with exact numbers, and long texts are truncated with a marker', async () => {
  const rows = [
    [parseLossless('{"a":[1.10,9007199254740993]}')],
    [`${'x'.repeat(32_710)}${'👍'.repeat(200)}`],
  ]
  const sheet = (await writeAndOpen(rows)).get('Records')
  assert.equal(sheet?.[1]?.[0], '{"a":[1.10,9007199254740993]}')
  const truncated = String(sheet?.[2]?.[0])
  assert.ok(truncated.length <= 32_767 && truncated.length > 32_760)
  assert.match(truncated, /👍 … \[truncated: [^\]]+\]$/u)
})

test('times are numbers of days where they are times, and texts where a spreadsheet would show another value', async () => {
  for (const [text, cell] of [
    ['2026-03-10', { number: '46091' }],
    ['2026-03-10T18:00:00Z', { number: '46091.75' }],
    ['2026-03-11 01:30+02:00', { number: '46091.979166667' }],
    ['2026-03-10T00:00:00.250Z', { number: '46091.000002894' }],
    ['1900-03-01', { number: '61' }],
    ['1900-02-28', '1900-02-28'],
    ['1893-04-20', '1893-04-20'],
    ['2026-02-30', '2026-02-30'],
    ['2026-03-10T23:59:60Z', '2026-03-10T23:59:60Z'],
    ['2026-03-10T08:00:00.0001Z', '2026-03-10T08:00:00.0001Z'],
    ['soon', 'soon'],
  ] as const) {
    const stream = xlsxStream([column('on', true), column('text')], chunked([[text, text]], 1))
    const sheet = (await openXlsx(await buffer(stream))).get('Records')
    assert.deepEqual(sheet?.[1], [cell, text])
  }
})

test('rows over the limit of a sheet continue on the next one, under the same header', async () => {
  for (const count of [0, 1, 3, 4, 8, 9]) {
    const rows = Array.from({ length: count }, (_, n) => [`r${n}`])
    const sheets = await writeAndOpen(rows, 5, 2)
    const all = [...sheets.values()]
    assert.deepEqual([...sheets.keys()][1] ?? 'Records 2', 'Records 2')
    assert.equal(all.length, Math.max(1, Math.ceil(count / 4)))
    for (const sheet of all) {
      assert.deepEqual(sheet[0], ['a', 'b'])
      assert.ok(sheet.length <= 5)
    }
    assert.deepEqual(
      all.flatMap((sheet) => sheet.slice(1)),
      rows,
    )
  }
})

test('rows are read on demand, and reading stops when the client disconnects', async () => {
  const random = createSeededRandom()
  let read = 0
  let hasEnded = false
  async function* endless(): AsyncGenerator<JsonValue[][]> {
    try {
      for (;;) {
        read += 1
        yield [[random().toString(36).repeat(5000)]]
      }
    } finally {
      hasEnded = true
    }
  }
  const stream = xlsxStream([column('a')], endless())
  await once(stream, 'readable')
  assert.ok(stream.read() !== null)
  stream.destroy()
  await once(stream, 'close')
  while (!hasEnded) await new Promise(setImmediate)
  assert.ok(read < 200, `${read} were read`)
})

test('an error while reading rows is an error of the stream', async () => {
  async function* broken(): AsyncGenerator<JsonValue[][]> {
    yield [['a']]
    throw new Error('The database is unavailable')
  }
  await assert.rejects(buffer(xlsxStream([column('a')], broken())), /database is unavailable/)
})
