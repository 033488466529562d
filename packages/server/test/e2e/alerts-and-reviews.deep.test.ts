/** Reviews of missing records, push errors, times and completeness in the inbox. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
} from '../helpers/browser/browser.ts'
import { startHubWithReview } from '../helpers/browser/reviews.ts'
import { CONTINUOUS_ALERTS } from '../helpers/hub/alerts.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('alerts, reviews and completeness in a browser', BROWSER_TEST, () => {
  let shared: Awaited<ReturnType<typeof startHubWithReview>>
  before(async () => {
    shared = await startHubWithReview()
  })
  after(() => shared[Symbol.asyncDispose]())

  test('an alert contains advice, is acknowledged, and its item can be opened again', async () => {
    const { hub } = shared
    const { page } = await openPage(hub)
    await page.goto('/dashboard/activity?tab=alerts')
    await page.getByRole('heading', { name: 'Many records missing' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText(/Acknowledged by/).waitFor()
    await page.getByRole('button', { name: 'Send test e-mail' }).click()
    await page.getByText('HUB_SMTP_URL').last().waitFor()
    await page.getByText('Resolved', { exact: true }).click()
    await page.waitForURL(/state=resolved/)
    await page.getByText('No alerts', { exact: true }).waitFor()
    await page.getByRole('link', { name: /^Inbox \d items?$/ }).click()
    await page.getByRole('button', { name: 'Other lists' }).click()
    await page.getByRole('menuitem', { name: 'Put aside' }).click()
    await page.getByText(/^Acknowledged by/).waitFor()
    await page.getByRole('button', { name: 'Open again' }).click()
    await page.getByText('Nothing is put aside').waitFor()
  })

  test('the navigation shows the number of items in the inbox on every page and screen', async () => {
    const { hub } = shared
    const { page } = await openPage(hub)
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.goto('/dashboard')
    const navigation = page.getByRole('navigation', { name: 'Pages' })
    await navigation.getByRole('link', { name: /^Inbox \d items?$/ }).waitFor()
    await navigation.getByRole('link', { name: 'Platforms', exact: true }).click()
    // The overview has a heading of this name too, but at another level.
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor()
    // The count is part of the snapshot, which is polled anyway.
    assert.ok(requests.every((path) => !path.startsWith('/api/v1/alerts')))
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: /^Open navigation, \d items? in the inbox$/ }).click()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await navigation.getByRole('link', { name: /^Inbox \d items?$/ }).click()
    await page.getByRole('button', { name: 'Other lists' }).click()
    await page.getByRole('menuitem', { name: 'All alerts' }).click()
    const feed = page.getByRole('link', { name: 'Atom feed' })
    const url = await feed.getAttribute('href')
    // A string, because the types of the page are not available here.
    const entries: unknown = await page.evaluate(`fetch(${JSON.stringify(url)})
      .then((response) => response.text())
      .then((text) => new DOMParser().parseFromString(text, 'application/xml'))
      .then((feed) => [...feed.querySelectorAll('parsererror, entry > title')])
      .then((found) => found.map(({ textContent }) => textContent).join())`)
    assert.match(String(entries), /^(Acknowledged: .*,)?Alert: [^,]* records of /)
  })

  test('after the approval of a review, the next pull marks its records, which its platform counts', async () => {
    await using fixture = await startHubWithReview()
    const { hub } = fixture
    const { page } = await openPage(hub, { width: 390, colorScheme: 'dark' })
    await page.goto('/dashboard/inbox?tab=missing')
    await page.getByRole('heading', { name: '30 of 40 records missing (75 %)' }).waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await hub.request('POST', '/api/v1/missing-reviews/1/approve')
    await page.goto('/dashboard/inbox?tab=missing&state=approved')
    await page.getByText('Approved, awaiting the next full pull').waitFor()
    await hub.pullAll()
    await page.goto('/dashboard/inbox?tab=missing&state=all')
    await page.getByText('Marked as missing', { exact: true }).waitFor()
    await page.goto(`/dashboard/platforms/${fixture.id}`)
    await page.getByText(/30 records marked as missing/).waitFor()
  })

  test('a platform links to its reviews, which are filtered by it until the filter is removed', async () => {
    await using fixture = await startHubWithReview()
    const { page } = await openPage(fixture.hub)
    await page.goto(`/dashboard/platforms/${fixture.id}`)
    await page
      .getByRole('region', { name: 'Health' })
      .getByRole('link', { name: 'Review records' })
      .click()
    await page.getByRole('heading', { name: '30 of 40 records missing (75 %)' }).waitFor()
    assert.match(page.url(), /tab=missing&platform=/)
    await page.goto(`${page.url()}&record_type=staff`)
    await page.getByText('No matching reviews').waitFor()
    await expectAccessible(page)
    await page
      .getByRole('combobox', { name: 'Module' })
      .locator('xpath=../..')
      .getByRole('button', { includeHidden: true })
      .click()
    await page.getByRole('heading', { name: '30 of 40 records missing (75 %)' }).waitFor()
    assert.doesNotMatch(page.url(), /record_type/)
  })

  test('an alert links to its review, which lists exactly the missing records and exports them', async () => {
    await using fixture = await startHubWithReview()
    const { hub } = fixture
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    await page
      .getByRole('region', { name: 'Inbox' })
      .getByRole('link', { name: 'Review' })
      .waitFor()
    await expectAccessible(page)
    await page.goto('/dashboard/inbox?tab=alerts')
    await page.getByRole('link', { name: 'Review records' }).click()
    await page.getByRole('heading', { name: '30 of 40 records missing (75 %)' }).waitFor()
    const list = page.getByRole('region', { name: 'Records of this review' })
    const references = list.getByRole('link', { name: /^R-/ })
    const found: string[] = []
    for (const first of ['R-10', 'R-20', 'R-30']) {
      await references.first().filter({ hasText: first }).waitFor()
      found.push(...(await references.allTextContents()))
      if (first !== 'R-30') await list.getByRole('button', { name: 'Next' }).click()
    }
    const expected = fixture.records.slice(10).map(({ reference_number }) => reference_number)
    assert.deepEqual(found.sort(), expected.sort())
    await expectAccessible(page)
    await list.getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'CSV' }).click()
    const file = await readFile(await (await downloading).path(), 'utf8')
    assert.equal(file.trim().split('\r\n').length, 31)
    await list.getByRole('link', { name: 'Open in Records' }).click()
    await page.getByRole('link', { name: 'Missing records of review 1' }).waitFor()
    await page.getByText('R-39', { exact: true }).waitFor()
    assert.equal(await page.getByText('R-9', { exact: true }).count(), 0)
  })

  test('push errors are listed by reason and sender, and on the platform that may have sent them', async () => {
    await using fixture = await startHubWithReview()
    const { hub, key, id } = fixture
    await hub.push(`${key.slice(0, 7)}-wrong`, newRecord('P-1'))
    await hub.push(key, '{"data":')
    const { page } = await openPage(hub, { width: 390, colorScheme: 'dark' })
    await page.goto('/dashboard/inbox?tab=push-errors')
    const table = page.getByRole('table')
    await table.getByText('Malformed JSON').waitFor()
    await table.getByText('Invalid API key', { exact: true }).waitFor()
    await table
      .getByText(/^now$| ago$/)
      .filter({ visible: true })
      .first()
      .waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await page.goto(`/dashboard/platforms/${id}?tab=pushes`)
    const section = page.getByRole('region', { name: 'Push errors' })
    await section.getByText('Invalid API key', { exact: true }).waitFor()
    await section
      .getByText(`${key.slice(0, 7)}…`)
      .filter({ visible: true })
      .first()
      .waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await section.getByRole('link', { name: 'All push errors' }).click()
    await page.waitForURL(/tab=push-errors&platform=/)
  })

  test("an alert shows its times in the viewer's time zone, also on the overview and in the log", async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      intervals: CONTINUOUS_ALERTS,
    })
    await hub.registerPushing()
    await hub.setPullFailures(5)
    await hub.untilAlertsOpen('platform_failing')
    const { page } = await openPage(hub, { timeZone: 'Asia/Kolkata' })
    // The platform has failed since 2026-01-01 08:00 UTC.
    for (const path of ['/inbox?tab=alerts', '', '/log?kind=alert']) {
      await page.goto(`/dashboard${path}`)
      await page
        .getByText(/since Jan 01, (?:2026 )?01:30 PM/)
        .first()
        .waitFor()
      assert.doesNotMatch(await page.getByRole('main').innerText(), /2026-01-01|UTC/)
    }
  })

  test('a viewer can read everything and sees which actions require another role', async () => {
    const { hub, key } = shared
    await hub.push(key, newRecord('X-1', { record_type: 'ghosts' }))
    const operator = await hub.createOperator({ role: 'viewer' })
    const { page } = await openPage(hub, { operator })
    await page.goto('/dashboard/inbox?tab=rejected')
    await page.getByText('Replaying and dismissing require the operator role.').waitFor()
    await page.getByRole('button', { name: /^X-1 / }).click()
    await page.getByText('"reference_number": "X-1"').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Test', exact: true }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Dismiss' }).count(), 0)
    await page.goto('/dashboard/inbox?tab=missing')
    await page.getByText('Requires the operator role.').waitFor()
  })
})
