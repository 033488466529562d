import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isIdle, watchUserInput } from './idle-detection.ts'

test('the page counts as idle one minute after the last user input', () => {
  const page = new EventTarget()
  watchUserInput(page)
  for (const input of ['keydown', 'pointermove', 'wheel']) {
    page.dispatchEvent(new Event(input))
    const now = Date.now()
    assert.equal(isIdle(now + 50_000), false)
    assert.equal(isIdle(now + 61_000), true)
  }
  const before = Date.now() + 61_000
  page.dispatchEvent(new Event('load'))
  assert.equal(isIdle(before), true)
})
