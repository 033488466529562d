/** What waits for somebody: alerts, questions about missing records, completeness (UI: activity). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { newRecord, pullAll, push, registerAny, registerPlatform } from '../helpers/hub/actions.ts'
import { ALERTS_AT_ONCE, failAll, untilOpen } from '../helpers/hub/alerts.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('what waits for somebody, in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('an alert says what to do and is acknowledged', async () => {
    await using kit = await startWithQuestion()
    const { hub } = kit
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
    await page.getByText('There have been no alerts').waitFor()
    assert.deepEqual(complaints, [])
  })

  test("an alert shows its times in the viewer's time zone, on the overview and in the log too", async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      pace: ALERTS_AT_ONCE,
    })
    await registerAny(hub)
    await failAll(hub, 5)
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
    await using kit = await startWithQuestion()
    const { hub, key } = kit
    await push(hub, key, newRecord('P-1'))
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard/activity?tab=completeness')
    await page.getByText('Not proved').last().waitFor()
    await page.getByText('All here').last().waitFor()
    const doubt = 'Records that did not come wait for a second read or an answer'
    await page.getByText(doubt).last().waitFor()
    await expectAccessible(page)
    assert.deepEqual(complaints, [])
  })

  test('a viewer reads all of it and is told what takes another role', async () => {
    await using kit = await startWithQuestion()
    const { hub, key } = kit
    await push(hub, key, newRecord('X-1', { record_type: 'ghosts' }))
    await runSql(hub.storage, "UPDATE operators SET role = 'viewer'")
    await using opened = await openPage(browser(), hub)
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
  const hub = await startTestHub(sqliteEngine, { withOperator: true, pace: ALERTS_AT_ONCE })
  const records = Array.from({ length: 40 }, (_, number) => simulatedRecord(number))
  const cases = simulatedModule('cases', { records })
  const staff = simulatedModule('staff', { records: [simulatedRecord('a')] })
  const platform = await simulatePlatform({ modules: [cases, staff] })
  const { hub_api_key: key } = await registerPlatform(hub, platform)
  await pullAll(hub)
  cases.records = records.slice(0, 10)
  await pullAll(hub)
  return {
    hub,
    key,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}
