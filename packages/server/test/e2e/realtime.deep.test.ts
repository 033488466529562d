/** Events in addition to polling, and polling without events (specification 4.1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  advanceUntilShown,
  BROWSER_TEST,
  delaySnapshots,
  openPage,
  signInContext,
  trackRequests,
} from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const INTERVAL_MS = 10_000
/** The timers of the browser have a resolution of milliseconds. */
const JITTER_MS = 5
const PUSHES_PER_STEP = 3
const MINUTE_MS = 60_000
const PUSH_STEP_MS = 2000
/** The page of a running pull refreshes at most this often on events. */
const REFRESH_MS = 2000
const readPageTime = (page: Page) => page.evaluate<number>('performance.now()')

describe('polling the snapshot', BROWSER_TEST, () => {
  test('the page falls back to polling when events fail, and still shows new records', async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      intervals: { heartbeat: 50 },
    })
    const { hub_api_key } = await hub.registerPushing()
    const { page, context } = await openPage(hub, { withClock: true })
    const responded = trackRequests(page)
    await page.goto('/dashboard/log')
    await page.locator('[data-connection="live"]').waitFor()
    await page.route('**/dashboard/events', (route) => route.abort())
    // The stream ends with its session; the page continues with another session.
    const [first] = await hub.sql('SELECT id FROM operator_sessions')
    await signInContext(context, hub)
    await responded()
    await hub.sql(`DELETE FROM operator_sessions WHERE id = '${Object(first)['id']}'`)
    await page.locator('[data-connection="polling"]').waitFor()
    await hub.push(hub_api_key, newRecord('N-1', { full_name: 'Bea Example' }))
    await advanceUntilShown(page, page.getByRole('row').getByText(/N-1/))
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('events show the state of a running pull before the next snapshot, and what the hub waits for', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using platform = await simulatePlatform({ modules: [simulatedModule('cases')] })
    await hub.register(platform)
    const delayed = platform.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await delayed.arrived
    const { page } = await openPage(hub, { withClock: true })
    await delaySnapshots(page)
    await page.goto(`/dashboard/pulls/${id}`)
    await page.locator('[data-connection="live"]').waitFor()
    const modules = page.getByRole('table', { name: 'Modules of the pull' })
    await modules.getByText('Running').waitFor()
    const waiting = /waiting for Title of .* \(\d+ s\)/
    await advanceUntilShown(page, modules.getByText(waiting))
    await page.getByRole('region', { name: 'Progress' }).getByText(waiting).waitFor()
    await page.route(`**/api/v1/pulls/${id}*`, (route) => route.abort())
    delayed.release()
    await advanceUntilShown(page, modules.getByText('Succeeded'))
    assert.equal(await modules.getByText('Running').count(), 0)
  })

  test('a page can be closed while a tracked request has no response', async () => {
    const nowhere = { address: 'http://127.0.0.1:9' }
    const { page, context } = await openPage(nowhere, { signedIn: false, timeZone: 'UTC' })
    await page.route('http://pending.example/**', () => undefined)
    trackRequests(page)
    const sent = page.waitForRequest('http://pending.example/')
    await page.evaluate(`void fetch('http://pending.example/').catch(() => undefined)`)
    const closed = assert.rejects((await sent).response(), /closed/)
    await context.close()
    await closed
  })

  for (const HUB_BROADCAST of ['off', 'on']) {
    test(`with HUB_BROADCAST=${HUB_BROADCAST}, 60 s with a running pull and frequent pushes cause only the allowed requests`, async (t) => {
      const env = { HUB_BROADCAST }
      await using hub = await startTestHub(sqliteEngine, { env, withOperator: true })
      await using platform = await simulatePlatform({
        modules: [simulatedModule('cases'), simulatedModule('rooms')],
      })
      platform.modules[0]?.records.push(simulatedRecord(1))
      const { hub_api_key } = await hub.register(platform)
      const delayed = platform.delayNextResponse('records/rooms')
      const { id } = await hub.startPull()
      await delayed.arrived
      const { page } = await openPage(hub, { withClock: true })
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
            assert.ok((await hub.push(hub_api_key, body)).status < 300)
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
      // The completeness of all modules is read again after each snapshot.
      const COMPLETENESS = 'GET /api/v1/completeness'
      const expected = [COMPLETENESS, SNAPSHOT]
      assert.deepEqual([...counts.keys()].sort(), expected, 'the overview requests nothing else')
      const snapshots = counts.get(SNAPSHOT) ?? 0
      const completeness = counts.get(COMPLETENESS) ?? 0
      assert.ok(completeness <= snapshots + 1, `${completeness} after ${snapshots} snapshots`)
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
      delayed.release()
      await hub.untilPullEnds(id)
    })
  }
})
