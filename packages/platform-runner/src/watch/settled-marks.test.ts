import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSettledMarks } from './settled-marks.ts'

test('the watermark advances to marks that are as old as a change may be late', () => {
  const marks = createSettledMarks('m0', 1000)
  marks.note('m1', 0)
  marks.note('m2', 600)
  assert.equal(marks.settled(), 'm0')
  marks.note('m3', 1000)
  assert.equal(marks.settled(), 'm1')
  marks.note('m4', 5000)
  assert.equal(marks.settled(), 'm3')
})

test('an empty table has no watermark, and a watermark is never reset', () => {
  const marks = createSettledMarks(null, 0)
  marks.note(null, 0)
  assert.equal(marks.settled(), null)
  marks.note('m1', 1)
  assert.equal(marks.settled(), 'm1')
  marks.note(null, 2)
  assert.equal(marks.settled(), 'm1')
})
