/** What a button does, once, however often it is clicked. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { BROWSER_TEST, openPage } from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

/** Delays these requests until `release` is called. `count` is their number. */
async function delayRequests(page: Page, method: string, address: RegExp) {
  const released = Promise.withResolvers<void>()
  let count = 0
  await page.route(address, async (route) => {
    if (route.request().method() !== method) return route.continue()
    count += 1
    await released.promise
    await route.continue()
  })
  return { count: () => count, release: () => released.resolve() }
}

describe('a second click on a button', BROWSER_TEST, () => {
  test('before the response starts no second action', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using school = await simulatePlatform()
    await hub.register(school)
    school.setResponse('records/cases', (response) => {
      response.writeHead(503).end('Maintenance')
    })
    await hub.pullAll()
    const { page } = await openPage(hub)
    const pulls = await delayRequests(page, 'POST', /\/pull$/)
    await page.goto('/dashboard/inbox')
    const item = page.getByRole('region', { name: 'Item', exact: true })
    await item.getByRole('button', { name: 'Pull now' }).dblclick()
    pulls.release()
    await page.getByText(/^The pull of .* has started$/).waitFor()
    assert.equal(pulls.count(), 1)
  })

  test('of a confirmation that closes starts no second action', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using school = await simulatePlatform()
    const { hub_api_key } = await hub.register(school)
    for (let n = 0; n < 8; n += 1) await hub.push(hub_api_key, newRecord(`B-${n}`, { data: n }))
    const { page } = await openPage(hub)
    const deletions = await delayRequests(page, 'DELETE', /\/api\/v1\/rejected-pushes/)
    await page.goto('/dashboard/inbox')
    const rejected = '8 pushes of cases rejected'
    const listed = page.getByRole('region', { name: 'Items' }).getByText(rejected)
    await listed.click()
    await page.getByRole('button', { name: 'Delete 8…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).dblclick()
    deletions.release()
    await listed.waitFor({ state: 'detached' })
    assert.equal(deletions.count(), 1)
  })
})
