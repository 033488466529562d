/** Reverts in a browser: a plan, its start, the result, the holds, and undoing the revert. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  expectAccessibleInAllModes,
  openPage,
} from '../helpers/browser/browser.ts'
import { PASSWORD, startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatedRecord } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const REASON = 'The list at the source was wrong'

/** Asks for a plan in the open dialog, and waits for its page. */
async function plan(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Reason').fill(REASON)
  await dialog.getByRole('button', { name: 'Make the plan' }).click()
  await page.getByRole('region', { name: 'Plan' }).getByText(REASON).waitFor()
}

async function start(page: Page, records: string): Promise<void> {
  await page.getByRole('button', { name: `Revert ${records}…` }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Your password').fill('not the password')
  await dialog.getByRole('button', { name: 'Revert', exact: true }).click()
  await dialog.getByText('The password is wrong.').waitFor()
  await dialog.getByLabel('Your password').fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Revert', exact: true }).click()
}

describe('reverts in a browser', BROWSER_TEST, () => {
  test('a module of a pull is reverted, its values are held, and the revert is undone', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using platform = await hub.createPlatform({ platform_name: 'school' })
    const [module] = platform.modules
    assert.ok(module)
    const [one, two] = [simulatedRecord(1), simulatedRecord(2)]
    module.records.push(one, two)
    await hub.pullAll()
    module.records.splice(
      0,
      2,
      { ...one, full_name: 'Wrong name' },
      { ...two, full_name: 'Wrong, too' },
    )
    const { pull } = await hub.pullAll()
    const later = newRecord(two.reference_number, { full_name: 'Corrected' })
    await hub.push(platform.hub_api_key, later, 'PATCH')
    const nameOf = async (reference: string) =>
      (await hub.findRecords('')).find((record) => record.reference_number === reference)?.full_name

    const { page, context } = await openPage(hub)
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Search or run a command' }).click()
    await page.getByRole('combobox').fill('revert school')
    await page
      .getByRole('option', { name: 'Revert a pull of Title of school…', selected: true })
      .waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('/dashboard/pulls?only=changed&platform=school')
    const actions = page.getByRole('button', { name: `Actions of pull ${pull.id}` })
    await actions.click()
    await expectAccessible(page)
    await page.getByRole('menuitem', { name: 'Revert…' }).click()
    const dialog = page.getByRole('dialog', { name: `Revert pull ${pull.id}?` })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
    // A click in the menu or the dialog does not open the row.
    assert.equal(new URL(page.url()).pathname, '/dashboard/pulls')
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await actions.click()
    await page.getByRole('menuitem', { name: 'Copy link' }).click()
    await page.getByText('The link was copied.').waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    assert.equal(copied, new URL(`/dashboard/pulls/${pull.id}`, page.url()).href)
    await actions.click()
    await page.getByRole('menuitem', { name: 'Open' }).click()
    await page.getByRole('heading', { name: `Pull ${pull.id} succeeded` }).waitFor()
    const row = page.getByRole('row').filter({ hasText: 'Title of school' })
    await row.getByRole('button', { name: 'Revert…' }).click()
    await expectAccessible(page)
    await plan(page)
    const records = page.getByRole('region', { name: 'Records' })
    const planned = records.getByRole('row').filter({ hasText: one.reference_number })
    await planned.getByRole('deletion').filter({ hasText: 'Wrong name' }).waitFor()
    await expectAccessibleInAllModes(page)
    await records.getByRole('button', { name: 'Kept 1' }).click()
    await records.getByText('Name has another value, by PATCH').waitFor()
    const download = page.waitForEvent('download')
    await records.getByRole('link', { name: 'Export as CSV' }).click()
    assert.match((await download).suggestedFilename(), /^revert-1-.*\.csv$/)
    assert.equal(await nameOf(one.reference_number), 'Wrong name')

    await start(page, '1 record')
    await page.getByRole('heading', { name: '1 record was reverted' }).waitFor()
    await page.getByText('1 record held.').waitFor()
    await page.getByText(/Started by .*, ended /).waitFor()
    await expectAccessibleInAllModes(page)
    const { pull: again } = await hub.pullAll()
    assert.equal(await nameOf(one.reference_number), one.full_name)
    assert.equal(await nameOf(two.reference_number), 'Wrong, too')

    await page.getByRole('link', { name: 'Show' }).click()
    const held = page.getByRole('row').filter({ hasText: one.reference_number })
    await held.getByText('Name', { exact: true }).waitFor()
    await page.getByText(/^1 held, oldest since/).waitFor()
    await expectAccessibleInAllModes(page)
    await held.getByRole('link', { name: one.reference_number }).click()
    const record = page.getByRole('complementary', { name: 'Record' })
    await record.getByText(/Held since/).waitFor()
    await record.getByRole('tab', { name: 'History' }).click()
    await record.getByText('took back, 1 value').waitFor()
    await expectAccessible(page)
    await page.goto(`/dashboard/pulls/${again.id}`)
    await row.getByText('Succeeded, 1 held').waitFor()
    await page.goto('/dashboard/pulls?only=reverted')
    await page.getByText('reverted in part by').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Show revert' }).click()

    await page.getByRole('button', { name: 'Undo this revert…' }).click()
    await plan(page)
    await start(page, '1 record')
    await page.getByRole('heading', { name: '1 record was reverted' }).waitFor()
    assert.equal(await nameOf(one.reference_number), 'Wrong name')
    await page.getByRole('link', { name: 'Revert 1' }).click()
    await page.getByText('was taken back by').waitFor()
    assert.equal(await page.getByText('record held.').count(), 0)
  })

  test('the pushes of a period and a version of a record are reverted, and holds are lifted', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using platform = await hub.createPlatform({ platform_name: 'school' })
    const nameOf = async () => (await hub.findRecords(''))[0]?.full_name
    for (const full_name of ['First', 'Second', 'Third']) {
      await hub.push(platform.hub_api_key, newRecord('H-1', { full_name }))
    }
    const { page } = await openPage(hub)
    await page.goto('/dashboard/records')
    await page.getByRole('link', { name: 'H-1' }).click()
    const record = page.getByRole('complementary', { name: 'Record' })
    await record.getByRole('tab', { name: 'History' }).click()
    const entry = record.getByRole('article').filter({ hasText: 'First' })
    await entry.getByRole('button', { name: 'Return to this version…' }).click()
    await plan(page)
    await start(page, '1 record')
    await page.getByRole('heading', { name: '1 record was reverted' }).waitFor()
    assert.equal(await nameOf(), 'Second')
    await page.getByRole('button', { name: 'Lift the holds…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Lift the holds' }).click()
    await page.getByText('record held.').waitFor({ state: 'hidden' })

    await page.goto(`/dashboard/platforms/${platform.id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Revert pushes…' }).click()
    await expectAccessible(page)
    await plan(page)
    await page.getByRole('link', { name: 'Reverts' }).click()
    await page.getByRole('row').filter({ hasText: 'Pushes of Title of school' }).waitFor()
    await expectAccessibleInAllModes(page)
  })
})
