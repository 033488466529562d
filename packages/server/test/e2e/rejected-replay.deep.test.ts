/** Rejected pushes in a browser: details, test and replay. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage } from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('rejected pushes in a browser', BROWSER_TEST, () => {
  test('a push for an unregistered module is opened, edited, tested and replayed', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const school = await hub.registerPushing()
    const body = JSON.stringify(newRecord('R-1', { record_type: 'ghosts', data: { n: 'N' } }))
    await hub.push(school.hub_api_key, body.replace('"N"', '12345678901234567890.10'))
    const { page } = await openPage(hub)
    await page.goto('/dashboard/inbox')
    await page.getByRole('button', { name: 'Other lists' }).click()
    await page.getByRole('menuitem', { name: 'All rejected pushes' }).click()
    await page.getByRole('button', { name: /^R-1 / }).click()
    const drawer = page.getByRole('dialog', { name: 'Rejected record' })
    await drawer.getByText('Register the module on the page of its platform').waitFor()
    await drawer.getByText('"code": "module_not_registered"').waitFor()

    const editor = drawer.getByLabel('Body to replay')
    const shown = await editor.inputValue()
    assert.ok(shown.includes('"n": 12345678901234567890.10'), shown)
    await drawer.getByText('Raw', { exact: true }).click()
    await drawer.getByText('"n":12345678901234567890.10').waitFor()
    await drawer.getByText('Fix and replay').click()
    await drawer.getByRole('button', { name: 'Test', exact: true }).click()
    await drawer.getByText('Would be rejected again').waitFor()
    await editor.fill(shown.slice(0, -1))
    await drawer.getByText('Invalid JSON at character').waitFor()
    await editor.fill(shown.replace('ghosts', 'cases'))
    const replay = drawer.getByRole('button', { name: 'Replay', exact: true })
    assert.equal(await replay.getAttribute('aria-disabled'), 'true')
    await drawer.getByRole('button', { name: 'Test', exact: true }).click()
    await drawer.getByText('Would create a new record').waitFor()
    assert.deepEqual(await hub.records(school.platform_name), [])
    await replay.click()
    await drawer.getByText('Created a new record.').waitFor()
    const record = only(await hub.records(school.platform_name))
    const text = (await hub.get(`/api/v1/records/${record.record_id}`)).text
    assert.ok(text.includes('"n":12345678901234567890.10'), text)
    await drawer.getByRole('link', { name: `Open record ${record.record_id}` }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('No open rejected pushes').waitFor()
    await page.goto('/dashboard/inbox?tab=rejected&state=replayed')
    await page.getByRole('cell', { name: 'Replayed', exact: true }).waitFor()
  })
})
