import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isWordBeginning, visitRuns } from './words.ts'

function runsOf(text: string): string[] {
  const runs: string[] = []
  visitRuns(text, (isWord, start, end) => {
    runs.push(`${isWord ? 'word' : 'single'} ${text.slice(start, end)}`)
  })
  return runs
}

test('a text is divided into words and characters that each begin a word', () => {
  for (const [text, ...runs] of [
    ['ann bea-li', 'word ann', 'word bea', 'word li'],
    ['12.50 €', 'word 12', 'word 50', 'single €'],
    ['王小明x2', 'single 王小明', 'word x2'],
    ['コーヒー', 'single コーヒー'],
    ['สวัสดี', 'single สวัสดี'],
    ['कि한국', 'word कि한국'],
    ['😀😃 𝟚𐐷', 'single 😀😃', 'word 𝟚𐐷'],
    [' -«»\ud800 '],
  ] as const) {
    assert.deepEqual(runsOf(text), runs, text)
  }
})

test('a word begins everywhere except between two characters of a word', () => {
  const text = 'ab.c王d𐐷e'
  const positions = Array.from({ length: text.length }, (_, at) => at)
  const beginnings = positions.filter((at) => isWordBeginning(text, at))
  assert.deepEqual(beginnings, [0, 2, 3, 4, 5])
})
