/** The frequent tasks of an operator take no more clicks than were promised for them. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  OVERVIEW_TITLE,
  openPage,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import { shareCasesHub } from '../helpers/browser/records.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import {
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

/** Counts the presses of the mouse in a page from now on, whoever causes them. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`(() => {
    window.clicks = 0
    window.addEventListener('pointerdown', () => { window.clicks += 1 }, true)
  })()`)
  return () => page.evaluate<number>('window.clicks')
}

describe('the clicks of tasks with records', BROWSER_TEST, () => {
  const cases = shareCasesHub()

  test('the state of the hub takes no click, and a person is found and opened with the keyboard', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto('/dashboard')
    const clicks = await countClicks(page)
    await page.getByRole('heading', { level: 1, name: OVERVIEW_TITLE }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search' })
    await palette.getByLabel('Commands, pages, platforms, records').waitFor()
    await untilTrueInPage(page, "document.activeElement?.getAttribute('role') === 'combobox'")
    await page.keyboard.type('person 007')
    // Without a look at the results.
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Person 007' }).waitFor()
    assert.equal(await clicks(), 0)
  })

  test('a field is filtered with two clicks and a value, and the records are exported with two', async () => {
    const { page } = await openPage(cases().hub, { width: 1440 })
    await page.goto(cases().address())
    await page.getByText('120 records').waitFor()
    const clicks = await countClicks(page)
    await page.getByRole('button', { name: 'Amount', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Filter' }).click()
    await untilTrueInPage(
      page,
      "document.activeElement?.labels?.[0]?.textContent.startsWith('Value')",
    )
    await page.keyboard.type('7')
    await page.keyboard.press('Enter')
    await page.getByText('1 record of 120').waitFor()
    assert.equal(await clicks(), 2)

    await page.getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('link', { name: 'Download' }).click()
    await downloading
    assert.equal(await clicks(), 4)
  })
})

describe('the clicks of repairs', BROWSER_TEST, () => {
  let hub: TestHub
  let clinic: SimulatedPlatform
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const records = Array.from({ length: 40 }, (_, number) => simulatedRecord(number))
    const modules = ['cases', 'staff'].map((type) => simulatedModule(type, { records }))
    clinic = await simulatePlatform({ platform_name: 'clinic', modules })
    await hub.register(clinic)
    await hub.pullAll()
  })
  after(async () => {
    await hub[Symbol.asyncDispose]()
    await clinic[Symbol.asyncDispose]()
  })

  test('a platform is pulled with one click', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const clicks = await countClicks(page)
    await page.getByRole('button', { name: 'Pull Title of clinic now' }).click()
    await page.getByText('The pull of Title of clinic has started').waitFor()
    assert.equal(await clicks(), 1)
  })

  test('twelve pushes alike are repaired with two clicks', async () => {
    const school = await hub.registerPushing({ platform_name: 'school' })
    for (let n = 0; n < 12; n += 1) await school.post(newRecord(`R-${n}`, { record_type: 'casse' }))
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const clicks = await countClicks(page)
    const overview = page.getByRole('region', { name: 'Inbox' })
    await overview.getByRole('button', { name: 'Replay 12 as cases' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page.getByText('Replayed: 12 new, 0 rejected again').waitFor()
    assert.equal(await clicks(), 2)
  })

  test('two reviews of one fault are decided with three clicks', async () => {
    for (const one of clinic.modules) one.records = one.records.slice(0, 10)
    await hub.pullAll()
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const clicks = await countClicks(page)
    await page
      .getByRole('region', { name: 'Inbox' })
      .getByRole('link', { name: 'Review' })
      .first()
      .click()
    const both = page.getByRole('region', { name: 'Reviews of the same pull' })
    await both.waitFor()
    await expectAccessible(page)
    await both.getByRole('button', { name: 'Mark the records of 2 modules as missing…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mark the records as missing?' })
    await dialog.getByText('60 records').waitFor()
    await dialog.getByRole('button', { name: 'Mark as missing' }).click()
    await page
      .getByText('Approved. The next full pull marks those that it does not contain.')
      .waitFor()
    assert.ok((await clicks()) <= 3)
    const { text } = await hub.get('/api/v1/missing-reviews?state=approved')
    assert.equal(JSON.parse(text).missing_reviews.length, 2)
  })

  test('the connection of an item of the inbox is tested with one click', async () => {
    clinic.setResponse('records/cases', respond.status(500))
    await hub.pullAll()
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const clicks = await countClicks(page)
    await page
      .getByRole('region', { name: 'Inbox' })
      .getByRole('button', { name: 'Test', exact: true })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('status').waitFor()
    assert.equal(await clicks(), 1)
  })
})
