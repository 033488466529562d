/** The inbox in a browser: real faults, decided and put aside by mouse and keyboard. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, expectAccessible, openPage } from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the inbox in a browser', BROWSER_TEST, () => {
  test('faults are one item each, decided in place, acknowledged by a key and taken back', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using school = await simulatePlatform()
    const { hub_api_key } = await hub.register(school)
    for (let n = 0; n < 8; n += 1) await hub.push(hub_api_key, newRecord(`B-${n}`, { data: n }))
    school.setResponse('records/cases', (response) => {
      response.writeHead(503).end('Maintenance')
    })
    await hub.pullAll()
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    await page.getByRole('link', { name: /^Inbox/ }).click()
    const items = page.getByRole('region', { name: 'Items' })
    const item = page.getByRole('region', { name: 'Item', exact: true })
    await items.getByText('8 rejections of cases').waitFor()
    assert.match(await page.title(), /^\(3\) Inbox/)
    await item.getByRole('heading', { name: /cannot be read/ }).waitFor()
    await item.getByRole('button', { name: 'Pull now' }).waitFor()
    await expectAccessible(page)

    await page.keyboard.press('ArrowDown')
    await item.getByRole('heading', { name: '8 rejections of cases' }).waitFor()
    await item.getByRole('link', { name: 'Show all 8' }).waitFor()
    await expectAccessible(page)
    await item.getByRole('button', { name: 'Delete 8…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await items.getByText('8 rejections of cases').waitFor({ state: 'detached' })

    await items.getByText('There is no backup').click()
    await item.getByRole('link', { name: 'Make a backup' }).waitFor()
    await page.keyboard.press('e')
    await items.getByText('There is no backup').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Other lists' }).click()
    await page.getByRole('menuitem', { name: 'Put aside' }).click()
    await items.getByText('There is no backup').click()
    await item.getByText(/^Acknowledged by/).waitFor()
    await item.getByRole('button', { name: 'Open again' }).click()
    await items.getByText('Nothing is put aside').waitFor()
  })
})
