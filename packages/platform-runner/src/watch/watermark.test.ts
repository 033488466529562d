import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWatermark } from './watermark.ts'

test('the watermark advances to a change time once the overlap has passed since its poll', () => {
  const watermark = createWatermark('m0', 1000)
  watermark.advance('m1', 0)
  watermark.advance('m2', 600)
  assert.equal(watermark.current(), 'm0')
  watermark.advance('m3', 1000)
  assert.equal(watermark.current(), 'm1')
  watermark.advance('m4', 5000)
  assert.equal(watermark.current(), 'm3')
})

test('an empty table has no watermark, and a watermark is never reset', () => {
  const watermark = createWatermark(null, 0)
  watermark.advance(null, 0)
  assert.equal(watermark.current(), null)
  watermark.advance('m1', 1)
  assert.equal(watermark.current(), 'm1')
  watermark.advance(null, 2)
  assert.equal(watermark.current(), 'm1')
})
