/** What waits for somebody: alerts, questions about missing records, completeness (UI: activity). */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import {
  newRecord,
  pullAll,
  push,
  registerPlatform,
  registerPushingPlatform,
} from '../helpers/hub/actions.ts'
import { ALERTS_AT_ONCE, failPulls, untilOpen } from '../helpers/hub/alerts.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { createOperator } from '../helpers/hub/operators.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('what waits for somebody, in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let shared: Awaited<ReturnType<typeof startWithQuestion>>
  before(async () => {
    shared = await startWithQuestion()
  })
  after(() => shared[Symbol.asyncDispose]())

  test('an alert says what to do and is acknowledged', async () => {
    const { hub } = shared
    await untilOpen(hub, 'missing_review')
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard/activity')
    await page.getByRole('tab', { name: /Alerts/ }).click()
    await page.getByRole('heading', { name: 'Many records are gone' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'I look at it' }).click()
    await page.getByText(/Acknowledged by/).waitFor()
    await page.getByRole('button', { name: 'Send a test mail' }).click()
    await page.getByText('HUB_SMTP_URL').last().waitFor()
    await page.getByText('Over', { exact: true }).click()
    await page.waitForURL(/state=resolved/)
    await page.getByText('No alerts', { exact: true }).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('an alert leads to its review, which lists exactly the missing records and exports them', async () => {
    await using kit = await startWithQuestion()
    const { hub } = kit
    await untilOpen(hub, 'missing_review')
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Review the records' }).waitFor()
    await expectAccessible(page)
    await page.goto('/dashboard/activity?tab=alerts')
    await page.getByRole('link', { name: 'Review the records' }).click()
    await page.getByRole('heading', { name: '30 of 40 records did not come (75 %)' }).waitFor()
    const list = page.getByRole('region', { name: 'Records of this review' })
    const references = list.getByRole('link', { name: /^R-/ })
    const found: string[] = []
    for (const first of ['R-10', 'R-20', 'R-30']) {
      await references.first().filter({ hasText: first }).waitFor()
      found.push(...(await references.allTextContents()))
      if (first !== 'R-30') await list.getByRole('button', { name: 'Next' }).click()
    }
    const expected = kit.records.slice(10).map(({ reference_number }) => reference_number)
    assert.deepEqual(found.sort(), expected.sort())
    await expectAccessible(page)
    await list.getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    const file = await readFile(await (await downloading).path(), 'utf8')
    assert.equal(file.trim().split('\r\n').length, 31)
    await list.getByRole('link', { name: 'Open in Records' }).click()
    await page.getByRole('link', { name: 'Review 1 of missing records' }).waitFor()
    await page.getByText('R-39', { exact: true }).waitFor()
    assert.equal(await page.getByText('R-9', { exact: true }).count(), 0)
    assert.deepEqual(complaints, [])
  })

  test('push errors are listed by reason and sender, and on the platform that may have sent them', async () => {
    await using kit = await startWithQuestion()
    const { hub, key, id } = kit
    await push(hub, `${key.slice(0, 7)}-wrong`, newRecord('P-1'))
    await push(hub, key, '{"data":')
    await using opened = await openPage(browser(), hub, { width: 390, colorScheme: 'dark' })
    const { page, complaints } = opened
    await page.goto('/dashboard/activity')
    await page.getByRole('tab', { name: 'Push errors' }).click()
    const table = page.getByRole('table')
    await table.getByText('Malformed JSON').waitFor()
    await table.getByText('Invalid API key').waitFor()
    await table
      .getByText(/\d\d:\d\d:\d\d [AP]M/)
      .filter({ visible: true })
      .first()
      .waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.goto(`/dashboard/platforms/${id}?tab=pushes`)
    const section = page.getByRole('region', { name: 'Push errors' })
    await section.getByText('Invalid API key').waitFor()
    await section
      .getByText(`${key.slice(0, 7)}…`)
      .filter({ visible: true })
      .first()
      .waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await section.getByRole('link', { name: 'All push errors' }).click()
    await page.waitForURL(/tab=push-errors&platform=/)
    assert.deepEqual(complaints, [])
  })

  test("an alert shows its times in the viewer's time zone, on the overview and in the log too", async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      intervals: ALERTS_AT_ONCE,
    })
    await registerPushingPlatform(hub)
    await failPulls(hub, 5)
    await untilOpen(hub, 'platform_failing')
    await using opened = await openPage(browser(), hub, { timeZone: 'Asia/Kolkata' })
    const { page } = opened
    // It has failed since 2026-01-01 08:00 UTC.
    for (const path of ['?tab=alerts', '', '?tab=log&kind=alert']) {
      await page.goto(`/dashboard${path.startsWith('?') ? `/activity${path}` : path}`)
      await page.getByText('since Jan 01, 2026 01:30 PM').first().waitFor()
      assert.doesNotMatch(await page.getByRole('main').innerText(), /2026-01-01|UTC/)
    }
  })

  test('a question about missing records says what each answer does, and is answered', async () => {
    await using kit = await startWithQuestion()
    const { hub } = kit
    await using opened = await openPage(browser(), hub, { width: 390, colorScheme: 'dark' })
    const { page, complaints } = opened
    await page.goto('/dashboard/activity?tab=missing')
    await page.getByRole('heading', { name: '30 of 40 records did not come (75 %)' }).waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: 'Approve…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Approve: they are gone' })
    await dialog.getByText('They stay stored').waitFor()
    await dialog.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('No question waits for an answer').waitFor()
    await page.getByText('Approved', { exact: true }).click()
    await page.getByText('Approved, waits for the next complete read').waitFor()
    await pullAll(hub)
    await page.goto('/dashboard/activity?tab=missing&state=all')
    await page.getByText('Marked as approved').waitFor()
    await page.goto('/dashboard/activity?tab=completeness')
    await page.getByRole('link', { name: '30 missing' }).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('completeness says which module is proved, and why another one is not', async () => {
    const { hub, key } = shared
    await push(hub, key, newRecord('P-1'))
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard/activity?tab=completeness')
    await page.getByText('Not proved').last().waitFor()
    await page.getByText('All here').last().waitFor()
    const doubt = 'Records that the pull did not contain wait for another pull or a review'
    await page.getByText(doubt).last().waitFor()
    await expectAccessible(page)
    assert.deepEqual(complaints, [])
  })

  test('a viewer reads all of it and is told what takes another role', async () => {
    const { hub, key } = shared
    await push(hub, key, newRecord('X-1', { record_type: 'ghosts' }))
    const operator = await createOperator(hub, { role: 'viewer' })
    await using opened = await openPage(browser(), hub, { operator })
    const { page } = opened
    await page.goto('/dashboard/activity?tab=rejected')
    await page.getByText('Replaying and dismissing take the role operator.').waitFor()
    await page.getByRole('button', { name: /^X-1 / }).click()
    await page.getByText('"reference_number": "X-1"').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Try it' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Dismiss it' }).count(), 0)
    await page.goto('/dashboard/activity?tab=missing')
    await page.getByText('Answering takes the role operator.').waitFor()
  })
})

/** A hub whose platform has dropped 30 of 40 records of one module, and none of the other. */
async function startWithQuestion() {
  const hub = await startTestHub(sqliteEngine, {
    withOperator: true,
    intervals: { ...ALERTS_AT_ONCE, pushErrors: 1 },
  })
  const records = Array.from({ length: 40 }, (_, number) => simulatedRecord(number))
  const cases = simulatedModule('cases', { records })
  const staff = simulatedModule('staff', { records: [simulatedRecord('a')] })
  const platform = await simulatePlatform({ modules: [cases, staff] })
  const { hub_api_key: key, id } = await registerPlatform(hub, platform)
  await pullAll(hub)
  cases.records = records.slice(0, 10)
  await pullAll(hub)
  return {
    ...{ hub, key, id, records },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}
