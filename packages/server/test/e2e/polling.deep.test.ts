/** How often the page polls the snapshot, and which other requests it sends (specification 4.1 and 6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { BROWSER_TEST, openPage } from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const INTERVAL_MS = 10_000
/** The timers of the browser have a resolution of milliseconds. */
const JITTER_MS = 5
const STEP_MS = 500
const PUSHES_PER_STEP = 3

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)
}

/**
 * Records when the page polls the snapshot, in milliseconds since it was opened. The recorded time is the last one that
 * the page read from its clock, because a slow machine may start the request later.
 */
const RECORD_POLLS = `(() => {
  const now = performance.now.bind(performance)
  const call = window.fetch.bind(window)
  let read = 0
  window.polledAt = []
  performance.now = () => (read = now())
  window.fetch = (...request) => {
    if (request[0] === '/dashboard/realtime') window.polledAt.push(read)
    return call(...request)
  }
})()`

const readPageTime = (page: Page) => page.evaluate<number>('performance.now()')

describe('polling the snapshot', BROWSER_TEST, () => {
  test('the page polls at most once in 10 seconds, and never while hidden, regardless of the number of events', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { hub_api_key } = await hub.registerPushing()
    const { page } = await openPage(hub)
    await page.addInitScript(RECORD_POLLS)
    const posts: string[] = []
    let loads = 0
    page.on('request', (request) => {
      if (request.method() !== 'GET') posts.push(request.url())
      if (request.isNavigationRequest()) loads += 1
    })
    const readPolledAt = () => page.evaluate<number[]>('window.polledAt')
    let pushes = 0
    /** Waits while events of pushes arrive. */
    const pushFor = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
        for (let count = 0; count < PUSHES_PER_STEP; count += 1, pushes += 1) {
          const body = newRecord(`N-${pushes % 7}`, { data: { status: pushes } })
          assert.ok((await hub.push(hub_api_key, body)).status < 300)
        }
        await sleep(STEP_MS)
      }
    }
    await page.goto('/dashboard')
    await page.locator('[data-connection="live"]').waitFor()
    await pushFor(2.5 * INTERVAL_MS)
    await setHidden(page, true)
    const hiddenFrom = await readPageTime(page)
    await pushFor(1.5 * INTERVAL_MS)
    const hiddenTo = await readPageTime(page)
    for (let time = 0; time < 5; time += 1) {
      await setHidden(page, false)
      await setHidden(page, true)
    }
    await setHidden(page, false)
    await pushFor(1.5 * INTERVAL_MS)
    const polls = await readPolledAt()

    const gaps = polls.slice(1).map((at, index) => at - (polls[index] ?? 0))
    assert.ok(
      gaps.every((gap) => gap >= INTERVAL_MS - JITTER_MS),
      `the page polled at ${polls}`,
    )
    assert.ok(polls.length >= 4, `the page polled at ${polls}`)
    assert.deepEqual(
      polls.filter((at) => at > hiddenFrom && at < hiddenTo),
      [],
      'the page does not poll while it is hidden',
    )
    assert.deepEqual(posts, [], 'the page sends only GET requests')
    assert.equal(loads, 1, 'the page is loaded once')
  })
})
