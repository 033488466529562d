/** An open page while the hub is unavailable, and when it is available again. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  advanceUntilShown,
  BROWSER_TEST,
  expectNoHorizontalScroll,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { pullAll, registerPlatform } from '../helpers/hub/actions.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('a page while the hub is unavailable', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let hub: TestHub
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const records = Array.from({ length: 60 }, (_, index) => simulatedRecord(index + 1))
    await using platform = await simulatePlatform({
      modules: [simulatedModule('cases', { records })],
    })
    await registerPlatform(hub, platform)
    await pullAll(hub)
  })
  after(() => hub[Symbol.asyncDispose]())

  test('the page refetches failed queries automatically, also on a phone', async () => {
    await using opened = await openPage(browser(), hub, { width: 360, withClock: true })
    const { page, context } = opened
    await page.goto('/dashboard/records')
    await page.getByText('60 records').waitFor()
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Next' }).click()
    await advanceUntilShown(page, page.getByText('Could not reach the hub'))
    await advanceUntilShown(page, page.locator('[data-connection="offline"]'))
    assert.ok(await page.locator('[data-connection="offline"]').isVisible())
    await expectNoHorizontalScroll(page)
    await context.setOffline(false)
    await advanceUntilShown(page, page.getByText('60 records'))
    assert.equal(await page.getByText('Could not reach the hub').count(), 0)
  })
})
