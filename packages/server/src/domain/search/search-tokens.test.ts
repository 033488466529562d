import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { rounds } from '../../../test/helpers/time/tier.ts'
import { matchesSearch, parseSearch, type SearchTerms } from './search-text.ts'
import { recordTokens, searchTokens } from './search-tokens.ts'

/** The tokens, as an index separates them. */
function tokensOf(record: Parameters<typeof recordTokens>[0]): string[] {
  return recordTokens(record)
    .split(' ')
    .filter((token) => token !== '')
}

/** Whether an index would return a record with these tokens. */
function isCandidate(tokens: string[], terms: SearchTerms): boolean {
  return searchTokens(terms).every((alternatives) =>
    alternatives.some((patterns) =>
      patterns.every(({ token, isPrefix }) =>
        tokens.some((one) => (isPrefix ? one.startsWith(token) : one === token)),
      ),
    ),
  )
}

test('a record that matches a search has its tokens', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'aB é.-_%"\u0000\ud83d😀😃王小コーΣßก่\n1€', 'ab', '\u0300', '𐐷'),
    maxLength: 12,
  })
  const value = fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 3 }))
  const fields = fc.dictionary(text, value, { maxKeys: 3 })
  let found = 0
  fc.assert(
    fc.property(
      text,
      text,
      fields,
      fc.nat(),
      fc.nat(),
      text,
      (name, ref, data, at, length, any) => {
        const json = JSON.stringify(data)
        const record = { full_name: name, reference_number: ref, data: parseLossless(json) }
        const tokens = tokensOf({ ...record, data: json })
        for (const token of tokens) assert.ok(token.isWellFormed(), token)
        // A part of a value matches more often than another text.
        const texts = [name, ref, ...Object.values(data).flat().map(String)]
        const whole = texts[at % texts.length] ?? ''
        const part = whole.slice(at % (whole.length + 1)).slice(0, length % 8)
        for (const query of [part, `"${part}"`, any, `${any} ${part}`]) {
          const terms = parseSearch(query)
          if (terms.length === 0 || !matchesSearch(record, terms)) continue
          found += 1
          assert.ok(isCandidate(tokens, terms), query)
        }
      },
    ),
    { numRuns: rounds(500, 3000) },
  )
  assert.ok(found > rounds(150, 1000), `${found} matches`)
})

test('the tokens distinguish records that do not match', () => {
  const tokens = tokensOf({
    full_name: 'Ann Müller',
    reference_number: 'R-17',
    data: '{"city":"Lyon","price":12.50,"note":"東京都"}',
  })
  for (const [query, expected] of [
    ['lyon', true],
    ['lyo', true],
    ['yon', false],
    ['city', false],
    ['12.50', true],
    ['12.51', false],
    ['12.5', true],
    ['1.50', false],
    ['東京都', true],
    ['京都', false],
    ['東東東', false],
    ['ulle', true],
    ['mu', true],
    ['ul', false],
    ['ly', false],
  ] as const) {
    assert.equal(isCandidate(tokens, parseSearch(query)), expected, query)
  }
})

test('the index has no information about a term of punctuation only', () => {
  assert.deepEqual(searchTokens(parseSearch('... ---')), [])
  assert.equal(searchTokens(parseSearch('... ann')).length, 1)
})

test('a huge record has few tokens, and long words are truncated', () => {
  const data = JSON.stringify({ a: `${'0'.repeat(5_000_000)} end`, b: 'after' })
  const tokens = tokensOf({ full_name: 'x'.repeat(100_000), reference_number: 'R', data })
  assert.ok(tokens.length < 2000)
  assert.ok(tokens.every(({ length }) => length <= 40))
  assert.ok(isCandidate(tokens, parseSearch('x'.repeat(39))))
  assert.ok(isCandidate(tokens, parseSearch('x'.repeat(200))))
})

test('a long search has a limited number of tokens', () => {
  const patterns = searchTokens(parseSearch(`"${'ab cd '.repeat(40)}"`)).flat()
  assert.ok(patterns.every(({ length }) => length > 0 && length <= 24))
})
