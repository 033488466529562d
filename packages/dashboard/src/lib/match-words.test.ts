import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchWords } from './match-words.ts'

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
