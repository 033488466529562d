/** How often the page polls the snapshot, and which other requests it sends (specification 4.1 and 6). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { BROWSER_TEST, openPage, shareBrowser, trackRequests } from '../helpers/browser/browser.ts'
import {
  newRecord,
  push,
  registerPlatform,
  registerPushingPlatform,
  startPull,
  untilPullEnds,
} from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { isDeep } from '../helpers/time/tier.ts'

const ON = { HUB_BROADCAST: 'on' }
const INTERVAL_MS = 10_000
/** The timers of the browser have a resolution of milliseconds. */
const JITTER_MS = 5
const STEP_MS = 500
const PUSHES_PER_STEP = 3
const MINUTE_MS = 60_000
const PUSH_STEP_MS = 2000
/** The page of a running pull refreshes at most this often on events. */
const REFRESH_MS = 2000

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

/** Advances the time of the page: by its fake clock, or in real time in the deep tier. */
async function advance(page: Page, milliseconds: number): Promise<void> {
  if (isDeep) await sleep(milliseconds)
  else await page.clock.runFor(milliseconds)
}

const readPageTime = (page: Page) => page.evaluate<number>('performance.now()')

describe('polling the snapshot', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('the page polls at most once in 10 seconds, and never while hidden, regardless of the number of events', async () => {
    await using hub = await startTestHub(sqliteEngine, { env: ON, withOperator: true })
    const { hub_api_key } = await registerPushingPlatform(hub)
    await using opened = await openPage(browser(), hub, { withClock: !isDeep })
    const { page, pageErrors } = opened
    await page.addInitScript(RECORD_POLLS)
    const posts: string[] = []
    let loads = 0
    page.on('request', (request) => {
      if (request.method() !== 'GET') posts.push(request.url())
      if (request.isNavigationRequest()) loads += 1
    })
    const readPolledAt = () => page.evaluate<number[]>('window.polledAt')
    let pushes = 0
    /** Advances the time of the page while events of pushes arrive. */
    const pushFor = async (milliseconds: number) => {
      for (let passed = 0; passed < milliseconds; passed += STEP_MS) {
        for (let count = 0; count < PUSHES_PER_STEP; count += 1, pushes += 1) {
          const body = newRecord(`N-${pushes % 7}`, { data: { status: pushes } })
          assert.ok((await push(hub, hub_api_key, body)).status < 300)
        }
        await advance(page, STEP_MS)
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
    assert.deepEqual(pageErrors, [])
  })

  for (const HUB_BROADCAST of isDeep ? ['off', 'on'] : ['off']) {
    test(`with HUB_BROADCAST=${HUB_BROADCAST}, 60 s with a running pull and frequent pushes cause only the allowed requests`, async (t) => {
      const env = { HUB_BROADCAST }
      await using hub = await startTestHub(sqliteEngine, { env, withOperator: true })
      await using platform = await simulatePlatform({
        modules: [simulatedModule('cases'), simulatedModule('rooms')],
      })
      platform.modules[0]?.records.push(simulatedRecord(1))
      const { hub_api_key } = await registerPlatform(hub, platform)
      const delayed = platform.delayNextResponse('records/rooms')
      const { id } = await startPull(hub)
      await delayed.arrived
      await using opened = await openPage(browser(), hub, { withClock: true })
      const { page, pageErrors } = opened
      const responded = trackRequests(page)
      let counts = new Map<string, number>()
      page.on('request', (request) => {
        const endpoint = `${request.method()} ${new URL(request.url()).pathname}`
        counts.set(endpoint, (counts.get(endpoint) ?? 0) + 1)
      })
      let pushes = 0
      /** Counts the requests during 60 s of the page's clock. @returns the elapsed time, including that of the test. */
      const countRequests = async (path: string): Promise<number> => {
        await page.goto(path)
        const connection = HUB_BROADCAST === 'on' ? 'live' : 'polling'
        await page.locator(`[data-connection="${connection}"]`).waitFor()
        // Waits for scripts and styles that are loaded late, and for the requests after the first snapshot.
        await page.clock.runFor(REFRESH_MS)
        await responded()
        counts = new Map()
        const from = await readPageTime(page)
        for (let passed = 0; passed < MINUTE_MS; passed += PUSH_STEP_MS) {
          for (let count = 0; count < PUSHES_PER_STEP; count += 1, pushes += 1) {
            const body = newRecord(`N-${pushes % 7}`, { data: { status: pushes } })
            assert.ok((await push(hub, hub_api_key, body)).status < 300)
          }
          await page.clock.runFor(PUSH_STEP_MS)
          await responded()
        }
        const milliseconds = (await readPageTime(page)) - from
        const lines = [...counts].map(([endpoint, count]) => `${count} ${endpoint}`).sort()
        t.diagnostic(`${path} in ${Math.round(milliseconds / 1000)} s: ${lines.join(', ')}`)
        return milliseconds
      }
      /** The maximum number of requests at one per interval. */
      const maxRequests = (milliseconds: number, interval: number) =>
        Math.floor((milliseconds + JITTER_MS) / interval) + 1
      const SNAPSHOT = 'GET /dashboard/realtime'

      const onOverview = await countRequests('/dashboard')
      assert.deepEqual([...counts.keys()], [SNAPSHOT], 'the overview requests nothing else')
      const snapshots = counts.get(SNAPSHOT) ?? 0
      assert.ok(snapshots >= 5 && snapshots <= maxRequests(onOverview, INTERVAL_MS), `${snapshots}`)

      const onPull = await countRequests(`/dashboard/pulls/${id}`)
      const PULL = `GET /api/v1/pulls/${id}`
      const ofPull = counts.get(PULL) ?? 0
      const onEvents = HUB_BROADCAST === 'on' ? maxRequests(onPull, REFRESH_MS) : 0
      assert.ok(ofPull >= 4 && ofPull <= maxRequests(onPull, INTERVAL_MS) + onEvents, `${ofPull}`)
      counts.delete(PULL)
      assert.deepEqual(
        [...counts.keys()].sort(),
        ['GET /api/v1/missing-reviews', 'GET /api/v1/rejected-pushes', SNAPSHOT],
        'the page of a pull requests nothing else',
      )
      for (const [endpoint, count] of counts) {
        assert.ok(count <= maxRequests(onPull, INTERVAL_MS), `${count} ${endpoint}`)
      }
      assert.deepEqual(pageErrors, [])
      delayed.release()
      await untilPullEnds(hub, id)
    })
  }
})
