import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { foldLine } from './fold-text.ts'
import { createRanking, findMatches } from './search-matches.ts'
import { matchesSearch, parseSearch } from './search-text.ts'

const record = (full_name: string, data = '{}', reference_number = 'R-1') => ({
  full_name,
  reference_number,
  data: parseLossless(data),
})

/** The matches, with the ranges in brackets. */
function show(query: string, one: ReturnType<typeof record>): string[] {
  return findMatches(one, parseSearch(query)).map(({ column, text, ranges }) => {
    let shown = ''
    let at = 0
    for (const [start, end] of ranges) {
      shown += `${text.slice(at, start)}[${text.slice(start, end)}]`
      at = end
    }
    return `${column}: ${shown}${text.slice(at)}`
  })
}

test('a record is ranked by its name and reference: equal, beginning, or neither', () => {
  const ranks = (query: string, ...records: ReturnType<typeof record>[]) =>
    records.map(createRanking(parseSearch(query))).join()
  const names = ['Ann', 'ÁNN  ', 'Anna', 'Joanne', 'Ann Lee'].map((name) => record(name))
  assert.equal(ranks('ann', ...names, record('Bob', '{}', 'ANN'), record('Bob')), '0,0,1,2,1,0,2')
  assert.equal(ranks('ann lee', ...names), '2,2,2,2,0')
})

test('the first values that contain the terms are marked, with the column of each', () => {
  const one = record(
    'Grünewald',
    '{"a":{"b.c":["x","Straße 7"]},"n":12.50,"l":[{"r":"Straßen"}],"s":"lone ﬁne, zoe\\u0301, Zoë","l[].r":1}',
    'INV-7',
  )
  for (const [query, expected] of [
    ['grun', ['hub_full_name: [Grün]ewald']],
    ['NEW', ['hub_full_name: Grü[new]ald']],
    ['inv', ['hub_reference_number: [INV]-7']],
    ['strasse', ['data.a.b\\.c[]: [Straße] 7']],
    ['stras', ['data.a.b\\.c[]: [Straß]e 7']],
    ['12.5', ['data.n: [12.5]0']],
    ['strassen', ['data.\\l[].r: [Straßen]']],
    ['fine', ['data.s: lone [ﬁne], zoe\u0301, Zoë']],
    ['zoe', ['data.s: lone ﬁne, [zoe\u0301], [Zoë]']],
    [
      'grun lone 12.5',
      ['hub_full_name: [Grün]ewald', 'data.n: [12.5]0', 'data.s: [lone] ﬁne, zoe\u0301, Zoë'],
    ],
    ['"ne, zoe"', []],
    ['lo ne', []],
  ] as const) {
    assert.deepEqual(show(query, one), expected, query)
  }
  const long = `${'Ä'.repeat(500)} 😀 needle ${'x'.repeat(300)}`
  const [excerpt = ''] = show('needle', record('A', JSON.stringify({ long })))
  assert.match(excerpt, /^data\.long: …Ä{36} 😀 \[needle\] x+…$/u)
})

test('every record that matches has a marked value, and what is marked folds to the terms', () => {
  const text = fc.string({
    unit: fc.oneof(codePoint, fc.constantFrom(...'abßÄé ﬁς-', 'e\u0301', '\u00ad', '王', '😀')),
    maxLength: 12,
  })
  fc.assert(
    fc.property(text, text, text, fc.nat(8), fc.nat(8), (name, value, other, from, length) => {
      const one = record(name, JSON.stringify({ other, list: [value] }))
      const query = `"${(name + value).slice(from, from + length)}"`
      const terms = parseSearch(query)
      const matches = findMatches(one, terms)
      if (terms.length === 0) return
      if (matchesSearch(one, terms)) assert.ok(matches.length > 0)
      for (const { text: shown, ranges } of matches) {
        for (const [start, end] of ranges) {
          const marked = foldLine(shown.slice(start, end))
          assert.ok(
            terms.some((term) => marked.includes(term.trim())),
            `${marked} in ${shown}`,
          )
        }
      }
    }),
  )
})
