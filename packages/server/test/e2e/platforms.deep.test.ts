/** A changed manifest on the page of a platform (specification 2.1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { simulateCourt, startHubWithOperator } from '../helpers/browser/platforms.ts'
import { activityOf, newRecord, push, recordsOf, registerPlatform } from '../helpers/hub/actions.ts'
import { until } from '../helpers/time/until.ts'

describe('platforms in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('a changed manifest is shown field by field, and rejected pushes of a new module are replayed', async () => {
    await using hub = await startHubWithOperator()
    await using platform = await simulateCourt()
    const { id, hub_api_key } = await registerPlatform(hub, platform, { record_types: ['cases'] })
    for (const reference of ['V-1', 'V-2']) {
      const rejected = newRecord(reference, { record_type: 'visits', module_name: 'Visits' })
      assert.equal((await push(hub, hub_api_key, rejected)).status, 422)
    }
    platform.modules[0]?.fields.push({
      key: 'judge',
      label: 'Judge',
      type: 'string',
      required: false,
    })
    await using opened = await openPage(browser(), hub)
    const { page, pageErrors } = opened
    await page.goto(`/dashboard/platforms/${id}`)
    await page.getByRole('button', { name: 'Refresh manifest' }).click()
    await page.getByText('The manifest has changed', { exact: true }).waitFor()
    await page.getByText('Field Judge (judge) of cases').first().waitFor()
    await page.getByRole('cell', { name: 'judge', exact: true }).waitFor()
    await page.getByRole('combobox', { name: /not matching the manifest/ }).click()
    await page.getByRole('option', { name: /Reject and save/ }).click()
    await page.getByText('The policy applies to records received from now on').waitFor()
    await page.getByRole('combobox', { name: 'Indexed fields of Cases' }).click()
    const indexed = page.waitForResponse(
      (one) => one.url().endsWith('/indexed-fields') && one.request().method() === 'PUT',
    )
    await page.getByRole('option', { name: 'Judge' }).click()
    assert.equal((await indexed).status(), 200)
    await page.keyboard.press('Escape')
    await expectAccessible(page)

    await page.getByRole('button', { name: /^Visits visits/ }).click()
    await page.getByText('2 pushes rejected', { exact: true }).last().waitFor()
    await page.getByRole('button', { name: 'Register Visits' }).click()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('Test result: 2 new.').waitFor()
    assert.equal((await recordsOf(hub, 'court')).length, 0)
    await page.getByRole('button', { name: 'Replay all' }).click()
    await page.getByText('Replayed: 2 new.').waitFor()
    assert.equal((await recordsOf(hub, 'court')).length, 2)
    await page.getByRole('button', { name: 'Unregister Visits' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unregister' }).click()
    await page.getByRole('button', { name: 'Delete records' }).click()
    await page.getByLabel('Type the record type to confirm').fill('visits')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete records' }).click()
    await until(async () => ((await recordsOf(hub, 'court')).length === 0 ? true : null), 'deleted')
    const kinds = (await activityOf(hub)).map((entry) => entry.kind)
    assert.ok(kinds.includes('module.indexed_fields') && kinds.includes('module.drift_policy'))
    assert.deepEqual(pageErrors, [])
  })
})
