/** The inbox in a browser: real faults, decided and put aside by mouse and keyboard. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import { addDigestPlatform } from '../helpers/hub/digest-hub.ts'
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
    await items.getByText('8 pushes of cases rejected').waitFor()
    await untilTrueInPage(page, "document.title.startsWith('(3) Inbox')")
    await item.getByRole('heading', { name: /cannot be read/ }).waitFor()
    await item.getByRole('button', { name: 'Pull now' }).waitFor()
    await expectAccessible(page)

    await page.keyboard.press('ArrowDown')
    await item.getByRole('heading', { name: '8 pushes of cases rejected' }).waitFor()
    await item.getByRole('link', { name: 'Show 2 more' }).waitFor()
    await expectAccessible(page)
    // Enter presses the button that has the focus, and the keys of a dialog move nothing behind it.
    await item.getByRole('button', { name: 'Delete 8…' }).press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Cancel' }).press('ArrowDown')
    await item.getByRole('heading', { name: '8 pushes of cases rejected' }).waitFor()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await items.getByText('8 pushes of cases rejected').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Filter by kind and platform' }).click()
    await page.getByRole('combobox', { name: 'Kind' }).click()
    await page.getByRole('option', { name: 'Failing pulls' }).click()
    await items.getByText('There is no backup').waitFor({ state: 'detached' })
    await expectAccessible(page)
    await page.goBack()
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

  test('a list and a digest that disagree are an item until the module is read again', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using kit = await addDigestPlatform(hub, 20)
    kit.source.behaviour = {
      digested: (records) => records.filter((record) => record.reference_number !== 'R-5'),
    }
    await kit.pull('digest')
    await kit.pull('digest')
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    const overview = page.getByRole('region', { name: 'Inbox' })
    const title = 'The list and the digest of Module cases disagree'
    await overview.getByText(title).waitFor()
    await page.getByRole('heading', { name: '2 things need you' }).waitFor()
    await untilTrueInPage(page, "document.title.startsWith('(2)')")
    await overview.getByText(title).click()
    const item = page.getByRole('region', { name: 'Item', exact: true })
    await item.getByText(/reference R-\d+, version 1\. The platform owner must/).waitFor()
    await item.getByText(/since/).waitFor()
    await expectAccessible(page)
    await item.getByRole('link', { name: 'Show the module' }).waitFor()
    await item.getByRole('link', { name: 'Show the guide' }).click()
    await page.getByRole('heading', { name: 'The digest (optional)' }).waitFor()
    await page.goBack()
    kit.source.behaviour = {}
    await item.getByRole('button', { name: 'Read everything again' }).click()
    await page.waitForURL(/\/pulls\/\d+/)
    await page.getByRole('link', { name: /^Inbox/ }).click()
    const items = page.getByRole('region', { name: 'Items' })
    await items.getByText('There is no backup').waitFor()
    await items.getByText(title).waitFor({ state: 'detached' })
    await untilTrueInPage(page, "document.title.startsWith('(1) Inbox')")
  })

  test('twelve pushes of a misspelt module are repaired as proposed, and an edit of one is applied to all', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const school = await hub.registerPushing()
    await school.post(newRecord('R-0'))
    for (let n = 0; n < 12; n += 1) {
      await school.post({ ...newRecord(`R-${n}`, { full_name: 'Ada' }), record_type: 'casse' })
    }
    const { page } = await openPage(hub, { width: 1440 })
    await page.goto('/dashboard')
    const overview = page.getByRole('region', { name: 'Inbox' })
    await overview.getByRole('button', { name: 'Replay 12 as cases' }).click()
    const dialog = page.getByRole('dialog', { name: 'Replay 12 as cases?' })
    await dialog.getByText('11 new, 1 updated, 0 rejected again.').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await overview.getByText('Did you mean Module cases (cases)?').waitFor()
    await overview.getByRole('link', { name: 'Edit' }).click()
    const item = page.getByRole('region', { name: 'Item', exact: true })
    await item
      .getByText('12 pushes name the module casse. Did you mean Module cases (cases)?')
      .waitFor()
    await item.getByText('proposed: nearest name').waitFor()
    await item.getByText('tested just now').waitFor()
    const result = item.getByRole('status')
    assert.equal((await result.innerText()).replaceAll(/\s+/g, ' '), '11 new 1 update 0 rejected')
    await item.getByText('+   "record_type": "cases"').waitFor()
    await item.getByText('Update 1 value', { exact: true }).waitFor()
    await expectAccessible(page)
    assert.equal(await item.getByText('cassecases').count(), 6)
    await item.getByRole('button', { name: 'Next body' }).click()
    await item.getByText('R-1', { exact: true }).nth(1).waitFor()
    await item.getByRole('button', { name: 'Replay the first one only' }).click()
    await page.getByText('R-0 was replayed: updated').waitFor()
    await item.getByRole('button', { name: 'Replay 11' }).click()
    await result.getByText('11 new, 0 rejected again.').waitFor()
    assert.equal((await hub.records(school.platform_name)).length, 12)
    await item.getByText('This item is over.').waitFor()

    for (const [n, dat] of [{}, 5].entries()) {
      await school.post({ ...newRecord(`S-${n}`, { data: undefined }), dat })
    }
    const items = page.getByRole('region', { name: 'Items' })
    await items.getByRole('button', { name: '+1 new' }).click()
    await items.getByText('2 pushes of cases rejected').click()
    await item.getByRole('link', { name: 'S-0' }).click()
    const drawer = page.getByRole('dialog', { name: 'Rejected record' })
    const editor = drawer.getByLabel('Body to replay')
    await editor.fill((await editor.inputValue()).replace('"dat"', '"data"'))
    await drawer.getByRole('button', { name: 'Apply the same change to all 2' }).click()
    await item.getByText('tested just now').waitFor()
    await result.getByText(/1\s*new/).waitFor()
    assert.equal((await result.innerText()).replaceAll(/\s+/g, ' '), '1 new 0 update 1 rejected')
    await item.getByRole('button', { name: 'Replay 2' }).click()
    await result.getByText('1 new, 1 rejected again.').waitFor()
    await expectAccessible(page)
  })
})
