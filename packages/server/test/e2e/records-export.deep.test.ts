/** The Records page is accessible, also with its menus, and its lists have a time limit. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  DISPLAY_MODES,
  expectAccessible,
  expectAccessibleInAllModes,
  expectNoHorizontalScroll,
  openPage,
  setDisplayMode,
} from '../helpers/browser/browser.ts'
import { parametersOf, recordLinkOf, shareCasesHub } from '../helpers/browser/records.ts'

describe('the accessibility of the Records page', BROWSER_TEST, () => {
  const cases = shareCasesHub()
  test('an export contains the filtered records in the visible columns, the pinned ones first', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address({ 'filter[amount][before]': '4', sort: 'reference_number' }))
    await page.getByText('3 records').waitFor()
    await page.getByRole('button', { name: 'Amount, filtered' }).click()
    await page.getByRole('menuitem', { name: 'Pin to the left' }).click()
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export records' })
    await dialog.getByText(/^Filtered records: 3 records, about \d+ B\.$/).waitFor()
    await expectAccessible(page, { within: 'dialog' })
    const csv = await download(page)
    assert.match(csv.name, /\.csv$/)
    const [header, ...rows] = csv.text.trimEnd().split('\r\n')
    assert.match(header ?? '', /^\uFEFFReference,Name,Amount,Status,Note,/)
    assert.deepEqual(
      rows.map((one) => one.split(',').slice(0, 4)),
      [
        ['C-001', 'Person 001', '1', 'open'],
        ['C-002', 'Person 002', '2', 'open'],
        ['C-003', 'Person 003', '3', 'closed'],
      ],
    )
    await page.getByRole('button', { name: 'Export' }).click()
    await dialog.getByText('NDJSON', { exact: true }).click()
    const lines = (await download(page)).text.trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).reference_number),
      ['C-001', 'C-002', 'C-003'],
    )
  })

  test('the list, its menus and its dialogs are accessible in all display modes', async () => {
    const { page } = await openPage(cases().hub)
    for (const mode of DISPLAY_MODES) {
      await setDisplayMode(page, mode)
      await page.goto(
        cases().address({ 'filter[status]': 'open', incomplete: 'false', limit: '10' }),
      )
      await page
        .getByRole('link', { name: /^C-\d+/ })
        .first()
        .waitFor()
      await expectAccessible(page)
      await expectNoHorizontalScroll(page)
      // The rows of a phone have no heads.
      const heads = mode.width < 600 ? [] : ['Name']
      for (const name of ['Columns', 'Views', 'Add filter', ...heads]) {
        await page.getByRole('button', { name, exact: true }).click()
        const role = name === 'Views' || name === 'Name' ? 'menu' : 'dialog'
        await page.getByRole(role).waitFor()
        await expectAccessible(page, { within: role })
        await page.keyboard.press('Escape')
      }
    }
    await page.goto(cases().address({ q: 'unknown name' }))
    await page.getByText('No matching records').waitFor()
    await expectAccessibleInAllModes(page)
  })
})

describe('a list that exceeds the time limit', BROWSER_TEST, () => {
  let isBuilt = false
  const cases = shareCasesHub({
    wrap: (storage) => ({
      ...storage,
      records: {
        ...storage.records,
        async listRecords(query) {
          if (query.sort === 'data.amount' && !isBuilt) return { outcome: 'too_slow' }
          if (query.sort === 'relevance') return { outcome: 'too_slow' }
          const isBegun = query.conditions.length > 0 && query.after === null
          const page = await storage.records.listRecords(isBegun ? { ...query, limit: 10 } : query)
          if (page.outcome !== 'listed' || !isBegun) return page
          return { ...page, stopped_at: page.last, has_more: true }
        },
      },
      searchIndex: {
        ...storage.searchIndex,
        async listIndexedFields(...module) {
          const fields = await storage.searchIndex.listIndexedFields(...module)
          isBuilt = fields?.some(({ is_built }) => is_built) ?? false
          return fields
        },
      },
    }),
  })

  test('a list that reached the time limit can be continued', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address({ 'filter[note][empty]': 'true', sort: 'reference_number' }))
    await page.getByText('stopped after two seconds with 10 records').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Continue searching' }).click()
    await recordLinkOf(page, 'C-011').waitFor()
    assert.equal(await page.getByText('stopped after two seconds').count(), 0)
  })

  test('a search that finds too many records to rank them lists the newest first, and says so', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address({ q: 'person', limit: '60' }))
    const notice = page.getByText('Too many records match to rank them')
    await notice.waitFor()
    await page.getByRole('button', { name: 'Order of the list: newest first' }).waitFor()
    await recordLinkOf(page, 'C-120').waitFor()
    await page
      .getByRole('cell', { name: 'Person 120' })
      .locator('mark')
      .getByText('Person')
      .waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Next' }).click()
    await recordLinkOf(page, 'C-060').waitFor()
    assert.equal((await parametersOf(page)).get('sort'), '-updated_at')
    assert.equal(await notice.count(), 0)
    await page.getByRole('button', { name: 'Order of the list: newest first' }).click()
    await page.getByRole('menuitem', { name: 'oldest first' }).click()
    await recordLinkOf(page, 'C-001').waitFor()
  })

  test('a sort that takes too long offers an index, and succeeds after the index was built', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address())
    await page.getByRole('button', { name: 'Amount' }).click()
    await page.getByText('Not indexed:').waitFor()
    await page.getByRole('menuitem', { name: 'Sort descending' }).click()
    await page.getByText('Sorting by Amount takes too long').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Index Amount' }).click()
    await recordLinkOf(page, 'C-120').waitFor()
    await page.getByRole('button', { name: 'Amount, sorted descending' }).click()
    await page.getByRole('menuitem', { name: 'Filter…' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Index this field' }).count(), 0)
  })
})

async function download(page: Page): Promise<{ name: string; text: string }> {
  const started = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const file = await started
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}
