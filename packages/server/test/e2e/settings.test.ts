/** API tokens in a browser, which are shown once. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectStaysOpen,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/actions.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('settings in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const hub = shareHub(sqliteEngine, {
    withOperator: true,
    env: { HUB_PULL_SCHEDULE: '17 * * * *' },
  })

  test('a token is created, shown once, works, and is revoked', async () => {
    await using opened = await openPage(browser(), hub())
    const { page, pageErrors } = opened
    await page.goto('/dashboard/settings?tab=tokens')
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create token' })
    await dialog.getByLabel('Name').fill('nightly export')
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const shown = page.getByRole('dialog', { name: 'Token created' })
    const token = await shown.locator('[data-secret="token"]').innerText()
    await expectAccessible(page)
    await expectStaysOpen(page, shown)
    await shown.getByRole('button', { name: 'Done' }).click()
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await hub().send({ url: '/api/v1/platforms', headers })).status, 200)
    await page.reload()
    const row = page.getByRole('row', { name: /nightly export/ })
    await row
      .getByText(/[AP]M$/)
      .first()
      .waitFor()
    assert.ok(!(await page.content()).includes(token))
    await row.getByRole('button', { name: 'Revoke the token nightly export' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Revoke “nightly export”?' })
    await confirmation.getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    assert.equal((await hub().send({ url: '/api/v1/platforms', headers })).status, 401)
    assert.deepEqual(pageErrors, [])
  })
})
