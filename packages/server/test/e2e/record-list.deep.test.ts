/** The Records page in a browser: the list, a record and an export. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage } from '../helpers/browser/browser.ts'
import {
  columnHeadersOf,
  listRecordsFor,
  parametersOf,
  recordLinkOf,
  referencesOf,
  shareCasesHub,
  untilIndexed,
} from '../helpers/browser/records.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

describe('the list of records', BROWSER_TEST, () => {
  const cases = shareCasesHub()

  test('the list filters, sorts and pages, a record opens with its history, and the records are exported', async () => {
    const { hub, hub_api_key } = cases()
    const body = JSON.stringify(newRecord('H-1', { full_name: 'Before', data: 'DATA' }))
    const data = '{"status":"open","amount":9007199254740993,"rate":1.10,"deep":{"list":[1e2,"x"]}}'
    await hub.push(hub_api_key, body.replace('"DATA"', data))
    await hub.push(hub_api_key, newRecord('H-1', { full_name: 'After', data: {} }), 'PATCH')
    const { page } = await openPage(hub)
    await page.goto(cases().address({ sort: 'reference_number', limit: '60' }))
    await recordLinkOf(page, 'C-001').waitFor()
    await page.getByText('121 records').waitFor()
    assert.deepEqual((await columnHeadersOf(page)).slice(0, 5), [
      'Reference, sorted ascending',
      'Name',
      'Status',
      'Amount',
      'Note',
    ])

    await page.getByRole('button', { name: 'Status' }).click()
    await page.getByRole('menuitem', { name: 'Filter…' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('OPEN')
    await page.getByRole('textbox', { name: 'Value' }).press('Enter')
    await page.getByRole('button', { name: 'Edit filter: Status contains “OPEN”' }).waitFor()
    await recordLinkOf(page, 'C-003').waitFor({ state: 'hidden' })
    assert.equal((await parametersOf(page)).get('filter[status][contains]'), 'OPEN')

    await page.getByRole('button', { name: 'Amount' }).click()
    await page.getByRole('menuitem', { name: 'Filter…' }).click()
    const value = page.getByRole('textbox', { name: 'Value' })
    await value.fill('1,000')
    await value.press('Enter')
    await page.getByText('The value must be a number').waitFor()
    await value.fill(' 119 ')
    await value.press('Enter')
    await page.getByRole('button', { name: 'Edit filter: Amount is “119”' }).waitFor()
    await page.getByRole('button', { name: 'Remove filter: Amount is “119”' }).click()

    await page.getByRole('button', { name: 'Amount' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Sort descending' }).press('Enter')
    await recordLinkOf(page, 'C-119').waitFor()
    assert.equal((await parametersOf(page)).get('sort'), '-data.amount')
    // Only the visible rows are rendered.
    const rendered = await referencesOf(page)
    assert.deepEqual(rendered, (await listRecordsFor(page)).slice(0, rendered.length))

    await recordLinkOf(page, 'H-1').press('Enter')
    const drawer = page.getByRole('complementary', { name: 'Record' })
    await drawer.getByText('9007199254740993').waitFor()
    assert.ok((await parametersOf(page)).has('record'))
    await drawer.getByRole('tab', { name: 'History' }).click()
    await drawer.getByText('Name Before After').waitFor()
    await drawer.getByRole('tab', { name: 'JSON' }).click()
    const raw = await drawer.locator('pre').innerText()
    for (const token of ['9007199254740993', '1.10', '1e2']) assert.ok(raw.includes(token), raw)
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })

    await page.getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const csv = await readFile(await (await downloading).path(), 'utf8')
    assert.match(csv, /^\uFEFFReference,Name,Status,Amount,Note,/)
    assert.deepEqual(csv.match(/^C-\d+,Person \d+,[a-z]+(?=,119,)/gm), ['C-119,Person 119,open'])

    await page.getByRole('button', { name: 'Next' }).click()
    await recordLinkOf(page, 'C-001').waitFor()
    assert.equal((await referencesOf(page)).length, 21)
    assert.deepEqual(await referencesOf(page), await listRecordsFor(page))
    await page.getByRole('button', { name: 'Previous' }).click()
    await recordLinkOf(page, 'C-119').waitFor()
    await page.goBack()
    await recordLinkOf(page, 'C-001').waitFor()

    await page.getByRole('button', { name: /^Remove filter: Status/ }).click()
    await page.getByText('121 records').waitFor()
    assert.deepEqual([...(await parametersOf(page)).keys()].toSorted(), [
      'limit',
      'platform',
      'record_type',
      'sort',
    ])
  })

  test('what the data contain is a tree, and its numbers are compared as numbers', async () => {
    const { hub } = cases()
    const { page } = await openPage(hub)
    await page.goto(await addObjects(hub))
    await recordLinkOf(page, 'O-3').waitFor()
    await page.getByRole('button', { name: 'Add filter', exact: true }).click()
    const field = page.getByRole('combobox', { name: 'Filter by' })
    await field.fill('cm')
    await page.getByRole('option', { name: 'Size', exact: true }).waitFor()
    await page.getByRole('option', { name: 'Cm', exact: true }).click()
    await page.getByRole('combobox', { name: 'Condition' }).click()
    await page.getByRole('option', { name: 'is at least' }).click()
    await page.getByRole('textbox', { name: 'Value' }).fill('92')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Edit filter: Size › Cm is at least “92”' }).waitFor()
    await page.getByText('2 records of 3').waitFor()
    await page.getByRole('button', { name: /^Order of the list/ }).click()
    await page.getByRole('menuitem', { name: 'Size', exact: true, expanded: false }).click()
    await page.getByRole('menuitem', { name: 'by Cm, descending' }).click()
    await page.getByRole('button', { name: /by Size › Cm, descending$/ }).waitFor()
    assert.equal((await parametersOf(page)).get('sort'), '-data.size.cm')
    await until(async () => `${await referencesOf(page)}` === 'O-3,O-2' || null, 'the order')
  })

  test('the counted fields can be chosen, and the choice is remembered', async () => {
    const { hub } = cases()
    const { page } = await openPage(hub)
    await page.goto(await addObjects(hub))
    await recordLinkOf(page, 'O-3').waitFor()
    await page.getByRole('button', { name: 'Count by' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'Maker › Role' }).click()
    await page.getByRole('group', { name: 'Maker › Role' }).waitFor()
    await page.reload()
    const role = page.getByRole('group', { name: 'Maker › Role' })
    await role.getByRole('button', { name: 'painter 2' }).click()
    await page.getByText('2 records of 3').waitFor()
    assert.equal((await parametersOf(page)).get('filter[maker.role]'), 'painter')
    await role.getByRole('button', { name: 'painter 2', pressed: true }).waitFor()
  })

  test('a row that was found by a value that is not shown says which one it is', async () => {
    const { hub } = cases()
    const { page } = await openPage(hub)
    await page.goto(await addObjects(hub))
    await recordLinkOf(page, 'O-3').waitFor()
    await page.getByRole('textbox', { name: 'Search' }).fill('weav')
    await page.getByText('1 record of 3').waitFor()
    const reason = page.getByRole('row').getByText('Maker › Role: weaver')
    await reason.locator('mark').getByText('weav', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Unfold Maker' }).click()
    await page.getByRole('checkbox', { name: 'Role' }).check()
    await page.keyboard.press('Escape')
    await page.getByRole('cell', { name: 'weaver', exact: true }).locator('mark').waitFor()
    assert.equal(await reason.count(), 0)
  })
})

/** Adds a platform whose records have nested values that its manifest does not name. @returns the address of its list. */
async function addObjects(hub: TestHub): Promise<string> {
  const { hub_api_key, platform_name: platform } = await hub.registerPushing({
    modules: [simulatedModule('objects')],
  })
  for (const [index, cm] of [9.5, 92.4, 120].entries()) {
    const names = { module_name: 'Module objects', record_type: 'objects' }
    const data = { size: { cm }, maker: { role: index === 0 ? 'weaver' : 'painter' } }
    await hub.push(hub_api_key, newRecord(`O-${index + 1}`, { ...names, data }))
  }
  await untilIndexed(hub)
  return `/dashboard/records?${new URLSearchParams({ platform, record_type: 'objects' })}`
}
