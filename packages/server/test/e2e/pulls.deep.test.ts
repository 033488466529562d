/** Pulls in a browser: starting, following and cancelling a pull, and the history of pulls. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Route } from 'playwright-core'
import {
  advanceUntilShown,
  BROWSER_TEST,
  DESKTOP,
  delaySnapshots,
  expectAccessible,
  expectAccessibleInAllModes,
  openPage,
  PHONE,
  setDisplayMode,
  untilAnimationsEnd,
  untilLoaded,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { type CreatedPlatform, newRecord } from '../helpers/hub/platform-requests.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const PULL_ALL = '/dashboard/pull-all-existing-records'
const PHONE_WIDTH = 390
/** The first two of four records of a response. */
const INCOMPLETE_RESPONSE = `{"success":true,"total":4,"records":${JSON.stringify([
  simulatedRecord(1),
  simulatedRecord(2),
]).slice(0, -1)},`

/** A hub for one test, because a pull reads all platforms of a hub. Its platform `school` has two modules. */
async function startHubWithPlatform(env: Record<string, string> = {}) {
  const hub = await startTestHub(sqliteEngine, { withOperator: true, env })
  const platform = await createSchool(hub)
  return {
    hub,
    platform,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

async function createSchool(hub: TestHub, platform_name = 'school'): Promise<CreatedPlatform> {
  const platform = await hub.createPlatform({ platform_name, modules: 2 })
  platform.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2))
  return platform
}

