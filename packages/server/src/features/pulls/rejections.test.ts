import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecordElement } from '../../platform-client/records/records-chunk.ts'
import type { NewRejectedPush } from '../../storage/port/rejected-push-store.ts'
import { Rejections } from './rejections.ts'

function startRejections() {
  const stored: NewRejectedPush[] = []
  const save = async (rejected: NewRejectedPush) => stored.push(rejected) > 0
  const plan = { platform_id: 1, record_type: 'cases' }
  const read = { pull_id: 1, snapshotSeq: 1, requested_at: '2026-03-10T08:00:00.000Z' }
  return {
    stored,
    rejections: new Rejections({ rejectedPushSaver: { save } }, { plan, read, accepted: [] }),
  }
}

function element(index: number, text = '') {
  const value = { reference_number: 'R-7', full_name: `${index}`, data: { text } }
  const bytes = Buffer.from(JSON.stringify(value))
  const chunk = { bytes, starts: [0], ends: [bytes.length], firstIndex: index, tooLarge: [] }
  return new RecordElement(chunk, 0, { value })
}

test('an element that is null is not parsed again', () => {
  const chunk = { bytes: Buffer.from('1'), starts: [0], ends: [1], firstIndex: 0, tooLarge: [] }
  assert.equal(new RecordElement(chunk, 0, { value: null }).value, null)
})

test('the position of the first occurrence is looked up only for the duplicates that are stored', async () => {
  const { stored, rejections } = startRejections()
  let lookUps = 0
  const findFirst = () => {
    lookUps += 1
    return 7
  }
  for (let index = 7; index < 5007; index += 1) {
    await rejections.addDuplicate(element(index), { position: index + 1, findFirst })
  }
  assert.deepEqual([rejections.counts.rejected, stored.length, lookUps], [5000, 100, 100])
})

test('the reason of a duplicate whose body is too long names both positions, and not the reference number', async () => {
  const { stored, rejections } = startRejections()
  const long = element(11, 'x'.repeat(1024 * 1024))
  await rejections.addDuplicate(long, { position: 12, findFirst: () => 7 })
  assert.deepEqual(
    stored.map(({ message, body }) => [message, body]),
    [
      [
        'This reference number was already sent at position 7; this one is at position 12. The first one was kept.',
        '{"index":11}',
      ],
    ],
  )
})
