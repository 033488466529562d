import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWatermark } from './watermark.ts'

test('the watermark advances to marks that are as old as a change may be late', () => {
  const marks = createWatermark('m0', 1000)
  marks.advance('m1', 0)
  marks.advance('m2', 600)
  assert.equal(marks.current(), 'm0')
  marks.advance('m3', 1000)
  assert.equal(marks.current(), 'm1')
  marks.advance('m4', 5000)
  assert.equal(marks.current(), 'm3')
})

test('an empty table has no watermark, and a watermark is never reset', () => {
  const marks = createWatermark(null, 0)
  marks.advance(null, 0)
  assert.equal(marks.current(), null)
  marks.advance('m1', 1)
  assert.equal(marks.current(), 'm1')
  marks.advance(null, 2)
  assert.equal(marks.current(), 'm1')
})
