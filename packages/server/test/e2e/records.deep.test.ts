/** The Records page in a browser: filters by range and state, search, columns, views. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  untilFieldValue,
} from '../helpers/browser/browser.ts'
import { navigationLink } from '../helpers/browser/navigation.ts'
import {
  columnHeadersOf,
  parametersOf,
  recordLinkOf,
  referencesOf,
  shareCasesHub,
} from '../helpers/browser/records.ts'
import { until } from '../helpers/time/until.ts'

describe('the list of records', BROWSER_TEST, () => {
  const cases = shareCasesHub()

  test('the list filters by a range of numbers and by state, and its URL shows the same records', async () => {
    const { page, context } = await openPage(cases().hub)
    await page.goto(cases().address())
    await page.getByRole('button', { name: 'Add filter', exact: true }).click()
    await choose(page, 'Filter by', 'Amount')
    await choose(page, 'Condition', 'is between')
    await page.getByRole('textbox', { name: 'From' }).fill('10')
    await page.getByRole('textbox', { name: 'To (exclusive)' }).fill('13')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('3 records').waitFor()
    await page.getByRole('button', { name: 'Add filter', exact: true }).click()
    await choose(page, 'Filter by', 'Missing records')
    await page.getByText('All but these').click()
    await page.getByRole('button', { name: 'Apply' }).click()
    await page
      .getByRole('button', { name: /Not missing/ })
      .first()
      .waitFor()
    const other = await context.newPage()
    await other.goto(page.url())
    await other.getByText('3 records').waitFor()
    assert.deepEqual((await referencesOf(other)).toSorted(), ['C-010', 'C-011', 'C-012'])
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('120 records').waitFor()

    // A field with few values is a facet; its counts ignore its own filter.
    const status = page.getByRole('group', { name: 'Status' })
    await status.getByRole('button', { name: 'closed 40' }).click()
    await page.getByText('40 records of 120').waitFor()
    await status.getByRole('button', { name: 'closed 40', pressed: true }).waitFor()
    await status.getByRole('button', { name: 'open 80' }).click()
    await status.getByRole('button', { name: 'open 80', pressed: true }).waitFor()
    assert.deepEqual((await parametersOf(page)).getAll('filter[status][in]'), ['closed', 'open'])
  })

  test('the list searches while the user types, without a history entry for each letter', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto('/dashboard/search')
    await page.goto(cases().address())
    await page.getByRole('textbox', { name: 'Search' }).pressSequentially('person 007')
    await page.getByText('1 record of 120').waitFor()
    await recordLinkOf(page, 'C-007').waitFor()
    assert.equal((await parametersOf(page)).get('q'), 'person 007')
    await page.getByRole('textbox', { name: 'Search' }).fill('unknown name')
    await page.getByText('No matching records').waitFor()
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    await page.getByText('120 records').waitFor()
    await untilFieldValue(page.getByRole('textbox', { name: 'Search' }), '')
    await page.goBack()
    await page.getByText('No matching records').waitFor()
    await untilFieldValue(page.getByRole('textbox', { name: 'Search' }), 'unknown name')
    await page.goBack()
    await page.getByRole('textbox', { name: 'Keyword or person' }).waitFor()
  })

  test('remembers the visible columns and their order for each module', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address())
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('checkbox', { name: 'Note' }).uncheck()
    await page.getByRole('checkbox', { name: 'Record ID' }).check()
    await page.getByRole('button', { name: 'Move Amount up' }).click()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Hide' }).click()
    const expected = ['Reference', 'Amount', 'Status']
    await page.getByRole('button', { name: 'Name', exact: true }).waitFor({ state: 'hidden' })
    assert.deepEqual((await columnHeadersOf(page)).slice(0, 3), expected)
    await page.reload()
    await recordLinkOf(page, 'C-120').waitFor()
    const headers = await columnHeadersOf(page)
    assert.deepEqual(headers.slice(0, 3), expected)
    assert.ok(!headers.includes('Note') && headers.includes('Record ID'))
    await page.goto(cases().address())
    await page.waitForURL(/columns=/)
    const link = new URL(page.url())
    const { page: ofColleague } = await openPage(cases().hub)
    await ofColleague.goto(link.pathname + link.search)
    await recordLinkOf(ofColleague, 'C-120').waitFor()
    assert.deepEqual(await columnHeadersOf(ofColleague), headers)
    for (const columns of ['hub_gone,%;x', 'data.', '']) {
      link.searchParams.set('columns', columns)
      await ofColleague.goto(link.pathname + link.search)
      await ofColleague.getByRole('button', { name: 'Note', exact: true }).waitFor()
    }
    await navigationLink(page, 'Log').click()
    await page.getByRole('heading', { level: 1, name: 'Log' }).waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.goBack()
    await page.goto('/dashboard/records')
    await page.getByRole('button', { name: 'Name', exact: true }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await page.getByRole('button', { name: 'Note', exact: true }).waitFor()
  })

  test('a column is resized by dragging, and its width is remembered until the columns are reset', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address())
    await recordLinkOf(page, 'C-120').waitFor()
    const header = page.getByRole('columnheader', { name: 'Status' })
    const widthOf = async () => Math.round((await header.boundingBox())?.width ?? 0)
    const first = await widthOf()
    const handle = await header.getByTitle('Drag to resize column').boundingBox()
    assert.ok(handle)
    const [x, y] = [handle.x + handle.width / 2, handle.y + handle.height / 2]
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 40, y, { steps: 4 })
    await page.mouse.up()
    const isWider = async () => (await widthOf()) > first + 20 || null
    await until(isWider, 'the column is wider')
    await page.reload()
    await recordLinkOf(page, 'C-120').waitFor()
    await until(isWider, 'the width is remembered')
    await page.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('button', { name: 'Reset columns' }).click()
    await until(async () => (await widthOf()) <= first + 1 || null, 'the width is reset')
  })

  test('a view is saved, opened, renamed and deleted', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address({ 'filter[status]': 'closed', sort: 'full_name' }))
    await page.getByText('40 records').waitFor()
    await page.getByRole('button', { name: 'Reference' }).click()
    await page.getByRole('menuitem', { name: 'Hide' }).click()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save this view' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Closed cases')
    await dialog.getByRole('switch', { name: 'Share with everyone' }).check()
    await expectAccessible(page, { within: 'dialog' })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Closed cases' }).waitFor()
    await page.goto('/dashboard/records')
    await page.getByText('120 records').waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Closed cases' }).click()
    await page.getByText('40 records').waitFor()
    assert.equal((await parametersOf(page)).get('filter[status]'), 'closed')
    assert.deepEqual((await columnHeadersOf(page)).slice(0, 2), [
      'Name, sorted ascending',
      'Status, filtered',
    ])
    await page.getByRole('button', { name: 'Closed cases' }).click()
    await page.getByRole('menuitem', { name: 'Manage views…' }).click()
    const name = page.getByRole('textbox', { name: 'Name of the view Closed cases' })
    await name.fill('Done')
    await name.press('Enter')
    await page.getByRole('button', { name: 'Delete Done' }).click()
    await page.getByRole('button', { name: 'Delete view' }).click()
    await page.getByText('No saved views.').waitFor()
  })
})

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
