import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnattended, watchAttendance } from './attendance.ts'

test('the page counts as idle one minute after the last user input', () => {
  const page = new EventTarget()
  watchAttendance(page)
  for (const sign of ['keydown', 'pointermove', 'wheel']) {
    page.dispatchEvent(new Event(sign))
    const now = Date.now()
    assert.equal(isUnattended(now + 50_000), false)
    assert.equal(isUnattended(now + 61_000), true)
  }
  const before = Date.now() + 61_000
  page.dispatchEvent(new Event('load'))
  assert.equal(isUnattended(before), true)
})
