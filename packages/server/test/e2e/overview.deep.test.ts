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
  untilTrueInPage,
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
    // A platform that cannot be read, a rejected push, a rejected record, and no backup.
    await page.getByRole('heading', { level: 1, name: '4 things need you' }).waitFor()
    await page.getByText('2 of 3 listed records are here').waitFor()
    await untilTrueInPage(page, "document.title === '(4) Overview · Recordhub'")
    const inbox = page.getByRole('region', { name: 'Inbox' })
    await inbox.getByText('Title of clinic cannot be read completely').waitFor()
    await inbox.getByText('1 push rejected: the module "nothing" was not registered').waitFor()
    await inbox.getByRole('link', { name: '1 more in the inbox' }).waitFor()
    const unequal = page.getByRole('region', { name: 'Is it all there?' })
    await unequal.getByRole('row', { name: /school 3 2 −1/ }).waitFor()
    await unequal.getByRole('row', { name: /clinic unknown 0 — never verified/ }).waitFor()
    const sync = page.getByRole('region', { name: 'Latest Sync' })
    await sync.getByText('Partial').waitFor()
    await sync.getByText('1 of 2 platforms', { exact: true }).waitFor()
    await sync.getByText('1 of 2 modules', { exact: true }).waitFor()
    const numbers = page.getByRole('region', { name: 'Numbers' })
    await numbers.getByText('1 push', { exact: true }).waitFor()
    await sync.getByRole('time').first().hover()
    await page
      .getByRole('tooltip')
      .getByText(/M (?:GMT|UTC)/)
      .waitFor()
    await numbers.getByRole('link', { name: '1 failed', exact: true }).click()
    await page.getByText('1 matching pull').waitFor()
    const { searchParams } = new URL(page.url())
    assert.deepEqual([...searchParams.keys()], ['only', 'since'])
    await page.goBack()
    // A rejected push and a rejected record.
    await numbers.getByRole('link', { name: '2 rejected', exact: true }).click()
    const list = page.getByRole('table', { name: 'Rejected' })
    await list.getByRole('row').nth(2).waitFor()
    assert.ok(new URL(page.url()).searchParams.has('since'))
    await page.goBack()
    await numbers.getByRole('link', { name: /: 1 push, 2 rejected$/ }).click()
    await page.getByText('2 events on this page').waitFor()
    await page.goBack()
    await numbers.getByText('1 h', { exact: true }).click()
    await numbers.getByText('per 2 minutes').first().waitFor()
    await numbers.getByText('1 push', { exact: true }).waitFor()
    const platforms = page.getByRole('region', { name: 'Platforms' })
    await platforms.getByText('1 failing, 1 to look at').waitFor()
    await platforms.getByText(', 1 rejected').waitFor({ state: 'attached' })
    await platforms.getByRole('img', { name: 'The last pull: 1 failed' }).waitFor()
    await platforms
      .getByRole('img', { name: 'The last pull: 1 succeeded with rejected or unlisted records' })
      .waitFor()
    await setDisplayMode(page, PHONE)
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
  })

  test('of many platforms, the first ones are shown', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    for (let number = 0; number < 13; number += 1) {
      await hub.registerPushing({ platform_name: `p-${String(number).padStart(2, '0')}` })
    }
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const platforms = page.getByRole('region', { name: 'Platforms' })
    await platforms.getByText('Title of p-00').waitFor()
    assert.equal(await platforms.getByText('Title of p-12').count(), 0)
    await platforms.getByRole('link', { name: '1 more platform' }).click()
    await page.getByText('Title of p-12').waitFor()
  })

  test('an empty hub shows the first steps, which tick themselves, until they are hidden', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const register = page.getByRole('listitem').filter({ hasText: 'Register a platform' })
    await register.getByRole('link', { name: 'Register a platform' }).waitFor()
    await page.getByText('Schedule backups').waitFor()
    await expectAccessible(page)
    await hub.registerPushing()
    await register.getByLabel('Done').waitFor()
    await page.getByRole('heading', { level: 1, name: '1 thing needs you' }).waitFor()
    await page.getByRole('button', { name: 'Hide this list' }).click()
    await register.waitFor({ state: 'detached' })
    // The recommended action of an item leads to its place.
    const inbox = page.getByRole('region', { name: 'Inbox' })
    await inbox.getByRole('link', { name: 'Make a backup' }).click()
    await page.getByRole('heading', { level: 1, name: 'Backups' }).waitFor()
  })

  test('the overview shows an open alert, which can be acknowledged', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const at = new Date().toISOString()
    await hub.sql(`INSERT INTO alerts (kind, subject, message, raised_at)
       VALUES ('disk_low', 'disk', 'The disk is nearly full', '${at}')`)
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const inbox = page.getByRole('region', { name: 'Inbox' })
    await inbox.getByText('The disk is nearly full').waitFor()
    await expectAccessible(page)
    await inbox.getByRole('button', { name: 'Acknowledge' }).click()
    await inbox.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await inbox.getByRole('button', { name: 'More actions: The disk is nearly full' }).click()
    await page.getByRole('menuitem', { name: 'Snooze for a day' }).click()
    await inbox.waitFor({ state: 'detached' })
    await page.getByText(/^Snoozed until .+ [AP]M$/).waitFor()
  })
})
