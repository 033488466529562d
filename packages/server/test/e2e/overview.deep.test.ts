/** The overview with many platforms, with none, and with an alert. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  PHONE,
  setDisplayMode,
} from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { respond, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

/** A hub with two platforms, one of which fails, and some records. */
async function startBusyHub() {
  const clock = new TestClock()
  // Far from midnight, because counts are per day.
  clock.set(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`)
  const hub = await startTestHub(sqliteEngine, { withOperator: true, clock })
  const school = await simulatePlatform({ platform_name: 'school' })
  const clinic = await simulatePlatform({ platform_name: 'clinic' })
  school.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2), { full_name: 'Nobody' })
  clinic.setResponse('records/cases', respond.status(500))
  const { hub_api_key } = await hub.register(school)
  await hub.register(clinic)
  await hub.pullAll()
  await hub.push(hub_api_key, newRecord('N-1', { full_name: 'Bea Example' }))
  await hub.push(hub_api_key, newRecord('N-2', { record_type: 'nothing' }))
  return {
    hub,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await school[Symbol.asyncDispose]()
      await clinic[Symbol.asyncDispose]()
    },
  }
}

describe('the overview', BROWSER_TEST, () => {
  test('the overview shows the state of the hub', async () => {
    await using busy = await startBusyHub()
    const { page } = await openPage(busy.hub)
    await page.goto('/dashboard')
    const records = page.getByRole('region', { name: 'Latest records' })
    await records.getByText('Bea Example').waitFor()
    await page.locator('.recharts-bar-rectangle').first().waitFor({ state: 'attached' })
    const main = page.getByRole('main')
    for (const [tile, figure] of [
      ['Active platforms', '2 / 2'],
      ['Modules', '2'],
      ['Records', '3'],
      ['Received today', '3'],
      ['Rejected today', '2'],
    ] as const) {
      const name = new RegExp(`^${tile}\\s*${figure}$`)
      await main.getByRole('link', { name }).waitFor()
    }
    const sync = page.getByRole('region', { name: 'Latest Sync' })
    await sync.getByText('Partial').waitFor()
    await sync.getByText(/started by /).waitFor()
    const platforms = page.getByRole('region', { name: 'Platforms' })
    await platforms.getByText('Failing').waitFor()
    await platforms.getByRole('img', { name: 'The last pull: 1 failed' }).waitFor()
    await platforms
      .getByRole('img', { name: 'The last pull: 1 succeeded with rejected or unlisted records' })
      .waitFor()
    await page.getByRole('region', { name: 'Latest activity' }).getByText(/N-1/).waitFor()
    await setDisplayMode(page, PHONE)
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
  })

  test('many platforms are shown in pages, and the URL contains the page', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    for (let number = 0; number < 13; number += 1) {
      await hub.registerPushing({ platform_name: `p-${String(number).padStart(2, '0')}` })
    }
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const platforms = page.getByRole('region', { name: 'Platforms' })
    await platforms.getByText('Title of p-00').waitFor()
    assert.equal(await platforms.getByText('Title of p-12').count(), 0)
    await platforms.getByRole('button', { name: 'Next platforms' }).click()
    await platforms.getByText('Title of p-12').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('platforms'), '2')
    await expectAccessible(page)
    await page.goBack()
    await platforms.getByText('Title of p-00').waitFor()
  })

  test('an empty hub shows the first step', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Register a platform' }).waitFor()
    await page.getByText('No pulls yet.').waitFor()
    await expectAccessible(page)
  })

  test('the overview shows an open alert, which can be acknowledged', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const at = new Date().toISOString()
    await hub.sql(`INSERT INTO alerts (kind, subject, message, raised_at)
       VALUES ('disk_low', 'disk', 'The disk is nearly full', '${at}')`)
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const alerts = page.getByRole('region', { name: 'Open alerts' })
    await alerts.getByText('The disk is nearly full').waitFor()
    await expectAccessible(page)
    await alerts.getByRole('button', { name: 'Acknowledge' }).click()
    await alerts.getByText(/Acknowledged by/).waitFor()
  })
})
