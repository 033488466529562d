/** A record in a browser: its row, long and hostile values, erasure. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  DISPLAY_MODES,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  PHONE,
  setDisplayMode,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { recordLinkOf, shareCasesHub } from '../helpers/browser/records.ts'
import { newRecord, push } from '../helpers/hub/actions.ts'
import { runSql } from '../helpers/storage/sql.ts'

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

describe('a record in the browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const cases = shareCasesHub()

  test('HTML in a record is shown as text, and long values do not break the layout', async () => {
    const long = 'W'.repeat(10_000)
    const deep = { [HOSTILE]: [{ a: { b: long } }] }
    const data = { status: HOSTILE, note: long, [HOSTILE]: deep }
    const response = await push(
      cases().hub,
      cases().hub_api_key,
      newRecord(`${HOSTILE}`, { full_name: HOSTILE, data }),
    )
    const { record_id } = JSON.parse(response.text)
    await using opened = await openPage(browser(), cases().hub, PHONE)
    const { page, pageErrors } = opened
    await page.goto(cases().address({ sort: '-record_id', limit: '50' }))
    await page.getByRole('link', { name: HOSTILE }).waitFor()
    for (const mode of DISPLAY_MODES) {
      await setDisplayMode(page, mode)
      await expectNoHorizontalScroll(page)
    }
    await page.goto(cases().address({ record: String(record_id) }))
    const drawer = page.getByRole('dialog', { name: 'Record' })
    const showAll = drawer.getByRole('button', { name: 'Show all 10,000 characters' })
    await showAll.first().click()
    for (const mode of DISPLAY_MODES) {
      await setDisplayMode(page, mode)
      await expectNoHorizontalScroll(page)
      const isWide = '(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)'
      assert.equal(
        await page.evaluate(`${isWide}(document.querySelector('.mantine-Drawer-content'))`),
        false,
      )
    }
    assert.equal(await page.evaluate('window.hacked'), undefined)
    assert.deepEqual(pageErrors, [])
  })

  test('reference and name stay visible while scrolling, and badges and long values do not cover the reference', async () => {
    await using opened = await openPage(browser(), cases().hub, { width: 800 })
    const { page } = opened
    const long = `L-${'x'.repeat(24)}`
    const data = { status: 's'.repeat(300), amount: 1, note: 'n'.repeat(40) }
    const { hub, hub_api_key } = cases()
    await push(hub, hub_api_key, newRecord(long, { full_name: 'Long', data }), 'PATCH')
    await runSql(
      hub.storage,
      `UPDATE records SET missing_since = '2026-01-01T00:00:00.000Z'
      WHERE reference_number = '${long}'`,
    )
    await page.goto(cases().address({ sort: '-record_id' }))
    await recordLinkOf(page, long).waitFor()
    const row = page.getByRole('row', { name: new RegExp(long) })
    for (const badge of ['Incomplete', 'Missing']) await row.getByText(badge).waitFor()
    const link: [number, number] = await recordLinkOf(page, long).evaluate((element) => [
      element.scrollWidth,
      element.clientWidth,
    ])
    assert.ok(link[0] <= link[1], `the reference needs ${link[0]} px, but has ${link[1]} px`)
    const status = row.getByTitle(data.status)
    await status.waitFor()
    const readLeft = async (name: string) =>
      (await page.getByRole('columnheader', { name }).boundingBox())?.x
    const before = await Promise.all(['Reference', 'Name', 'Status'].map(readLeft))
    await page.getByLabel('Records', { exact: true }).evaluate((list) => list.scrollBy(150, 0))
    const scrolled = await Promise.all(['Reference', 'Name', 'Status'].map(readLeft))
    assert.deepEqual(scrolled.slice(0, 2), before.slice(0, 2))
    assert.ok((scrolled[2] ?? 0) < (before[2] ?? 0))
  })

  test('an admin erases a record after seeing what will be deleted', async () => {
    const response = await push(
      cases().hub,
      cases().hub_api_key,
      newRecord('E-1', { full_name: 'To be erased' }),
    )
    const { record_id } = JSON.parse(response.text)
    await using opened = await openPage(browser(), cases().hub)
    const { page } = opened
    await page.goto(cases().address({ record: String(record_id) }))
    await page.getByRole('button', { name: 'Erase…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Erase this record permanently?' })
    await dialog.getByText('0 changes in its history').waitFor()
    await dialog.getByText('Not erased by the hub').waitFor()
    await expectAccessible(page, { within: 'dialog' })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    assert.ok(await page.getByRole('button', { name: 'Erase…' }).isVisible())
    await page.keyboard.press('Control+k')
    const search = page.getByRole('dialog', { name: 'Search' })
    await search.waitFor()
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Erase…' }).click()
    await dialog.getByRole('button', { name: 'Erase permanently' }).click()
    await page.getByText('The record was erased.').waitFor()
    await page.getByRole('dialog', { name: 'Record' }).waitFor({ state: 'hidden' })
    assert.equal((await cases().hub.get(`/api/v1/records/${record_id}`)).status, 404)
  })
})
