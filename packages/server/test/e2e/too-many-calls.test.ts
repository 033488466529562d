/** An operator who asks for more than the hub allows: the page waits, says so, and never asks to sign in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage, shareBrowser, untilLoaded } from '../helpers/browser.ts'
import { newRecord, push, registerAny } from '../helpers/http-actions.ts'
import { EMAIL, startTestHub } from '../helpers/http-hub.ts'
import { sqliteEngine } from '../helpers/storage-sqlite.ts'

describe('a page that meets the limit of calls', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('comes whole a little later', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { hub_api_key } = await registerAny(hub)
    await push(hub, hub_api_key, newRecord('N-1'))
    await hub.restart({ withOperator: true, env: { HUB_API_RATE_LIMIT: '3' } })
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    let refused = 0
    page.on('response', (response) => {
      if (response.status() === 429) refused += 1
    })
    await page.goto('/dashboard/records')
    await page.getByRole('cell', { name: 'N-1' }).waitFor()
    await untilLoaded(page)
    assert.ok(refused > 0, 'the limit was met')
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByText(`${EMAIL} · admin`).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('says why its figures are late', async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      env: { HUB_API_RATE_LIMIT: '1' },
    })
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard')
    await page.getByRole('status', { name: /more than it allows in a second/ }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
  })
})
