import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { matchesSearch, parseSearch } from './search-text.ts'

function record(full_name: string, data = '{}', reference_number = 'R-17') {
  return { full_name, reference_number, data: parseLossless(data) }
}

test('a search consists of words and phrases', () => {
  for (const [text, terms] of [
    ['Ann  example', ['ann', 'example']],
    ['"Ann  Example" Li', ['ann example', 'li']],
    ['王 王小明', ['王', '王小明']],
    ['ann ANN', ['ann']],
    ['ann "never  closed', ['ann', 'never closed']],
    [
      '“Ann  Example” „Ann Bea“ «Ann Li» »Ann Ko« "',
      ['ann example', 'ann bea', 'ann li', 'ann ko'],
    ],
    ['5" disk', ['5"', 'disk']],
    ['"" " " ', []],
    ['100% a_b *', ['100%', 'a_b', '*']],
  ] as const) {
    assert.deepEqual(parseSearch(text), terms, text)
  }
})

test('every term must match: the beginning of a word in any value, or a part of the name', () => {
  const data = `{"city":"São  Paulo","tags":["x",{"deep":12.50}],"mail":"ann@example.org",
    "note":"東京都 コーヒー 😀😃"}`
  const ann = record('Ann Bea Müller-Li', data)
  for (const [query, found] of [
    ['ann muller', true],
    ['"sao paulo"', true],
    ['"ao paulo"', false],
    ['"paulo sao"', false],
    ['"sao pau"', true],
    ['paul', true],
    ['aulo', false],
    ['ulle', true],
    ['ller-l', true],
    ['12.50', true],
    ['12.5', true],
    ['2.50', false],
    ['.50', true],
    ['12.5 deeper', false],
    ['ann@example.org', true],
    ['@example', true],
    ['nn@example.org', false],
    ['京都', false],
    ['京都 コーヒー', false],
    ['東京都', true],
    ['コーヒ', true],
    ['ーヒー', true],
    ['😀😃', false],
    ['li', true],
    ['be mu', true],
    ['ul', false],
    ['-l', true],
    ['sa', false],
    ['r-17', true],
    ['17', true],
    ['-17', true],
    ['city', false],
    ['"müller-li r-17"', false],
  ] as const) {
    assert.equal(matchesSearch(ann, parseSearch(query)), found, query)
  }
})

test('a huge record is searched up to the size limit', () => {
  const huge = record('Ann', JSON.stringify({ a: `${'0'.repeat(5_000_000)} end`, b: 'after' }))
  assert.ok(!matchesSearch(huge, parseSearch('after')))
  assert.ok(matchesSearch(huge, parseSearch('ann 0000')))
})
