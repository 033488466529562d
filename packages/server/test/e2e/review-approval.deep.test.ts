/** Alerts and reviews of missing records in a browser. */
import { describe, test } from 'node:test'
import { BROWSER_TEST, expectNoHorizontalScroll, openPage } from '../helpers/browser/browser.ts'
import { startHubWithReview } from '../helpers/browser/reviews.ts'

describe('alerts and reviews in a browser', BROWSER_TEST, () => {
  test('the navigation shows the number of items, an alert is acknowledged, and its review is approved', async () => {
    await using fixture = await startHubWithReview()
    const { hub } = fixture
    const { page } = await openPage(hub, { width: 390, colorScheme: 'dark' })
    await page.goto('/dashboard/inbox?tab=alerts')
    await page.getByRole('heading', { name: 'Many records missing' }).waitFor()
    await page.getByRole('button', { name: 'Open navigation, 2 items in the inbox' }).waitFor()
    await page.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText(/Acknowledged by/).waitFor()
    await page.goto('/dashboard/inbox?tab=missing')
    await page.getByRole('heading', { name: '30 of 40 records missing (75 %)' }).waitFor()
    await expectNoHorizontalScroll(page)
    await page.getByRole('button', { name: 'Mark as missing…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mark the records as missing?' })
    await dialog.getByText('They stay stored').waitFor()
    await dialog.getByRole('button', { name: 'Mark as missing' }).click()
    await page.getByText('No open reviews').waitFor()
    await page.getByText('Approved', { exact: true }).click()
    await page.getByText('Approved, awaiting the next full pull').waitFor()
  })
})
