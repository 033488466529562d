/** The integration guide for a platform in a browser. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { BROWSER_TEST, openPage, shareBrowser } from '../helpers/browser/browser.ts'
import { type RegisteredPlatform, registerPushingPlatform } from '../helpers/hub/actions.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the integration guide in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let hub: TestHub
  let clinic: RegisteredPlatform
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const visit = simulatedModule('visit', { keys: ['ward', 'doctor'] })
    clinic = await registerPushingPlatform(hub, { modules: [visit] })
    await registerPushingPlatform(hub, { modules: [simulatedModule('pupil')] })
  })
  after(async () => hub[Symbol.asyncDispose]())

  test('the guide for a platform contains the names of its modules and fields, and a link opens it', async () => {
    await using opened = await openPage(browser(), hub)
    const { page, pageErrors } = opened
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Integration guide', exact: true }).waitFor()
    await page.getByText('"employee"').first().waitFor()
    const { display_title, platform_name } = clinic.platform
    await page.getByRole('combobox', { name: 'Platform' }).click()
    await page.getByRole('option', { name: display_title }).click()
    await page.getByRole('heading', { name: `Integration guide for ${display_title}` }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('platform'), String(clinic.id))
    const main = page.getByRole('main')
    const text = await main.innerText()
    for (const expected of [
      `"platform_name": "${platform_name}"`,
      '"visit"',
      '"ward": "Some label ward"',
    ]) {
      assert.ok(text.includes(expected), expected)
    }
    assert.doesNotMatch(text, /pupil|"employee"|rhk_/)
    await page.reload()
    await page.getByRole('heading', { name: `Integration guide for ${display_title}` }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Integration guide', exact: true }).waitFor()
    assert.deepEqual(pageErrors, [])
  })
})
