/** The settings of a platform in a browser: base URL, status, removal. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, expectAccessible, openPage } from '../helpers/browser/browser.ts'
import {
  COURT_TITLE,
  pushStatus,
  simulateCourt,
  startHubWithOperator,
} from '../helpers/browser/platforms.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { manifestOf, respond, simulatePlatform } from '../helpers/platform/platform.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the settings of a platform in a browser', BROWSER_TEST, () => {
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('the base URL and the source API key are tested before they are saved', async () => {
    await using platform = await hub.createPlatform()
    const { id, platform_name, modules } = platform
    await using moved = await simulatePlatform({
      platform_name,
      source_api_key: 'the key of the new address',
      modules,
    })
    const { page } = await openPage(hub)
    const failed_at = new Date().toISOString()
    await runSql(
      hub.storage,
      `UPDATE platforms SET failures_in_row = 5, failed_at = '${failed_at}' WHERE platform_id = ${id}`,
    )
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    await page.getByText('Scheduled pulls are paused').waitFor()
    await page.getByLabel('Base URL').fill(moved.source_base_url)
    await page.getByText('Enter the key for the new address').waitFor()
    await page.getByRole('textbox', { name: 'New source API key' }).fill('a wrong key')
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByText('Nothing was saved').waitFor()
    await page.getByText('The platform rejected the source API key').waitFor()
    await page.getByRole('textbox', { name: 'New source API key' }).fill(moved.source_api_key)
    await page.getByRole('button', { name: 'Test and save' }).click()
    await page.getByText('The change was saved.').waitFor()
    await page.getByText('Scheduled pulls are paused').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Test Connection' }).click()
    await page.getByText('All checks passed. Nothing was saved.').waitFor()
    await expectAccessible(page)
    moved.setResponse('records/cases', respond.html())
    assert.equal(moved.requests.filter(({ path }) => /records|search/.test(path)).length, 0)
    await page.getByRole('button', { name: 'Check everything' }).click()
    await page.getByText('an HTML page instead of JSON').waitFor()
    await page.getByText('Some checks failed. Nothing was saved.').waitFor()
  })

  test('the new name of a renamed platform is accepted if its manifest has it', async () => {
    await using platform = await hub.createPlatform()
    const { id, platform_name, modules } = platform
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    const accept = page.getByRole('button', { name: 'Accept the new name' })
    await page.getByRole('textbox', { name: 'Platform Name' }).fill(`${platform_name}_2`)
    await accept.click()
    await page.getByText('Nothing was saved').waitFor()
    platform.setResponse('manifest', respond.json(manifestOf(`${platform_name}_2`, modules)))
    await accept.click()
    await page.getByText(`has the new name ${platform_name}_2.`).waitFor()
    assert.equal(await accept.isDisabled(), true)
    await expectAccessible(page)
  })

  test('pushes of an inactive platform are rejected, and its removal requires its name', async () => {
    await using hub = await startHubWithOperator()
    await using platform = await simulateCourt()
    const { id, hub_api_key } = await hub.register(platform)
    await hub.pullAll()
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    const isActive = page.getByRole('switch', { name: /^Active/ })
    await isActive.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click()
    const settings = page.getByRole('tabpanel', { name: 'Settings' })
    await settings.getByText('The platform is not pulled, and its pushes are rejected.').waitFor()
    assert.equal(await isActive.isChecked(), false)
    assert.equal(await pushStatus(hub, hub_api_key, 'R-9'), 401)
    await isActive.click()
    await page.getByText('The platform is pulled and can push.').waitFor()
    assert.equal(await pushStatus(hub, hub_api_key, 'R-9'), 201)

    await page.getByRole('button', { name: `Remove ${COURT_TITLE}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('row', { name: 'Records with their history 4' }).waitFor()
    await expectAccessible(page)
    const deleteButton = dialog.getByRole('button', { name: 'Remove the platform' })
    await dialog.getByLabel('Type court to confirm').fill('cour')
    assert.ok(await deleteButton.isDisabled())
    await dialog.getByLabel('Type court to confirm').fill('court')
    await dialog.getByLabel('Type court to confirm').press('Enter')
    await deleteButton.click()
    await page.getByText('No platforms registered').waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard/platforms')
    assert.equal(await pushStatus(hub, hub_api_key, 'R-10'), 401)
  })
})
