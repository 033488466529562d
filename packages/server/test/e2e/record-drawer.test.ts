/** A record in a browser: the drawer with its history, and the keyboard. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { parametersOf, recordLinkOf, shareCasesHub } from '../helpers/browser/records.ts'
import { newRecord, push } from '../helpers/hub/actions.ts'

describe('a record in the browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const cases = shareCasesHub()

  test('a record opens with its provenance, its history, an earlier version and its lossless JSON', async () => {
    const body = JSON.stringify(newRecord('H-1', { full_name: 'Before', data: 'DATA' }))
    const data = '{"status":"open","amount":9007199254740993,"rate":1.10,"deep":{"list":[1e2,"x"]}}'
    await push(cases().hub, cases().hub_api_key, body.replace('"DATA"', data))
    const patch = { ...newRecord('H-1', { full_name: 'After', data: { status: 'closed' } }) }
    const response = await push(cases().hub, cases().hub_api_key, patch, 'PATCH')
    const { record_id } = JSON.parse(response.text)
    await using opened = await openPage(browser(), cases().hub)
    const { page, pageErrors } = opened
    await page.goto(cases().address({ sort: '-record_id' }))
    await recordLinkOf(page, 'H-1').waitFor()
    await page.getByRole('cell', { name: '9007199254740993' }).waitFor()
    await recordLinkOf(page, 'H-1').click()
    const drawer = page.getByRole('dialog', { name: 'Record' })
    await drawer.getByText('After', { exact: true }).waitFor()
    assert.equal((await parametersOf(page)).get('record'), String(record_id))
    await drawer.getByText('Pushed (PATCH)').first().waitFor()
    await drawer.getByText('9007199254740993').waitFor()
    await drawer.getByText('Not in the manifest').first().waitFor()
    await expectAccessible(page, { within: 'dialog' })

    await drawer.getByRole('tab', { name: 'History' }).click()
    await drawer.getByRole('row', { name: 'Status open closed' }).waitFor()
    await drawer.getByRole('row', { name: 'Name Before After' }).waitFor()
    await expectAccessible(page, { within: 'dialog' })

    await drawer.getByRole('tab', { name: 'Raw' }).click()
    const raw = await drawer.locator('pre').innerText()
    for (const token of ['9007199254740993', '1.10', '1e2']) assert.ok(raw.includes(token), raw)
    await expectAccessible(page, { within: 'dialog' })
    assert.equal((await parametersOf(page)).get('tab'), 'raw')

    const { record } = JSON.parse((await cases().hub.get(`/api/v1/records/${record_id}`)).text)
    await page.goto(cases().address({ record: String(record_id), as_of: record.created_at }))
    await drawer.getByText('Before', { exact: true }).waitFor()
    await drawer.getByText('This is the version of').waitFor()
    await drawer.getByRole('button', { name: 'Back to current version' }).click()
    await drawer.getByText('After', { exact: true }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    assert.equal((await parametersOf(page)).get('record'), null)
    assert.deepEqual(pageErrors, [])
  })

  test('a record is opened and the list is sorted by keyboard', async () => {
    await using opened = await openPage(browser(), cases().hub)
    const { page } = opened
    await page.goto(cases().address({ sort: 'reference_number' }))
    await recordLinkOf(page, 'C-001').waitFor()
    await page.getByRole('button', { name: 'Columns' }).focus()
    // The Tab key reaches the table, its column headers, then the first record.
    for (let steps = 0; steps < 12; steps++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement.textContent')) === 'C-001') break
    }
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Record' })
    await drawer.getByText('Person 001').first().waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Status' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('menuitem', { name: 'Sort ascending' }).press('Enter')
    await page.getByRole('button', { name: 'Status, sorted ascending' }).waitFor()
  })
})
