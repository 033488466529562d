import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { foldText, matchesSearch, parseSearch, toIndexText, toLookUpTexts } from './search-text.ts'

function record(full_name: string, data = '{}', reference_number = 'R-17') {
  return { full_name, reference_number, data: parseLossless(data) }
}

test('folding removes only case, accents and letter forms', () => {
  for (const [text, folded] of [
    ['Müller', 'muller'],
    ['STRASSE', foldText('straße')],
    ['STRAẞE', 'strasse'],
    ['ΟΔΟΣ', foldText('οδος')],
    ['İstanbul', 'istanbul'],
    ['ﬁnance Ⅳ ２', 'finance iv 2'],
    ['مُحَمَّد', 'محمد'],
    ['か\u3099', 'が'],
    ['कि', 'कि'],
    ['한국', '한국'],
    ['e\u0301', 'e'],
    ['a\u0000b\n\tc', 'a b c'],
    ['\ud800x', '\ufffdx'],
  ] as const) {
    assert.equal(foldText(text), folded, text)
  }
})

test('folding a folded text changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.equal(foldText(foldText(text)), foldText(text))
    }),
    { numRuns: 500, examples: [['ẞ'], ['x\u0301ẞ']] },
  )
})

test('a search consists of words and phrases; short words are prefixes', () => {
  for (const [text, substrings, prefixes] of [
    ['Ann  example', ['ann', 'example'], []],
    ['"Ann Example" Li', ['ann example'], ['li']],
    ['王 王小明', ['王小明'], ['王']],
    ['😀 😀😀😀', ['😀😀😀'], ['😀']],
    ['ann ANN', ['ann'], []],
    ['"never closed', ['"never', 'closed'], []],
    ['"" " " ', [], []],
    ['100% a_b *', ['100%', 'a_b'], ['*']],
  ] as const) {
    assert.deepEqual(parseSearch(text), { substrings, prefixes }, text)
  }
})

test('every term must match, in any value', () => {
  const ann = record('Ann Bea Müller-Li', '{"city":"São  Paulo","tags":["x",{"deep":12.50}]}')
  for (const [query, found] of [
    ['ann muller', true],
    ['"sao paulo"', true],
    ['"paulo sao"', false],
    ['12.50', true],
    ['12.5 deeper', false],
    ['li', true],
    ['be mu', true],
    ['ul', false],
    ['r-17', true],
    ['17', true],
    ['city', false],
    ['"müller-li r-17"', false],
  ] as const) {
    assert.equal(matchesSearch(ann, parseSearch(query)), found, query)
  }
})

test('the index text of a record contains every term that matches the record', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'aB é.-_%"\u0000\ud83d😀王ßΣ\n1'),
    maxLength: 12,
  })
  const value = fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 3 }))
  let found = 0
  fc.assert(
    fc.property(text, text, fc.dictionary(text, value), text, (name, reference, data, query) => {
      const one = { full_name: name, reference_number: reference, data }
      const terms = parseSearch(query)
      if (!matchesSearch(one, terms)) return
      found += 1
      for (const text of toLookUpTexts(terms)) {
        assert.ok(toIndexText(one).includes(text), text)
        assert.ok([...text].length >= 3)
      }
    }),
    { numRuns: 2000 },
  )
  assert.ok(found > 50)
})

test('a huge record is searched up to the size limit, and quickly', () => {
  const huge = record('Ann', JSON.stringify({ a: `${'0'.repeat(5_000_000)} end`, b: 'after' }))
  assert.ok(toIndexText(huge).length < 40_000)
  assert.ok(!matchesSearch(huge, parseSearch('after')))
  assert.ok(matchesSearch(huge, parseSearch('ann')))
})
