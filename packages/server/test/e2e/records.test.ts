/** The Records page in a browser: filters, sorting, paging. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage, shareBrowser } from '../helpers/browser/browser.ts'
import {
  columnHeadersOf,
  listRecordsFor,
  parametersOf,
  recordLinkOf,
  referencesOf,
  shareCasesHub,
} from '../helpers/browser/records.ts'

describe('the list of records', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const cases = shareCasesHub()

  test('the list filters, sorts and pages, and the URL contains the query of the API', async () => {
    await using opened = await openPage(browser(), cases().hub)
    const { page, pageErrors } = opened
    await page.goto(cases().address({ sort: 'reference_number' }))
    await recordLinkOf(page, 'C-001').waitFor()
    await page.getByText('120 records').waitFor()
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
    await page.getByRole('menuitem', { name: 'Sort descending' }).click()
    await recordLinkOf(page, 'C-119').waitFor()
    assert.equal((await parametersOf(page)).get('sort'), '-data.amount')
    assert.deepEqual(await referencesOf(page), await listRecordsFor(page))

    await page.getByRole('button', { name: 'Next' }).click()
    await recordLinkOf(page, 'C-001').waitFor()
    assert.equal((await referencesOf(page)).length, 30)
    assert.deepEqual(await referencesOf(page), await listRecordsFor(page))
    await page.getByRole('button', { name: 'Previous' }).click()
    await recordLinkOf(page, 'C-119').waitFor()
    await page.goBack()
    await recordLinkOf(page, 'C-001').waitFor()

    await page.getByRole('button', { name: /^Remove filter: Status/ }).click()
    await page.getByText('120 records').waitFor()
    assert.deepEqual([...(await parametersOf(page)).keys()].toSorted(), [
      'platform',
      'record_type',
      'sort',
    ])
    assert.deepEqual(pageErrors, [])
  })
})
