/** Exports of the Records page. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { shareCasesHub } from '../helpers/browser/records.ts'

describe('exports of the Records page', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const cases = shareCasesHub()

  test('an export contains the filtered records in the visible columns', async () => {
    await using opened = await openPage(browser(), cases().hub)
    const { page } = opened
    await page.goto(cases().address({ 'filter[amount][before]': '4', sort: 'reference_number' }))
    await page.getByText('3 records').waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export records' })
    await dialog.getByText(/^Filtered records: 3 records, about \d+ B\.$/).waitFor()
    await expectAccessible(page, { within: 'dialog' })
    const csv = await download(page)
    assert.match(csv.name, /\.csv$/)
    const [header, ...rows] = csv.text.trimEnd().split('\r\n')
    assert.match(header ?? '', /^\uFEFFhub_reference_number,hub_full_name,Status,Amount,Note,/)
    assert.deepEqual(
      rows.map((one) => one.split(',').slice(0, 4)),
      [
        ['C-001', 'Person 001', 'open', '1'],
        ['C-002', 'Person 002', 'open', '2'],
        ['C-003', 'Person 003', 'closed', '3'],
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
})

async function download(page: Page): Promise<{ name: string; text: string }> {
  const started = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download' }).click()
  const file = await started
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), 'utf8') }
}
