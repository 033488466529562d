/** Rejected pushes in a browser: list, details, test and replay. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import {
  newRecord,
  push,
  recordsOf,
  registerPlatform,
  registerPushingPlatform,
  rejectedOf,
} from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { simulatedModule, simulatePlatform } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('rejected pushes in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('a push for an unregistered module is opened, edited, tested and replayed', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const school = await registerPushingPlatform(hub)
    const body = JSON.stringify(newRecord('R-1', { record_type: 'ghosts', data: { n: 'N' } }))
    await push(hub, school.hub_api_key, body.replace('"N"', '12345678901234567890.10'))
    await using opened = await openPage(browser(), hub)
    const { page, pageErrors } = opened
    await page.goto('/dashboard/activity')
    await page.getByRole('tab', { name: 'Rejected' }).click()
    await page.getByRole('button', { name: /^R-1 / }).click()
    const drawer = page.getByRole('dialog', { name: 'Rejected record' })
    await drawer.getByText('Register the module on the page of its platform').waitFor()
    await drawer.getByText('"code": "module_not_registered"').waitFor()
    await expectAccessible(page)

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
    assert.deepEqual(await recordsOf(hub, school.platform_name), [])
    await replay.click()
    await drawer.getByText('Created a new record.').waitFor()
    const record = only(await recordsOf(hub, school.platform_name))
    const text = (await hub.get(`/api/v1/records/${record.record_id}`)).text
    assert.ok(text.includes('"n":12345678901234567890.10'), text)
    await drawer.getByRole('link', { name: `Open record ${record.record_id}` }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByText('No open rejected pushes').waitFor()
    await page.goto('/dashboard/activity?tab=rejected&state=replayed')
    await page.getByRole('cell', { name: 'Replayed', exact: true }).waitFor()
    assert.deepEqual(pageErrors, [])
  })

  test('all rejected pushes with one cause are tested and replayed, and those with another cause are dismissed', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const modules = [simulatedModule('cases'), simulatedModule('ghosts')]
    await using school = await simulatePlatform({ modules })
    const { platform_name } = school
    const { id, hub_api_key } = await registerPlatform(hub, school, { record_types: ['cases'] })
    for (let n = 0; n < 7; n += 1) {
      await push(hub, hub_api_key, newRecord(`G-${n}`, { record_type: 'ghosts' }))
    }
    await push(hub, hub_api_key, newRecord('B-1', { data: 5 }))
    const registered = await hub.send({
      method: 'PATCH',
      url: `/api/v1/platforms/${id}`,
      headers: { authorization: hub.authorization('operator') },
      body: { record_types: ['cases', 'ghosts'] },
    })
    assert.equal(registered.status, 200, registered.text)
    await using opened = await openPage(browser(), hub, { colorScheme: 'dark' })
    const { page, pageErrors } = opened
    await page.goto('/dashboard/activity?tab=rejected')
    await page.getByRole('button', { name: /^B-1 / }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Show only these: The module "ghosts"/ }).click()
    await page.getByRole('button', { name: /^B-1 / }).waitFor({ state: 'detached' })
    await page.waitForURL(/cause=/)
    await page.getByRole('button', { name: 'Replay all matching' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay all matching' })
    await dialog.getByText('Test results. Nothing has been written.').waitFor()
    await expectAccessible(page)
    assert.deepEqual(await recordsOf(hub, platform_name), [])
    await dialog.getByRole('button', { name: 'Replay 7' }).click()
    await dialog.getByText('Replay finished.').waitFor()
    assert.equal((await recordsOf(hub, platform_name)).length, 7)
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByText('No matching rejected pushes').waitFor()

    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByRole('button', { name: /^Show only these: Invalid record/ }).click()
    await page.getByRole('button', { name: 'Dismiss all matching' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Dismiss all matching?' })
    await confirmation.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.getByText('1 rejected push dismissed').waitFor()
    const rejected = await rejectedOf(hub, platform_name)
    assert.ok(rejected.every(({ replayed_at }) => replayed_at !== null))
    assert.deepEqual(pageErrors, [])
  })

  test('a rejected push opens on a phone, and script in its body is shown as text', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const school = await registerPushingPlatform(hub)
    const full_name = `<script>document.title = 'taken'</script>${'x'.repeat(10_000)}`
    await push(hub, school.hub_api_key, newRecord('<b>R-1</b>', { full_name, data: 1 }))
    await using opened = await openPage(browser(), hub, { width: 390 })
    const { page, pageErrors } = opened
    await page.goto('/dashboard/activity?tab=rejected')
    await page.getByRole('button', { name: /^<b>R-1<\/b>/ }).waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await page.getByRole('button', { name: /^<b>R-1<\/b>/ }).click()
    const drawer = page.getByRole('dialog', { name: 'Rejected record' })
    await drawer.getByText('Pretty', { exact: true }).click()
    await drawer.getByText('<script>document.title').waitFor()
    await expectNoHorizontalScroll(page)
    assert.equal(await page.title(), 'Activity · Recordhub')
    assert.deepEqual(pageErrors, [])
  })
})
