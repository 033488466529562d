/** A page that could not be loaded, and a session that could not be read, while the hub is unavailable. */

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  advanceUntilShown,
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
} from '../helpers/browser/browser.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('a page while the hub is unavailable', BROWSER_TEST, () => {
  let hub: TestHub
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const records = Array.from({ length: 60 }, (_, index) => simulatedRecord(index + 1))
    await using platform = await simulatePlatform({
      modules: [simulatedModule('cases', { records })],
    })
    await hub.register(platform)
    await hub.pullAll()
  })
  after(() => hub[Symbol.asyncDispose]())
  test('the page refetches failed queries automatically, also on a phone', async () => {
    const { page, context } = await openPage(hub, { width: 360, withClock: true })
    await page.goto('/dashboard/records?limit=25')
    await page.getByText('60 records').waitFor()
    await context.setOffline(true)
    await page.getByRole('button', { name: 'Next' }).click()
    await advanceUntilShown(page, page.getByText('Could not reach the hub'))
    await advanceUntilShown(page, page.locator('[data-connection="offline"]'))
    await page.locator('[data-connection="offline"]').getByText('offline, retrying').waitFor()
    await expectNoHorizontalScroll(page)
    await context.setOffline(false)
    await page.getByRole('button', { name: 'Retry now' }).click()
    await page.locator('[data-connection="connecting"]').waitFor()
    await advanceUntilShown(page, page.getByText('60 records'))
    assert.equal(await page.getByText('Could not reach the hub').count(), 0)
  })

  test('a page says that the hub has another version, and that pulls are paused', async () => {
    const { page } = await openPage(hub, { withClock: true })
    await page.goto('/dashboard/log')
    await page.locator('[data-connection="polling"], [data-connection="live"]').waitFor()
    await page.route('**/dashboard/realtime', async (route) => {
      const { 'if-none-match': _, ...headers } = route.request().headers()
      const response = await route.fetch({ headers })
      const { pull, ...rest } = await response.json()
      const json = { ...rest, version: '99.0.0', pull: { ...pull, schedule_paused: true } }
      await route.fulfill({ response, json })
    })
    const schedule = { pattern: '* * * * *', paused: true, paused_by: 'Petra', next_run_at: null }
    await page.route('**/api/v1/schedule', (route) =>
      route.fulfill({ json: { success: true, schedule: { ...schedule, paused_since: null } } }),
    )
    await advanceUntilShown(page, page.getByText('Pulls are paused by Petra. Pushes go on.'))
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await page.getByRole('button', { name: 'Reload' }).click()
    await page.getByText('A new version of this page is ready').waitFor({ state: 'detached' })
  })

  test('a page that could not be loaded shows an error and the navigation, and is loaded later', async () => {
    const { page, context } = await openPage(hub, { withClock: true, mayHaveErrors: true })
    await page.goto('/dashboard/log')
    await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor()
    await context.setOffline(true)
    // The search cannot be loaded either.
    await page.keyboard.press('Control+k')
    await page.getByRole('link', { name: 'Platforms', exact: true }).click()
    await page.getByRole('heading', { name: 'Could not load this page' }).waitFor()
    await page.getByRole('main').getByText('Could not reach the hub').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Could not load this page' }).waitFor()
    await context.setOffline(false)
    // The page is loaded without a click.
    await advanceUntilShown(page, page.getByRole('heading', { name: 'Platforms', exact: true }))
  })

  test('the placeholder of a page whose code loads slowly is accessible', async () => {
    const { page } = await openPage(hub)
    const released = Promise.withResolvers<void>()
    await page.route('**/assets/platforms-page*.js', async (route) => {
      await released.promise
      await route.continue()
    })
    await page.goto('/dashboard/log')
    await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor()
    await page.getByRole('link', { name: 'Platforms', exact: true }).click()
    await page.getByRole('status', { name: 'Loading' }).waitFor()
    // The heading of the page is loaded with it.
    await expectAccessible(page, { ignoredRules: ['page-has-heading-one'], withoutHeading: true })
    released.resolve()
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor()
  })

  test('the page retries the request of the session', async () => {
    const { page } = await openPage(hub, { withClock: true })
    await page.route('**/api/v1/session', (route) => route.abort(), { times: 1 })
    const failed = page.waitForEvent('requestfailed')
    await page.goto('/dashboard/settings')
    await failed
    await advanceUntilShown(page, page.getByRole('link', { name: 'Operators' }))
  })
})
