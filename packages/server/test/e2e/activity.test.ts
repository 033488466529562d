/** The log in a browser, by keyboard. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { newRecord, push, registerPushingPlatform } from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the log in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('a log entry opens with its details by keyboard, and a link opens it again', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { hub_api_key } = await registerPushingPlatform(hub)
    await push(hub, hub_api_key, newRecord('P-0'))
    await using opened = await openPage(browser(), hub, { colorScheme: 'dark' })
    const { page, pageErrors } = opened
    await page.goto('/dashboard/activity')
    await page.getByRole('button', { name: /P-0/ }).press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Log entry' })
    await drawer.getByRole('link', { name: /^Record \d+/ }).waitFor()
    await drawer.getByRole('link', { name: 'All entries of this record' }).waitFor()
    await expectAccessible(page)
    const url = page.url()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.goto(`${url}&q=of+another+page`)
    await drawer.getByText('push.created').waitFor()
    await page.goto('/dashboard/activity?line=999999')
    await page.getByText('Log entry not found').waitFor()
    assert.deepEqual(pageErrors, [])
  })
})
