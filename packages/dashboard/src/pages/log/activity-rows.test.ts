import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ActivityEntry } from '@recordhub/protocol'
import { foldRepeats, splitMessage } from './activity-rows.ts'

const entry = (id: number, given: Partial<ActivityEntry>): ActivityEntry => ({
  ...{ id, at: '2026-11-25T10:00:00Z', level: 'info', kind: 'push.updated', record_id: id },
  ...{ platform_name: 'school', actor: null, message: `Changed R-${id}`, ...given },
  details: { reference_number: `R-${id}`, ...given.details },
})
const dayOf = (at: string) => at.slice(0, 10)

test('repeats that follow each other in the events of a platform are one line of a day, and open', () => {
  const entries = [
    entry(9, {}),
    entry(8, { platform_name: 'clinic', message: 'Other R-8' }),
    entry(7, {}),
    entry(6, { message: 'New R-6' }),
    entry(5, {}),
    entry(4, { at: '2026-11-24T10:00:00Z' }),
  ]
  const lines = (opened: string[]) =>
    foldRepeats(entries, { dayOf, opened: new Set(opened) }).map(({ entry, entries, isChild }) =>
      [isChild ? '>' : '', entry.id, entries.length > 1 ? `${entries.length} ×` : ''].join(''),
    )
  assert.deepEqual(lines([]), ['92 ×', '8', '6', '5', '4'])
  assert.deepEqual(lines(['line 7']), ['92 ×', '>9', '>7', '8', '6', '5', '4'])
})

test('a message is divided around its reference, or its pull', () => {
  assert.deepEqual(splitMessage(entry(1, { message: 'Changed R-1 (Cases)' })), {
    ...{ before: 'Changed ', link: { text: 'R-1', record: 1, pull: null }, after: ' (Cases)' },
  })
  const pull = entry(2, { message: 'Pull 2 failed', details: { reference_number: '', pull_id: 2 } })
  assert.deepEqual(splitMessage(pull).link, { text: 'Pull 2', record: null, pull: 2 })
  assert.equal(splitMessage(entry(3, { message: 'Nothing' })).link, null)
})
