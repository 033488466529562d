/** Alerts and reviews of missing records in a browser. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { startHubWithReview } from '../helpers/browser/reviews.ts'
import { pullAll } from '../helpers/hub/actions.ts'

describe('alerts, reviews and completeness in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let shared: Awaited<ReturnType<typeof startHubWithReview>>
  before(async () => {
    shared = await startHubWithReview()
  })
  after(() => shared[Symbol.asyncDispose]())

  test('an alert contains advice and is acknowledged', async () => {
    const { hub } = shared
    await using opened = await openPage(browser(), hub)
    const { page, pageErrors } = opened
    await page.goto('/dashboard/activity')
    await page.getByRole('tab', { name: /Alerts/ }).click()
    await page.getByRole('heading', { name: 'Many records missing' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText(/Acknowledged by/).waitFor()
    await page.getByRole('button', { name: 'Send test e-mail' }).click()
    await page.getByText('HUB_SMTP_URL').last().waitFor()
    await page.getByText('Resolved', { exact: true }).click()
    await page.waitForURL(/state=resolved/)
    await page.getByText('No alerts', { exact: true }).waitFor()
    assert.deepEqual(pageErrors, [])
  })

  test('the navigation shows the number of open alerts on every page and screen', async () => {
    const { hub } = shared
    await using opened = await openPage(browser(), hub)
    const { page, pageErrors } = opened
    const requests: string[] = []
    page.on('request', (request) => requests.push(new URL(request.url()).pathname))
    await page.goto('/dashboard')
    const navigation = page.getByRole('navigation', { name: 'Pages' })
    await navigation.getByRole('link', { name: 'Activity 1 open alert' }).waitFor()
    await navigation.getByRole('link', { name: 'Platforms', exact: true }).click()
    // The overview has a heading of this name too, but at another level.
    await page.getByRole('heading', { level: 1, name: 'Platforms' }).waitFor()
    // The count is part of the snapshot, which is polled anyway.
    assert.ok(requests.every((path) => !path.startsWith('/api/v1/alerts')))
    await page.setViewportSize({ width: 390, height: 800 })
    await page.getByRole('button', { name: 'Open navigation, 1 open alert' }).click()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await navigation.getByRole('link', { name: 'Activity 1 open alert' }).click()
    await page.getByRole('tab', { name: /Alerts/ }).click()
    const feed = page.getByRole('link', { name: 'Atom feed' })
    const url = await feed.getAttribute('href')
    // A string, because the types of the page are not available here.
    const entries: unknown = await page.evaluate(`fetch(${JSON.stringify(url)})
      .then((response) => response.text())
      .then((text) => new DOMParser().parseFromString(text, 'application/xml'))
      .then((feed) => [...feed.querySelectorAll('parsererror, entry > title')])
      .then((found) => found.map(({ textContent }) => textContent).join())`)
    assert.match(String(entries), /^(Acknowledged: .*,)?Alert: [^,]* records of /)
    assert.deepEqual(pageErrors, [])
  })

  test('a review of missing records explains both decisions, and is approved', async () => {
    await using fixture = await startHubWithReview()
    const { hub } = fixture
    await using opened = await openPage(browser(), hub, { width: 390, colorScheme: 'dark' })
    const { page, pageErrors } = opened
    await page.goto('/dashboard/activity?tab=missing')
    await page.getByRole('heading', { name: '30 of 40 records missing (75 %)' }).waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await page.getByRole('button', { name: 'Mark as missing…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mark the records as missing?' })
    await dialog.getByText('They stay stored').waitFor()
    await dialog.getByRole('button', { name: 'Mark as missing' }).click()
    await page.getByText('No open reviews').waitFor()
    await page.getByText('Approved', { exact: true }).click()
    await page.getByText('Approved, awaiting the next full pull').waitFor()
    await pullAll(hub)
    await page.goto('/dashboard/activity?tab=missing&state=all')
    await page.getByText('Marked as missing', { exact: true }).waitFor()
    await page.goto('/dashboard/activity?tab=completeness')
    await page.getByRole('link', { name: '30 missing' }).waitFor()
    assert.deepEqual(pageErrors, [])
  })
})
