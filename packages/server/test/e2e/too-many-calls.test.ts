/** An operator who asks for more than the hub allows: the page waits, says so, and never asks to sign in. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { BrowserContext } from 'playwright-core'
import { BROWSER_TEST, openPage, shareBrowser, untilLoaded } from '../helpers/browser.ts'
import { newRecord, push, registerAny } from '../helpers/http-actions.ts'
import { EMAIL, startTestHub, type TestHub } from '../helpers/http-hub.ts'
import { sqliteEngine } from '../helpers/storage-sqlite.ts'

describe('a page that meets the limit of calls', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('says why its figures are late, and comes whole a little later', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { hub_api_key } = await registerAny(hub)
    await push(hub, hub_api_key, newRecord('N-1'))
    await hub.restart({ withOperator: true, env: { HUB_API_RATE_LIMIT: '5' } })
    await using opened = await openPage(browser(), hub)
    const { page, context, complaints } = opened
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    await using flood = await callAndCall(hub, context)
    await page.getByRole('status', { name: /more than it allows in a second/ }).waitFor()
    assert.equal(await page.getByRole('dialog').count(), 0)
    const refused = page.waitForResponse((response) => response.status() === 429)
    const links = page.getByRole('navigation')
    await links.getByRole('link', { name: 'Records', exact: true }).click()
    await refused
    await flood[Symbol.asyncDispose]()
    await page.getByRole('cell', { name: 'N-1' }).waitFor()
    await untilLoaded(page)
    assert.equal(await page.getByRole('dialog').count(), 0)
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByText(`${EMAIL} · admin`).waitFor()
    assert.deepEqual(complaints, [])
  })
})

/** Takes all calls that the operator has, from when this answers until its end; many at once, however slow the machine. */
async function callAndCall(hub: TestHub, context: BrowserContext): Promise<AsyncDisposable> {
  const cookies = await context.cookies()
  const headers = { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') }
  const isFull = Promise.withResolvers<void>()
  let isOver = false
  const calling = (async () => {
    while (!isOver) {
      const calls = Array.from({ length: 10 }, () => hub.send({ url: '/api/v1/session', headers }))
      const answers = await Promise.all(calls)
      if (answers.some(({ status }) => status === 429)) isFull.resolve()
    }
  })()
  await isFull.promise
  return {
    [Symbol.asyncDispose]: () => {
      isOver = true
      return calling
    },
  }
}
