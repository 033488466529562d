/** How often the page asks for the snapshot (specification 4.1 and 6): counted in real time. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  followCalls,
  holdSnapshots,
  openPage,
  runUntilShown,
  shareBrowser,
  signInOver,
} from '../helpers/browser.ts'
import { newRecord, push, registerAny } from '../helpers/http-actions.ts'
import { startTestHub, type TestHub } from '../helpers/http-hub.ts'
import { runSql } from '../helpers/storage-sql.ts'
import { sqliteEngine } from '../helpers/storage-sqlite.ts'

const ON = { HUB_BROADCAST: 'on' }
/** The rhythm, and some time beyond it. */
const LONGER_THAN_THE_RHYTHM_MS = 12_000
/** The browser's timers count whole milliseconds, and round. */
const JITTER_MS = 5
const PUSHES_OF_A_STORM = 100

/** Pushes again and again until it is told to stop and was a storm. */
function storm(hub: TestHub, key: string) {
  let isOver = false
  let count = 0
  const over = (async () => {
    while (!isOver || count < PUSHES_OF_A_STORM) {
      count += 1
      const answer = await push(hub, key, newRecord(`N-${count % 7}`, { data: { status: count } }))
      assert.ok(answer.status < 300)
      await sleep(50)
    }
  })()
  return {
    async stop() {
      isOver = true
      await over
    },
  }
}

async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate(`(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${isHidden} })
    document.dispatchEvent(new Event('visibilitychange'))
  })()`)
}

/**
 * Keeps when the page asks for the snapshot, in milliseconds since it was opened: what it has just read from its
 * clock, since on a slow machine the request itself begins any time later.
 */
const WATCH_ASKING = `(() => {
  const now = performance.now.bind(performance)
  const call = window.fetch.bind(window)
  let read = 0
  window.askedAt = []
  performance.now = () => (read = now())
  window.fetch = (...request) => {
    if (request[0] === '/dashboard/realtime') window.askedAt.push(read)
    return call(...request)
  }
})()`

const nowOn = (page: Page) => page.evaluate<number>('performance.now()')

describe('asking for the snapshot', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('never twice within 10 s, in a storm of events, hidden and shown again', async () => {
    await using hub = await startTestHub(sqliteEngine, { env: ON, withOperator: true })
    const { hub_api_key } = await registerAny(hub)
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.addInitScript(WATCH_ASKING)
    const asking = () => page.waitForRequest('**/dashboard/realtime')
    const posts: string[] = []
    let loads = 0
    page.on('request', (request) => {
      if (request.method() !== 'GET') posts.push(request.url())
      if (request.isNavigationRequest()) loads += 1
    })
    await page.goto('/dashboard')
    await page.locator('[data-connection="live"]').waitFor()
    const pushing = storm(hub, hub_api_key)
    await asking()
    await setHidden(page, true)
    const hiddenFrom = await nowOn(page)
    await sleep(LONGER_THAN_THE_RHYTHM_MS)
    const hiddenTo = await nowOn(page)
    const goingOn = asking()
    await setHidden(page, false)
    await goingOn
    for (let time = 0; time < 5; time += 1) {
      await setHidden(page, true)
      await setHidden(page, false)
    }
    await asking()
    await pushing.stop()
    const asked = await page.evaluate<number[]>('window.askedAt')

    const gaps = asked.slice(1).map((at, index) => at - (asked[index] ?? 0))
    assert.ok(
      gaps.every((gap) => gap >= 10_000 - JITTER_MS),
      `it asked at ${asked}`,
    )
    assert.ok(asked.length >= 4, `it asked at ${asked}`)
    assert.deepEqual(
      asked.filter((at) => at > hiddenFrom && at < hiddenTo),
      [],
      'it asked while it was hidden',
    )
    assert.deepEqual(posts, [], 'nothing is posted that nobody asked for')
    assert.equal(loads, 1, 'the page was loaded once')
    assert.deepEqual(complaints, [])
  })

  test('where events break the page falls back to polling, and still shows what is new', async () => {
    await using hub = await startTestHub(sqliteEngine, {
      env: ON,
      withOperator: true,
      pace: { heartbeat: 50 },
    })
    const { hub_api_key } = await registerAny(hub)
    await using opened = await openPage(browser(), hub)
    const { page, context } = opened
    const answered = followCalls(page)
    await page.clock.install()
    await page.goto('/dashboard')
    await page.locator('[data-connection="live"]').waitFor()
    await page.route('**/dashboard/events', (route) => route.abort())
    // The stream ends with the session that it was opened with; the page goes on with another.
    const [first] = await runSql(hub.storage, 'SELECT id FROM operator_sessions')
    await signInOver(context, hub)
    await answered()
    await runSql(hub.storage, `DELETE FROM operator_sessions WHERE id = '${Object(first)['id']}'`)
    await page.locator('[data-connection="polling"]').waitFor()
    await push(hub, hub_api_key, newRecord('N-1', { full_name: 'Bea Example' }))
    const latest = page.getByRole('region', { name: 'Latest records' })
    await runUntilShown(page, latest.getByText('Bea Example'))
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('events let the page show at once what figures alone would show later', async () => {
    await using hub = await startTestHub(sqliteEngine, { env: ON, withOperator: true })
    const { hub_api_key } = await registerAny(hub)
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await holdSnapshots(page)
    await page.goto('/dashboard')
    await page.locator('[data-connection="live"]').waitFor()
    const received = page.getByRole('region', { name: 'Records received' })
    // Twice the page asks for these figures by itself: at first, and after its only snapshot.
    for (const [index, count] of ['1 POST', '2 POSTs', '3 POSTs'].entries()) {
      await push(hub, hub_api_key, newRecord(`N-${index}`))
      await received.getByText(`In the last 24 hours: ${count},`).waitFor()
    }
  })
})