describe('pulls in a browser', BROWSER_TEST, () => {
  test('the form stays visible but disabled beside the progress of a pull, which can be cancelled, and the layout does not shift', async () => {
    await using ready = await startHubWithPlatform()
    const { hub, platform } = ready
    platform.setResponse('records/cases', respond.trickle(INCOMPLETE_RESPONSE, 100))
    const { page } = await openPage(hub, { withClock: true })
    await page.goto('/dashboard')
    const sync = page.getByRole('region', { name: 'Latest Sync' })
    const button = sync.getByRole('button', { name: 'Pull All Existing Records' })
    await button.waitFor()
    await sync.getByText('No pulls yet').waitFor()
    await untilLoaded(page)
    await page.getByRole('region', { name: 'Platforms' }).getByText('Title of school').waitFor()
    /** The positions of the sections, on a desktop and on a phone. */
    const readLayout = async () => {
      const boxes: unknown[] = []
      for (const width of [PHONE_WIDTH, DESKTOP.width]) {
        await setDisplayMode(page, { ...DESKTOP, width })
        await untilAnimationsEnd(page)
        // A click scrolls to its button.
        await page.evaluate('window.scrollTo(0, 0)')
        for (const name of ['Latest Sync', 'Platforms', 'Numbers']) {
          boxes.push(await page.getByRole('region', { name }).boundingBox())
        }
      }
      return boxes
    }
    const before = await readLayout()

    await button.click()
    await sync.getByRole('button', { name: 'Cancel' }).waitFor()
    assert.ok(await button.isDisabled())
    await advanceUntilShown(page, sync.getByText(/^\d+ % · 2 of about 8 records stored/))
    assert.deepEqual(await readLayout(), before)
    await sync.getByRole('button', { name: 'Show modules' }).click()
    const modules = page.getByRole('dialog', { name: /Modules of pull/ })
    const bar = { name: 'Progress of Title of school · Module cases' }
    await modules.getByRole('progressbar', bar).waitFor()
    await modules.getByText('50 %').waitFor()
    await modules.getByText('Queued', { exact: true }).waitFor()
    await modules.getByRole('button', { name: 'Cancel' }).waitFor()
    for (const name of ['Received', 'New', 'Updated', 'Unchanged', 'Rejected', 'Not listed']) {
      await modules.getByRole('columnheader', { name, exact: true }).waitFor()
    }
    await expectAccessible(page, { within: 'dialog' })
    await modules.getByRole('button', { name: 'Close' }).click()
    await expectAccessible(page)

    await sync.getByRole('button', { name: 'Cancel' }).click()
    await sync.getByText('Cancelled', { exact: true }).waitFor()
    await sync.getByText('0 of 2 modules', { exact: true }).waitFor({ state: 'attached' })
    await sync.getByRole('button', { name: 'Pull All Existing Records', disabled: false }).waitFor()
    assert.deepEqual(await readLayout(), before)
  })

  test('a click on Cancel is shown immediately, before the hub responds', async () => {
    await using ready = await startHubWithPlatform()
    const { page } = await openPage(ready.hub)
    const responding = Promise.withResolvers<void>()
    await page.route('**/cancel', async (route) => {
      await responding.promise
      await route.continue()
    })
    const delayed = ready.platform.delayNextResponse('records/module_2')
    const { id } = await ready.hub.startPull()
    await delayed.arrived
    await setDisplayMode(page, PHONE)
    await page.goto('/dashboard/pulls')
    await page.getByRole('button', { name: 'Cancel' }).waitFor()
    await page.goto(`/dashboard/pulls/${id}`)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancelling…' }).waitFor()
    responding.resolve()
    await page.getByText('Cancelled').first().waitFor()
    delayed.release()
  })

  test('a completed pull shows its records without a reload', async () => {
    await using ready = await startHubWithPlatform()
    const { page } = await openPage(ready.hub, { withClock: true })
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Pull All Existing Records' }).click()
    const sync = page.getByRole('region', { name: 'Latest Sync' })
    await advanceUntilShown(page, sync.getByText('2 of 2 modules', { exact: true }))
    await sync.getByText(/^by ann/i).waitFor()
    await page.getByText('2 of 2 records, verified').waitFor()
    await sync.getByRole('button', { name: 'Pull All Existing Records', disabled: false }).waitFor()
  })

  test('a 409 response shows the running pull and its operator instead of an error', async () => {
    await using ready = await startHubWithPlatform({ HUB_BROADCAST: 'off' })
    const { hub, platform } = ready
    const { page } = await openPage(hub)
    // An event or a snapshot with the pull would disable the button before it is clicked.
    const snapshots = await delaySnapshots(page)
    await page.goto('/dashboard')
    const sync = page.getByRole('region', { name: 'Latest Sync' })
    await sync.getByText('No pulls yet').waitFor()
    const delayed = platform.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await delayed.arrived
    const responded = page.waitForResponse((one) => new URL(one.url()).pathname === PULL_ALL)
    await sync.getByRole('button', { name: 'Pull All Existing Records' }).click()
    assert.equal((await responded).status(), 409)
    await sync.getByRole('button', { name: 'Cancel' }).waitFor()
    await sync.getByText(/started by .* at \d\d:\d\d [AP]M$/).waitFor()
    const running = /^A pull is already running: started by .* at \d\d:\d\d [AP]M$/
    await page.getByText(running).waitFor()
    const errors = page.getByRole('alert').filter({ hasNotText: 'A pull is already running' })
    assert.equal(await errors.count(), 0)
    snapshots.release()
    delayed.release()
    await hub.untilPullEnds(id)
  })

  test('the overview shows 20 modules of a large pull, and the page of the pull all of them', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using platform = await hub.createPlatform({ platform_name: 'school', modules: 52 })
    const delayed = platform.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await delayed.arrived
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    await page.getByRole('button', { name: 'Show modules' }).click()
    const list = page.getByRole('table', { name: 'Modules of the pull' })
    const module = (name: string) => list.getByText(`Module ${name}`, { exact: true })
    await module('module_20').waitFor()
    assert.equal(await list.locator('tbody tr').count(), 20)
    await page.getByRole('link', { name: 'All 52 modules' }).click()
    await page.getByRole('heading', { name: `Pull ${id}` }).waitFor()
    await module('module_50').waitFor()
    await page.getByRole('button', { name: 'Next modules' }).click()
    await module('module_52').waitFor()
    assert.equal(await list.locator('tbody tr').count(), 2)
    await page.getByRole('button', { name: 'First modules' }).click()
    await module('cases').waitFor()
    delayed.release()
    await hub.untilPullEnds(id)
  })

  test('a viewer sees pulls, and the role that starting one requires', async () => {
    await using ready = await startHubWithPlatform()
    const operator = await ready.hub.createOperator({ role: 'viewer' })
    const { page } = await openPage(ready.hub, { operator })
    await page.goto('/dashboard')
    await page.getByTitle('Requires the operator role.').waitFor()
    assert.ok(await page.getByRole('button', { name: 'Pull All Existing Records' }).isDisabled())
    await page.goto('/dashboard/pulls')
    await page.getByText('No pulls yet').waitFor()
    await expectAccessible(page)
  })
})

