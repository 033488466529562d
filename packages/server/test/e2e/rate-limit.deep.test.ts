/** A page that exceeds the rate limit: it shows a status, does not open the sign-in dialog, and recovers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  advanceUntilShown,
  BROWSER_TEST,
  OVERVIEW_TITLE,
  openPage,
  untilLoaded,
} from '../helpers/browser/browser.ts'
import { EMAIL, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { until } from '../helpers/time/until.ts'

const HUB_REQUESTS = /\/(api\/v1|dashboard\/realtime)/

describe('a page that exceeds the rate limit', BROWSER_TEST, () => {
  test('the page shows the rate limit, and refetches its data when the hub accepts requests again', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { hub_api_key } = await hub.registerPushing()
    await hub.push(hub_api_key, newRecord('N-1'))
    await hub.restart({ withOperator: true, env: { HUB_API_RATE_LIMIT: '1' } })
    const rejection = await exceedLimit(hub)
    await hub.restart({ withOperator: true })
    const { page } = await openPage(hub, { withClock: true })
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    await untilLoaded(page)
    // Every request gets the 429 response that the hub sent above.
    await page.route(HUB_REQUESTS, (route) => route.fulfill(rejection))
    await advanceUntilShown(page, page.getByRole('status', { name: /reached the rate limit/ }))
    assert.equal(await page.getByRole('dialog').count(), 0)
    const rejected = page.waitForResponse((response) => response.status() === 429)
    const links = page.getByRole('navigation')
    await links.getByRole('link', { name: 'Records', exact: true }).click()
    await rejected
    // The page has stopped retrying this request. It refetches the records when the hub accepts requests again.
    await advanceUntilShown(page, page.getByRole('main').getByRole('button', { name: 'Try again' }))
    await page.unroute(HUB_REQUESTS)
    await advanceUntilShown(page, page.getByRole('cell', { name: 'N-1' }))
    await untilLoaded(page)
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByText(`${EMAIL} · admin`).waitFor()
  })
})

/** Sends requests until the hub responds with 429. @returns that response. */
async function exceedLimit(hub: TestHub) {
  const { headers } = await hub.signIn()
  const { text, header } = await until(async () => {
    const response = await hub.send({ url: '/api/v1/session', headers })
    return response.status === 429 ? response : null
  }, 'the hub responds with 429')
  const saved = ['content-type', 'retry-after'].map((name) => [name, header(name)])
  return { status: 429, headers: Object.fromEntries(saved), body: text }
}
