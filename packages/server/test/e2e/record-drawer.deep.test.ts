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
} from '../helpers/browser/browser.ts'
import { parametersOf, recordLinkOf, shareCasesHub } from '../helpers/browser/records.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'

describe('a record in the browser', BROWSER_TEST, () => {
  const cases = shareCasesHub()
  test('a record opens with its provenance, its history, an earlier version and its lossless JSON', async () => {
    const body = JSON.stringify(newRecord('H-1', { full_name: 'Before', data: 'DATA' }))
    const data = '{"status":"open","amount":9007199254740993,"rate":1.10,"deep":{"list":[1e2,"x"]}}'
    await cases().hub.push(cases().hub_api_key, body.replace('"DATA"', data))
    const patch = { ...newRecord('H-1', { full_name: 'After', data: { status: 'closed' } }) }
    const response = await cases().hub.push(cases().hub_api_key, patch, 'PATCH')
    const { record_id } = JSON.parse(response.text)
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address({ sort: '-record_id' }))
    await recordLinkOf(page, 'H-1').waitFor()
    await page.getByRole('cell', { name: '9007199254740993' }).waitFor()
    await recordLinkOf(page, 'H-1').click()
    const drawer = page.getByRole('complementary', { name: 'Record' })
    await drawer.getByRole('heading', { name: 'After' }).waitFor()
    assert.equal((await parametersOf(page)).get('record'), String(record_id))
    await drawer
      .getByTitle(/^Pushed \(PATCH\), .+ request /)
      .first()
      .waitFor()
    await drawer.getByText('9007199254740993').waitFor()
    await drawer.getByTitle('rate, not in the manifest').waitFor()
    await drawer.getByText('Name and 1 more').waitFor()
    await expectAccessible(page)

    await drawer.getByRole('tab', { name: /^Fields ?5$/ }).waitFor()
    await drawer.getByRole('tab', { name: 'History' }).click()
    await drawer.getByText('Status open closed').waitFor()
    await drawer.getByText('Name Before After').waitFor()
    await expectAccessible(page)

    await drawer.getByRole('tab', { name: 'JSON' }).click()
    const raw = await drawer.locator('pre').innerText()
    for (const token of ['9007199254740993', '1.10', '1e2']) assert.ok(raw.includes(token), raw)
    await expectAccessible(page)
    assert.equal((await parametersOf(page)).get('tab'), 'raw')

    const { record } = JSON.parse((await cases().hub.get(`/api/v1/records/${record_id}`)).text)
    await page.goto(cases().address({ record: String(record_id), as_of: record.created_at }))
    await drawer.getByRole('heading', { name: 'Before' }).waitFor()
    await drawer.getByText('This is the version of').waitFor()
    await drawer.getByRole('button', { name: 'Back to current version' }).click()
    await drawer.getByRole('heading', { name: 'After' }).waitFor()

    // The version that was opened stays until the operator asks for the newer one.
    const later = newRecord('H-1', { full_name: 'Later', data: { status: 'open' } })
    await cases().hub.push(cases().hub_api_key, later, 'PATCH')
    await drawer
      .getByRole('status')
      .getByText(/^Changed /)
      .waitFor()
    await drawer.getByRole('heading', { name: 'After' }).waitFor()
    await drawer.getByRole('button', { name: 'Show', exact: true }).click()
    await drawer.getByRole('heading', { name: 'Later' }).waitFor()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    assert.equal((await parametersOf(page)).get('record'), null)
  })

  test('a record is opened and the list is sorted by keyboard', async () => {
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address({ sort: 'reference_number' }))
    await recordLinkOf(page, 'C-001').waitFor()
    await page.getByRole('button', { name: 'Columns' }).focus()
    // The Tab key reaches the counts, the table, its column headers, then the first record.
    for (let steps = 0; steps < 20; steps++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement.textContent')) === 'C-001') break
    }
    await page.keyboard.press('Enter')
    const drawer = page.getByRole('complementary', { name: 'Record' })
    await drawer.getByRole('heading', { name: 'Person 001' }).waitFor()
    for (const [key, person] of [
      ['j', 'Person 002'],
      ['ArrowDown', 'Person 003'],
      ['k', 'Person 002'],
    ] as const) {
      await page.keyboard.press(key)
      await drawer.getByRole('heading', { name: person }).waitFor()
    }
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Status' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.getByRole('menuitem', { name: 'Sort ascending' }).press('Enter')
    await page.getByRole('button', { name: 'Status, sorted ascending' }).waitFor()
  })

  test('every value of a list of objects can be seen', async () => {
    const events = [
      { a: 1, b: 2, c: { deep: 'inside' }, d: 'https://example.org/page', e: 5, f: 'last' },
    ]
    const { hub, hub_api_key, address } = cases()
    const response = await hub.push(hub_api_key, newRecord('O-1', { data: { events } }))
    const { page } = await openPage(hub)
    await page.goto(address({ record: String(JSON.parse(response.text).record_id) }))
    const drawer = page.getByRole('complementary', { name: 'Record' })
    await drawer.getByRole('link', { name: 'page' }).waitFor()
    await drawer.getByRole('button', { name: 'inside' }).click()
    await drawer.getByText('Deep').waitFor()
    assert.equal(await drawer.getByRole('columnheader', { name: 'F' }).count(), 0)
    await drawer.getByRole('button', { name: 'Show 1 more column' }).click()
    await drawer.getByRole('cell', { name: 'last' }).waitFor()
  })

  test('HTML in a record is shown as text, and long values do not break the layout', async () => {
    const long = 'W'.repeat(10_000)
    const deep = { [HOSTILE]: [{ a: { b: long } }] }
    const data = { status: HOSTILE, note: long, [HOSTILE]: deep }
    const response = await cases().hub.push(
      cases().hub_api_key,
      newRecord(`${HOSTILE}`, { full_name: HOSTILE, data }),
    )
    const { record_id } = JSON.parse(response.text)
    const { page } = await openPage(cases().hub, PHONE)
    await page.goto(cases().address({ sort: '-record_id', limit: '50' }))
    await page.getByRole('link', { name: HOSTILE }).waitFor()
    for (const mode of DISPLAY_MODES) {
      await setDisplayMode(page, mode)
      await expectNoHorizontalScroll(page)
    }
    await page.goto(cases().address({ record: String(record_id) }))
    const drawer = page.getByRole('complementary', { name: 'Record' })
    const showAll = drawer.getByRole('button', { name: 'Show all 10,000 characters' })
    await showAll.first().click()
    for (const mode of DISPLAY_MODES) {
      await setDisplayMode(page, mode)
      await expectNoHorizontalScroll(page)
      const isWide = '(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)'
      assert.equal(await page.evaluate(`${isWide}(document.querySelector('aside'))`), false)
    }
    assert.equal(await page.evaluate('window.hacked'), undefined)
  })

  test('reference and name stay visible while scrolling, and badges are visible beside long values', async () => {
    const { page } = await openPage(cases().hub, { width: 800 })
    const long = `L-${'x'.repeat(24)}`
    const data = { status: 's'.repeat(300), amount: 1, note: 'n'.repeat(40) }
    const { hub, hub_api_key } = cases()
    await hub.push(hub_api_key, newRecord(long, { full_name: 'Long', data }), 'PATCH')
    await hub.sql(`UPDATE records SET missing_since = '2026-01-01T00:00:00.000Z'
      WHERE reference_number = '${long}'`)
    await page.goto(cases().address({ sort: '-record_id' }))
    await recordLinkOf(page, long).waitFor()
    const row = page.getByRole('row', { name: new RegExp(long) })
    for (const badge of ['Incomplete', 'Missing']) await row.getByText(badge).waitFor()
    const status = row.getByTitle(data.status)
    await status.waitFor()
    const readLeft = async (name: string) =>
      (await page.getByRole('columnheader', { name }).boundingBox())?.x
    const before = await Promise.all(['Reference', 'Name', 'Status'].map(readLeft))
    const list = page.getByRole('region', { name: 'Records', exact: true })
    await list.evaluate((element) => element.scrollBy(150, 0))
    const scrolled = await Promise.all(['Reference', 'Name', 'Status'].map(readLeft))
    assert.deepEqual(scrolled.slice(0, 2), before.slice(0, 2))
    assert.ok((scrolled[2] ?? 0) < (before[2] ?? 0))
  })

  test('an admin erases a record after seeing what will be deleted', async () => {
    const response = await cases().hub.push(
      cases().hub_api_key,
      newRecord('E-1', { full_name: 'To be erased' }),
    )
    const { record_id } = JSON.parse(response.text)
    const { page } = await openPage(cases().hub)
    await page.goto(cases().address({ record: String(record_id) }))
    const erase = async () => {
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Erase…' }).click()
    }
    await erase()
    const dialog = page.getByRole('dialog', { name: 'Erase this record permanently?' })
    await dialog.getByRole('row', { name: 'Changes in its history 0' }).waitFor()
    await dialog.getByText('Not erased by the hub').waitFor()
    await expectAccessible(page, { within: 'dialog' })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    assert.ok(await page.getByRole('complementary', { name: 'Record' }).isVisible())
    await page.keyboard.press('Control+k')
    const search = page.getByRole('dialog', { name: 'Search' })
    await search.waitFor()
    await page.keyboard.press('Escape')
    await search.waitFor({ state: 'hidden' })
    await erase()
    await dialog.getByRole('button', { name: 'Erase permanently', disabled: true }).waitFor()
    await dialog.getByRole('textbox', { name: 'Type E-1 to confirm' }).fill('E-1')
    await dialog.getByRole('button', { name: 'Erase permanently' }).click()
    await page.getByText('The record was erased.').waitFor()
    await page.getByRole('complementary', { name: 'Record' }).waitFor({ state: 'hidden' })
    assert.equal((await cases().hub.get(`/api/v1/records/${record_id}`)).status, 404)
  })
})