describe('the pages of pulls', BROWSER_TEST, () => {
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('pulls without changes fold, and the URL contains the page, which can be paged in both directions and past its end', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await insertPulls(hub, 600)
    const { page } = await openPage(hub)
    const pull = (id: number) => page.getByRole('link', { name: String(id), exact: true })
    const fold = (count: number) =>
      page.getByRole('button', { name: `${count} pulls without changes` })
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    await page.goto('/dashboard/pulls')
    await pull(600).waitFor()
    await page.getByText('240 pulls on this page, 0 with changes').waitFor()
    assert.equal(await pull(599).count(), 0)
    assert.ok(await button('Previous').isDisabled())
    const delay = Promise.withResolvers<void>()
    const delayResponse = async (route: Route) => {
      await delay.promise
      await route.continue()
    }
    await page.route(/\/api\/v1\/pulls\?.*cursor=361/, delayResponse, { times: 1 })
    await button('Next').click()
    // The next page is loading, so Next is disabled.
    await page.getByRole('button', { name: 'Next', exact: true, disabled: true }).waitFor()
    delay.resolve()
    await pull(360).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('cursor'), '361')
    await button('Next').click()
    await pull(120).waitFor()
    await page.goBack()
    await pull(360).waitFor()
    await page.goForward()
    await pull(120).waitFor()
    await page.reload()
    await fold(119).waitFor()
    await button('Previous').click()
    await pull(360).waitFor()
    await button('Previous').click()
    await pull(600).waitFor()
    assert.equal(new URL(page.url()).search, '')
    await page.goto('/dashboard/pulls?cursor=1')
    await page.getByText('No older pulls').waitFor()
    assert.ok(await button('Previous').isDisabled())
    await button('First page').click()
    await fold(239).click()
    await expectAccessible(page)
    const folds = page.getByRole('switch', { name: 'Fold repeats' })
    await folds.click()
    await pull(590).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('fold'), 'no')
    assert.equal(await page.getByRole('button', { name: /pulls without changes/ }).count(), 0)
    await folds.click()
    await fold(239).waitFor()
    assert.equal(new URL(page.url()).search, '')
    await pull(598).click()
    await page.getByRole('heading', { name: 'Pull 598' }).waitFor()
    await page.goBack()
    await page
      .getByRole('row')
      .filter({ has: pull(600) })
      .getByText('Succeeded')
      .filter({ visible: true })
      .click()
    await page.getByRole('heading', { name: 'Pull 600 succeeded' }).waitFor()
    // The hub filters by outcome, so that older pages are found too.
    await hub.sql("UPDATE pulls SET state = 'failed' WHERE pull_id = 5")
    await page.goto('/dashboard/pulls')
    await button('Failed').click()
    await pull(5).waitFor()
    await button('Failed 1').waitFor()
    await hub.sql('UPDATE pulls SET new_rejections = 1 WHERE pull_id = 6')
    await button('New rejections').click()
    await pull(6).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('only'), 'new_rejections')
  })

  test('the Pulls page starts a pull and lists it', async () => {
    await using ready = await startHubWithPlatform()
    const delayed = ready.platform.delayNextResponse('records/cases')
    const { page } = await openPage(ready.hub)
    await page.goto('/dashboard/pulls')
    await page.getByText('No pulls yet').waitFor()
    await page.getByRole('button', { name: 'Pull All Existing Records' }).click()
    await page.getByRole('row').getByRole('link', { name: '1', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pull All Existing Records', disabled: true }).waitFor()
    await expectAccessible(page)
    delayed.release()
    await ready.hub.untilPullEnds(1)
    const filters = page.getByRole('search', { name: 'Filters' })
    const choose = async (filter: string, option: string) => {
      await filters.getByRole('combobox', { name: filter }).click()
      await page.getByRole('option', { name: option }).click()
    }
    await choose('Started by', 'Schedule')
    await page.getByText('No matching pulls').waitFor()
    await choose('Started by', 'An operator')
    await page.getByText('1 matching pull').waitFor()
    await choose('Platform', 'Title of school')
    await page.getByText('Pulls that include Title of school.').waitFor()
    await expectAccessible(page)
    await filters.getByRole('button', { name: 'All' }).click()
    await page.getByText('1 pull,').waitFor()
    assert.equal(new URL(page.url()).search, '')
  })

  test('the pulls and the log of a platform fold repeats, as the page of all pulls and the log do', async () => {
    await using ready = await startHubWithPlatform()
    const { hub, platform } = ready
    for (const _ of Array(4)) await hub.pullAll()
    for (const id of ['X-1', 'X-2']) await hub.push(platform.hub_api_key, newRecord(id))
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${platform.id}?tab=pulls`)
    await page.getByRole('button', { name: '2 pulls without changes' }).click()
    const table = page.getByRole('table', { name: 'Pulls' })
    await table.getByRole('row').nth(5).waitFor()
    await expectAccessible(page)
    await page.goto(`/dashboard/platforms/${platform.id}?tab=activity`)
    const log = page.getByRole('table', { name: 'Log' })
    await log.getByRole('row').filter({ hasText: 'X-2 and 1 more' }).waitFor()
    await log.getByRole('button', { name: /^2 ×/ }).first().click()
    await log.getByRole('link', { name: 'X-1' }).waitFor()
    await expectAccessible(page)
  })

  test('the schedule is paused and resumed', async () => {
    await using ready = await startHubWithPlatform({ HUB_PULL_SCHEDULE: '0 0 1 1 *' })
    const { page } = await openPage(ready.hub, { colorScheme: 'dark' })
    await page.goto('/dashboard/pulls')
    await page.getByText(/Cron pattern 0 0 1 1 \*, the next in/).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText(/Paused by ann@example.org/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText(/the next in/).waitFor()
  })

  test('a pull shows what failed in each module and why, and its rejected records', async () => {
    await using ready = await startHubWithPlatform()
    const { hub, platform } = ready
    platform.modules[0]?.records.push({ ...simulatedRecord(1), data: 'text' })
    platform.setResponse('records/module_2', respond.status(500))
    const { pull } = await hub.pullAll()
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/pulls/${pull.id}`)
    const modules = page.getByRole('table', { name: 'Modules of the pull' })
    await modules.getByText('Module module_2').waitFor()
    await modules.getByText('Succeeded, 1 rejected').waitFor()
    await modules.getByText(/HTTP 500|status 500/).waitFor()
    await modules.getByRole('link', { name: 'In the inbox' }).click()
    await page.getByText('Title of school cannot be read completely').last().waitFor()
    await page.goBack()
    await modules.getByRole('link', { name: 'Module cases' }).click()
    await page.getByRole('table', { name: 'Records' }).getByText('R-2').waitFor()
    await page.goBack()
    const rejected = page.getByRole('region', { name: 'Rejected records' })
    await rejected.getByText('invalid_record').waitFor()
    await expectAccessibleInAllModes(page)
    // The next pull rejects the same record again, and it stays a rejected record of this pull.
    await hub.pullAll()
    await page.reload()
    await rejected.getByRole('link', { name: 'R-1' }).click()
    await page.getByRole('dialog').getByText('data must be an object').first().waitFor()
    await page.goBack()
    await page.getByLabel('Module state').selectOption('failed')
    await modules.getByText('Module cases', { exact: true }).waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('state'), 'failed')
    await page.goBack()
    await modules.getByText('Module cases', { exact: true }).waitFor()
  })

  test('missing records that need review are confirmed on the page of the pull', async () => {
    await using platform = await createSchool(hub, 'shrinking')
    const records = Array.from({ length: 20 }, (_, index) => simulatedRecord(index))
    platform.modules[0]?.records.splice(0, 2, ...records)
    await hub.pullAll()
    platform.modules[0]?.records.splice(0, 18)
    const { pull } = await hub.pullAll()
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/pulls/${pull.id}`)
    await page.getByText('18 of 20 records of Module cases missing').waitFor()
    await expectAccessible(page)
    await page.getByText('18 records were not in this read.').waitFor()
    await page.getByRole('link', { name: 'Review', exact: true }).click()
    await page.getByRole('heading', { name: '18 of 20 records missing (90 %)' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Mark as missing…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Mark the records as missing?' })
    await dialog.getByRole('button', { name: 'Mark as missing', exact: true }).click()
    await page.getByText('18 of 20 records').waitFor({ state: 'detached' })
    await hub.pullAll()
    const marked = await runSql(
      hub.storage,
      'SELECT count(*) AS n FROM records WHERE missing_since IS NOT NULL',
    )
    assert.deepEqual(
      marked.map((row) => Number(Object(row)['n'])),
      [18],
    )
  })

  test('the page of an unknown pull does not exist', async () => {
    const { page } = await openPage(hub)
    for (const id of ['4711', 'x']) {
      await page.goto(`/dashboard/pulls/${id}`)
      await page.getByText('This page does not exist').waitFor()
    }
  })
})

async function insertPulls(hub: TestHub, count: number): Promise<void> {
  const at = '2026-01-01T00:00:00.000Z'
  await hub.sql(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO pulls ("trigger", state, requested_at, started_at, finished_at)
     SELECT 'schedule', 'succeeded', '${at}', '${at}', '${at}' FROM n`)
}
