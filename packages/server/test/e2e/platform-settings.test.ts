/** The hub API key in the settings of a platform, in a browser. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectStaysOpen,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { pushStatus, readShownKey } from '../helpers/browser/platforms.ts'
import { createPlatform, shareHub } from '../helpers/hub/actions.ts'
import { PASSWORD } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the settings of a platform in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('entering the password reveals the hub API key, and the key is rotated with a grace period', async () => {
    await using platform = await createPlatform(hub())
    const { id, hub_api_key: old } = platform
    await using opened = await openPage(browser(), hub())
    const { page, pageErrors } = opened
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    await page.getByRole('button', { name: 'Reveal key' }).click()
    const password = page.getByRole('textbox', { name: 'Your password' })
    await password.fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('The password is wrong.').waitFor()
    await expectAccessible(page)
    await password.fill(PASSWORD)
    await page.keyboard.press('Enter')
    assert.equal(await readShownKey(page), old)
    await expectStaysOpen(page, page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('button', { name: 'Create new key' }).click()
    const second = await readShownKey(page)
    assert.notEqual(second, old)
    await expectStaysOpen(page, page.getByRole('dialog', { name: 'New hub API key' }))
    await page.getByRole('button', { name: 'Done' }).click()
    for (const key of [old, second]) assert.ok((await pushStatus(hub(), key, 'R-1')) < 300)
    const keys = page.getByRole('list', { name: 'Valid keys' }).getByRole('listitem')
    await keys.nth(1).getByText('valid until').waitFor()
    assert.equal(await keys.count(), 2)

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('combobox', { name: 'How long the old key stays valid' }).click()
    await page.getByRole('option', { name: 'Expires immediately' }).click()
    await page.getByText('Pushes with the old key are rejected immediately').waitFor()
    await page.getByRole('button', { name: 'Create new key' }).click()
    const third = await readShownKey(page)
    assert.equal(await pushStatus(hub(), second, 'R-2'), 401)
    assert.equal(await pushStatus(hub(), old, 'R-2'), 401)
    assert.equal(await pushStatus(hub(), third, 'R-2'), 201)
    assert.deepEqual(pageErrors, [])
  })
})
