import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchTerms, matchWords } from './match-words.ts'

test('the words of a query begin words of the text, in any order', () => {
  const text = 'Pull Harbour Museum now'
  assert.deepEqual(matchWords(text, 'pull har'), [
    [0, 4],
    [5, 8],
  ])
  assert.deepEqual(matchWords(text, ' mus PULL '), [
    [0, 4],
    [13, 16],
  ])
  assert.deepEqual(
    ['', 'our', 'pull pull', 'x'].map((query) => matchWords(text, query)),
    [...[[], null, null, null]],
  )
})

test('the terms of a search are found anywhere in a name, whatever their case and accents', () => {
  const found = (text: string, search: string) =>
    matchTerms(text, search).map(([start, end]) => text.slice(start, end))
  assert.deepEqual(found('Zoë Grünewald', 'unew ZOE'), ['Zoë', 'ünew'])
  assert.deepEqual(found('E-2026/00', '2026/00'), ['2026/00'])
  assert.deepEqual(found('Lee Ann Lee', '"ann lee" lee'), ['Lee', 'Ann Lee'])
  assert.deepEqual(found('Al Hall', 'al'), ['Al'])
  assert.deepEqual(found('a.b (c)', 'a.b (c [x'), ['a.b', '(c'])
  for (const search of ['', ' ', '"', '""', 'x']) assert.deepEqual(found('Ann', search), [])
})
