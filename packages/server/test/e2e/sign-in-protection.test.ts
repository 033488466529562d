/** Idle sessions in a browser. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage, shareBrowser } from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/actions.ts'
import { PASSWORD } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const HOURS_MS = 3_600_000

describe('the protection of the sign-in in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  // A stopped clock, so that nothing expires on a slow machine.
  let time = Date.now()
  const clock = { now: () => new Date(time) }
  const hub = shareHub(sqliteEngine, { withOperator: true, clock })

  test('an idle session ends although the page polls, and the sign-in dialog opens over the page', async () => {
    await using opened = await openPage(browser(), hub(), { withClock: true })
    const { page } = opened
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    // Requests that are in progress when the time is changed count as activity of the user.
    let hours = 0
    let isRejected = false
    while (!isRejected && hours < 24) {
      hours += 3
      time += 3 * HOURS_MS
      const polling = page.waitForRequest('**/dashboard/realtime')
      await page.clock.fastForward(3 * HOURS_MS)
      const response = await (await polling).response()
      isRejected = response?.status() === 401
    }
    assert.ok(isRejected, 'requests of the page do not extend the session')
    assert.ok(hours > 8, `ended after ${hours} hours`)
    await ended.waitFor()
    await ended.getByLabel(/^Password \*$/).fill(PASSWORD)
    await ended.getByRole('button', { name: 'Sign in', exact: true }).click()
    await ended.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
})
