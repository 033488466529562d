/** The registration of a platform in a browser: a rejected first push, and the keyboard. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  advanceUntilShown,
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  untilFieldValue,
} from '../helpers/browser/browser.ts'
import { COURT_TITLE, simulateCourt, startHubWithOperator } from '../helpers/browser/platforms.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { respond } from '../helpers/platform/respond.ts'

describe('registering a platform in a browser', BROWSER_TEST, () => {
  test('a rejected first push is shown with a link to its reason', async () => {
    await using hub = await startHubWithOperator()
    await using platform = await simulateCourt()
    const { id, hub_api_key } = await hub.register(platform)
    const { page } = await openPage(hub, { width: 390, withClock: true })
    await page.goto(`/dashboard/platforms/new?registered=${id}`)
    await page.getByText('The key was shown when the platform was registered.').waitFor()
    await page.getByText('Waiting for the first push').waitFor()
    await hub.push(hub_api_key, newRecord('R-1', { record_type: 'ghosts' }))
    await advanceUntilShown(page, page.getByText('Push rejected'))
    await page.getByRole('link', { name: 'View rejected push' }).click()
    await page.getByRole('button', { name: /ghosts/ }).click()
    await page.getByLabel('Body', { exact: true }).getByText('"R-1"').waitFor()
    await expectNoHorizontalScroll(page)
    await expectAccessible(page)
  })

  test('after a redirect, the address to which it leads can be used', async () => {
    await using hub = await startHubWithOperator()
    await using platform = await simulateCourt()
    const location = `${platform.source_base_url}/api/hub/ping`
    await using moved = await simulatePlatform()
    moved.setResponse('ping', respond.redirect(location))
    const { page } = await openPage(hub)
    await page.goto('/dashboard/platforms/new')
    const url = page.getByLabel('Source Base URL')
    await url.fill(moved.source_base_url)
    await page.getByRole('textbox', { name: 'Source API key' }).fill(platform.source_api_key)
    await page.getByRole('button', { name: 'Test Connection' }).click()
    const checks = page.getByRole('list', { name: 'Checks' })
    await checks.getByText('Likely cause').waitFor()
    await checks.getByText('a missing www').waitFor()
    await expectAccessible(page)
    await checks.getByRole('button', { name: 'Use that address' }).click()
    await untilFieldValue(url, platform.source_base_url)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Select modules' }).waitFor()
  })

  test('the wizard is operable by keyboard', async () => {
    await using hub = await startHubWithOperator()
    await using platform = await simulateCourt()
    const { page } = await openPage(hub)
    await page.goto('/dashboard/platforms/new')
    await page.getByLabel('Source Base URL').waitFor()
    await tabTo(page, 'Source Base URL')
    await page.keyboard.type(platform.source_base_url)
    await page.keyboard.press('Tab')
    await page.keyboard.type(platform.source_api_key)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Select modules' }).waitFor()
    await tabTo(page, 'Select modules')
    await page.keyboard.press('Enter')
    await page.getByRole('checkbox', { name: 'Cases' }).waitFor()
    await tabTo(page, 'Cases')
    await page.keyboard.press('Space')
    await tabTo(page, 'Register with 1 module')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: `${COURT_TITLE} is registered` }).waitFor()
    const [row] = await hub.sql(`SELECT record_type FROM modules WHERE registered_at IS NOT NULL`)
    assert.equal(row?.['record_type'], 'visits')
  })
})

/** Presses the Tab key until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let steps = 0; steps < 60; steps++) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate<string>(
      `(() => { const one = document.activeElement; return one?.ariaLabel ?? one?.labels?.[0]?.textContent ?? one?.textContent ?? '' })()`,
    )
    if (focused.replace(/\s*\*$/, '').trim() === name) return
  }
  assert.fail(`The Tab key does not lead to ${name}`)
}
