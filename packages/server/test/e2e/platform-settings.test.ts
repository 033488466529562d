/** The settings of a platform with a browser: keys, address, status, removal (UI: platforms). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectStaysOpen,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import {
  COURT,
  pushStatus,
  shownKey,
  simulateCourt,
  startHubWithOperator,
} from '../helpers/browser/platforms.ts'
import { createPlatform, pullAll, registerPlatform, shareHub } from '../helpers/hub/actions.ts'
import { PASSWORD } from '../helpers/hub/hub.ts'
import { respond, simulatePlatform } from '../helpers/platform/platform.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the settings of a platform in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('the key is revealed for the password, and rotated with time for the old one', async () => {
    await using platform = await createPlatform(hub())
    const { id, hub_api_key: old } = platform
    await using opened = await openPage(browser(), hub())
    const { page, complaints } = opened
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    await page.getByRole('button', { name: 'Reveal key' }).click()
    const password = page.getByRole('textbox', { name: 'Your password' })
    await password.fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('The password is wrong.').waitFor()
    await expectAccessible(page)
    await password.fill(PASSWORD)
    await page.keyboard.press('Enter')
    assert.equal(await shownKey(page), old)
    await expectStaysOpen(page, page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('button', { name: 'Make a new key' }).click()
    const second = await shownKey(page)
    assert.notEqual(second, old)
    await expectStaysOpen(page, page.getByRole('dialog', { name: 'The new hub API key' }))
    await page.getByRole('button', { name: 'Done' }).click()
    for (const key of [old, second]) assert.ok((await pushStatus(hub(), key, 'R-1')) < 300)
    const keys = page.getByRole('list', { name: 'Keys that are valid' }).getByRole('listitem')
    await keys.nth(1).getByText('valid until').waitFor()
    assert.equal(await keys.count(), 2)

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByRole('combobox', { name: 'The old key' }).click()
    await page.getByRole('option', { name: 'It ends at once' }).click()
    await page.getByText('Pushes with the old key are refused from then on').waitFor()
    await page.getByRole('button', { name: 'Make a new key' }).click()
    const third = await shownKey(page)
    assert.equal(await pushStatus(hub(), second, 'R-2'), 401)
    assert.equal(await pushStatus(hub(), old, 'R-2'), 401)
    assert.equal(await pushStatus(hub(), third, 'R-2'), 201)
    assert.deepEqual(complaints, [])
  })

  test('address and key are tried before they are stored', async () => {
    await using platform = await createPlatform(hub())
    const { id, platform_name, modules } = platform
    await using moved = await simulatePlatform({
      platform_name,
      source_api_key: 'the key of the new place',
      modules,
    })
    await using opened = await openPage(browser(), hub())
    const { page } = opened
    const failed_at = new Date().toISOString()
    await runSql(
      hub().storage,
      `UPDATE platforms SET failures_in_row = 5, failed_at = '${failed_at}' WHERE platform_id = ${id}`,
    )
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    await page.getByText('Scheduled pulls are paused').waitFor()
    await page.getByLabel('Base URL').fill(moved.source_base_url)
    await page.getByRole('button', { name: 'Try and save' }).click()
    await page.getByText('Nothing was changed').waitFor()
    await page.getByText('The platform rejected the source API key').waitFor()
    await page.getByRole('textbox', { name: 'New source API key' }).fill(moved.source_api_key)
    await page.getByRole('button', { name: 'Try and save' }).click()
    await page.getByText('The change is stored.').waitFor()
    await page.getByText('Scheduled pulls are paused').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('All checks passed. Nothing was saved.').waitFor()
    await expectAccessible(page)
    moved.setResponse('records/cases', respond.html())
    assert.equal(moved.requests.filter(({ path }) => /records|search/.test(path)).length, 0)
    await page.getByRole('button', { name: 'Check everything' }).click()
    await page.getByText('an HTML page instead of JSON').waitFor()
    await page.getByText('Some checks failed. Nothing was saved.').waitFor()
  })

  test('switched off it is refused; to remove it takes its name', async () => {
    await using own = await startHubWithOperator()
    await using platform = await simulateCourt()
    const { id, hub_api_key } = await registerPlatform(own, platform)
    await pullAll(own)
    await using opened = await openPage(browser(), own)
    const { page, complaints } = opened
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    const isActive = page.getByRole('switch', { name: /^Active/ })
    await isActive.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
    await page.getByText('It is not pulled, and its pushes are refused.').waitFor()
    assert.equal(await isActive.isChecked(), false)
    assert.equal(await pushStatus(own, hub_api_key, 'R-9'), 401)
    await isActive.click()
    await page.getByText('It is pulled and may push.').waitFor()
    assert.equal(await pushStatus(own, hub_api_key, 'R-9'), 201)

    await page.getByRole('button', { name: `Remove ${COURT}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('4 records').waitFor()
    await expectAccessible(page)
    const forGood = dialog.getByRole('button', { name: 'Remove for good' })
    await dialog.getByLabel("Type the platform's name to confirm").fill('cour')
    assert.ok(await forGood.isDisabled())
    await dialog.getByLabel("Type the platform's name to confirm").fill('court')
    await forGood.click()
    await page.getByText('No platform is registered yet').waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard/platforms')
    assert.equal(await pushStatus(own, hub_api_key, 'R-10'), 401)
    assert.deepEqual(complaints, [])
  })
})
