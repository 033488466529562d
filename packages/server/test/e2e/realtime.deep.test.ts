/** Events in addition to polling, and polling without events (specification 4.1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  advanceUntilShown,
  BROWSER_TEST,
  delaySnapshots,
  openPage,
  shareBrowser,
  signInContext,
  trackRequests,
} from '../helpers/browser/browser.ts'
import {
  newRecord,
  push,
  registerPlatform,
  registerPushingPlatform,
  startPull,
} from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { simulatedModule, simulatePlatform } from '../helpers/platform/platform.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const ON = { HUB_BROADCAST: 'on' }
describe('polling the snapshot', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('the page falls back to polling when events fail, and still shows new records', async () => {
    await using hub = await startTestHub(sqliteEngine, {
      env: ON,
      withOperator: true,
      intervals: { heartbeat: 50 },
    })
    const { hub_api_key } = await registerPushingPlatform(hub)
    await using opened = await openPage(browser(), hub, { withClock: true })
    const { page, context } = opened
    const responded = trackRequests(page)
    await page.goto('/dashboard')
    await page.locator('[data-connection="live"]').waitFor()
    await page.route('**/dashboard/events', (route) => route.abort())
    // The stream ends with its session; the page continues with another session.
    const [first] = await runSql(hub.storage, 'SELECT id FROM operator_sessions')
    await signInContext(context, hub)
    await responded()
    await runSql(hub.storage, `DELETE FROM operator_sessions WHERE id = '${Object(first)['id']}'`)
    await page.locator('[data-connection="polling"]').waitFor()
    await push(hub, hub_api_key, newRecord('N-1', { full_name: 'Bea Example' }))
    const latest = page.getByRole('region', { name: 'Latest records' })
    await advanceUntilShown(page, latest.getByText('Bea Example'))
    assert.equal(await page.getByRole('dialog').count(), 0)
  })

  test('events refresh the page of a running pull before the next snapshot', async () => {
    await using hub = await startTestHub(sqliteEngine, { env: ON, withOperator: true })
    await using platform = await simulatePlatform({ modules: [simulatedModule('cases')] })
    await registerPlatform(hub, platform)
    const delayed = platform.delayNextResponse('records/cases')
    const { id } = await startPull(hub)
    await delayed.arrived
    await using opened = await openPage(browser(), hub, { withClock: true })
    const { page } = opened
    await delaySnapshots(page)
    await page.goto(`/dashboard/pulls/${id}`)
    await page.locator('[data-connection="live"]').waitFor()
    const modules = page.getByRole('list', { name: 'Modules of the pull' })
    await modules.getByText('Running').waitFor()
    delayed.release()
    await advanceUntilShown(page, modules.getByText('Succeeded'))
  })

  test('a page can be closed while a tracked request has no response', async () => {
    const context = await browser().newContext()
    const page = await context.newPage()
    await page.route('http://pending.example/**', () => undefined)
    trackRequests(page)
    const sent = page.waitForRequest('http://pending.example/')
    await page.evaluate(`void fetch('http://pending.example/').catch(() => undefined)`)
    const closed = assert.rejects((await sent).response(), /closed/)
    await context.close()
    await closed
  })
})
