import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { rounds } from '../../../test/helpers/time/tier.ts'
import { recordTokens } from './search-tokens.ts'
import { createRecordTokenizer } from './token-bytes.ts'

const tokenize = createRecordTokenizer()

/** The tokens as an index separates them. */
const split = (tokens: string) => tokens.split(' ').filter((token) => token !== '')

function assertSameTokens(full_name: string, reference_number: string, json: string): void {
  const bytes = tokenize({ full_name, reference_number, data: Buffer.from(json) })
  // The database stores the UTF-8 of a text.
  const data = Buffer.from(json).toString()
  const expected = Buffer.from(recordTokens({ full_name, reference_number, data })).toString()
  assert.deepEqual(split(Buffer.from(bytes).toString()), split(expected), json)
}

test('the tokens from bytes are those from text', () => {
  const text = fc.string({
    unit: fc.oneof(
      fc.constantFrom(
        ...'aB zé.-_%"\\`\u0000\u007f\ud83d😀王小コーΣßก\n1€',
        'ab',
        '\u0300',
        '𐐷',
        'null',
      ),
      fc.constantFrom(...'aBz 019-_.'),
    ),
    maxLength: 60,
  })
  const plain = fc.stringMatching(/^[ -~]{0,60}$/)
  const any = fc.oneof(plain, text)
  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 3 })
  const data = fc.dictionary(any, fc.oneof(any, value, fc.double({ noNaN: true })), { maxKeys: 4 })
  const space = fc.constantFrom(undefined, 0, 1, '\t')
  fc.assert(
    fc.property(any, any, data, space, (name, reference, data, space) => {
      assertSameTokens(name, reference, JSON.stringify(data, null, space))
    }),
    { numRuns: rounds(150, 20_000) },
  )
})

test('long words, long texts and numbers as written have the same tokens', () => {
  const long = 'word '.repeat(10_000)
  for (const json of [
    '{}',
    '{"a":null,"b":true,"c":[false,null,-1.50e+10,9007199254740993],"nn":"null"}',
    `{"a":"${'x'.repeat(39)} ${'y'.repeat(40)} ${'z'.repeat(41)}"}`,
    `{"a":"${'ü'.repeat(41)}"}`,
    `{"a":"${long}","b":"last"}`,
    `{"a":"${long.slice(0, 32_740)}","b":"last","c":["more","and more"]}`,
    '{"a":"\\ud800","b":"\\u0041\\\\","c\\"":"d"}',
  ]) {
    assertSameTokens("Ann O'Neil-Smith", 'R-1', json)
    assertSameTokens(long, 'Ä\\b c', json)
  }
})
