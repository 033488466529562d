/** The search in a browser: aborted and interrupted searches, and long results. */
import { describe, test } from 'node:test'
import { BROWSER_TEST, expectAccessibleInAllModes, openPage } from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { until } from '../helpers/time/until.ts'

describe('the search in a browser', BROWSER_TEST, () => {
  test('a new search aborts the previous one', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using slow = await simulatePlatform()
    await hub.register(slow)
    const received = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    slow.queueResponses('search', (response) => {
      response.once('close', ended.resolve)
      received.resolve()
    })
    const { page } = await openPage(hub)
    await page.goto('/dashboard/search?query=first')
    await received.promise
    await page.getByRole('textbox', { name: 'Keyword or person' }).fill('second')
    await page.keyboard.press('Enter')
    await ended.promise
    await page.getByText('1 of 1 responded').waitFor()
  })

  test('the page retries a truncated response once, and again after a click', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { page } = await openPage(hub, { withClock: true })
    let truncated = 0
    await page.route('**/api/v1/search?*', (route) => {
      truncated += 1
      return route.fulfill({
        contentType: 'application/x-ndjson',
        body: '{"kind":"started","platforms":[{"platform_name":"a","display_title":"A"}]}\n',
      })
    })
    await page.goto('/dashboard/search?query=ann')
    await until(async () => {
      await page.clock.runFor(1000)
      return truncated > 1 || null
    }, 'the page has retried the search')
    await page.getByText('The response was interrupted.').waitFor()
    await page.unroute('**/api/v1/search?*')
    await page.getByRole('button', { name: 'Search again' }).click()
    await page.getByText('no active platforms').waitFor()
  })

  test('a long result is accessible and fits the screen in all display modes', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using simulated = await simulatePlatform({
      modules: [simulatedModule('cases', { records: [simulatedRecord('W'.repeat(3000))] })],
    })
    await hub.register(simulated)
    const { page } = await openPage(hub)
    await page.goto('/dashboard/search?query=WWW')
    await page.getByText('1 of 1 responded').waitFor()
    await page.getByRole('button', { name: /^Person W/ }).click()
    await expectAccessibleInAllModes(page)
  })
})
