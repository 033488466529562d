/** Every page is accessible, fits its screen, reports no errors and sends requests only to the hub. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { SETTINGS } from '../../src/config/settings.ts'
import {
  advanceUntilShown,
  BROWSER_TEST,
  expectAccessibleInAllModes,
  openPage,
  PHONE,
  setDisplayMode,
  trackRequests,
  untilLoaded,
} from '../helpers/browser/browser.ts'
import { EMAIL, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { serveDigest } from '../helpers/platform/digest-platform.ts'
import {
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { until } from '../helpers/time/until.ts'

/** The path of each page, and a text that it shows after its data has loaded. */
const PAGES: readonly (readonly [path: string, text: string])[] = [
  ['/dashboard', ', verified'],
  ['/dashboard/platforms', 'Title of office_of_the_district_'],
  ['/dashboard/platforms/new', 'Base URL'],
  ['/dashboard/platforms/{platform}?tab=modules', 'Unregister Cases of the'],
  ['/dashboard/platforms/{platform}?tab=pulls', 'by API'],
  ['/dashboard/platforms/{platform}?tab=pushes', 'pushed'],
  ['/dashboard/platforms/{platform}?tab=activity', 'registered with'],
  ['/dashboard/platforms/{platform}?tab=settings', 'Rotate key'],
  ['/dashboard/records', 'R-60'],
  ['/dashboard/search?query=person', '2 of 2 responded'],
  ['/dashboard/pulls', 'Succeeded'],
  ['/dashboard/pulls/{pull}', 'Succeeded'],
  ['/dashboard/reverts', 'A wrong list'],
  ['/dashboard/reverts/1', 'record was reverted'],
  ['/dashboard/reverts?tab=holds', '1 held'],
  ['/dashboard/platforms/{digest}?tab=modules', 'Same versions'],
  ['/dashboard/inbox', 'There is no backup'],
  ['/dashboard/inbox?tab=alerts', 'No open alerts'],
  ['/dashboard/log', 'pushed'],
  ['/dashboard/guide?platform={platform}&language=node', 'timingSafeEqual'],
  ['/dashboard/settings', 'can change your role'],
  ['/dashboard/settings?tab=security', 'Change password'],
  ['/dashboard/settings?tab=operators', 'bob@example.org'],
  ['/dashboard/settings?tab=operators&operator={operator}', 'Sessions'],
  ['/dashboard/settings?tab=tokens', 'Create token'],
  ['/dashboard/settings?tab=single-sign-on', 'Single sign-on'],
  ['/dashboard/settings?tab=schedule', 'Next scheduled pull'],
  ['/dashboard/settings?tab=backups', 'No backups yet'],
  ['/dashboard/settings?tab=retention', 'Audit log'],
  ['/dashboard/settings?tab=mail', 'Recipients of alerts'],
  ['/dashboard/log?tab=audit', 'Signed in'],
  ['/dashboard/settings?tab=system', 'Database'],
  ['/dashboard/nothing', 'This page does not exist'],
]

/** Pages that also show the names of platforms or the e-mail addresses of operators. */
const WITH_NAMES = /^\/dashboard\/(?:platforms|guide|settings)/
/**
 * The format of specification 2.1, with seconds where several entries can have the same minute; or an age or a time of day,
 * whose exact time appears on hover.
 */
const TIME =
  /^(?:[A-Z][a-z]{2} \d\d, \d{4} )?\d\d:\d\d(?::\d\d)? [AP]M$|^now$|^[\d,]+ (?:s|min|h|d) ago$/

/** Takes back a pull that renamed a record, so that the name is held, and compares the versions of both sides. */
async function takeBackPull(hub: TestHub, platform: SimulatedPlatform): Promise<void> {
  const source = serveDigest(platform, 8)
  await hub.pullAll()
  source.set(1, { full_name: 'Wrong name', version: 2 })
  const { pull } = await hub.pullAll()
  const body = { scope: { pull_id: pull.id }, reason: 'A wrong list' }
  const { revert } = await hub.call('POST /api/v1/reverts', { body })
  const params = { id: revert.id }
  await hub.call('POST /api/v1/reverts/:id/start', { params, body: null, as: 'reverts' })
  await until(async () => {
    const { finished_at } = (await hub.call('GET /api/v1/reverts/:id', { params })).revert
    return finished_at === null ? null : true
  }, 'the revert has ended')
  await hub.pullAll()
}

/** Links that differ only in the row that they open are of one kind. */
function kindOfLink(link: string): string {
  const { pathname, searchParams } = new URL(link, 'http://hub')
  const tab = searchParams.get('tab') ?? ''
  const names = [...new Set(searchParams.keys())].toSorted()
  return [pathname.replaceAll(/\d+/g, 'n'), tab, ...names].join(' ')
}

describe('every page in a browser', BROWSER_TEST, () => {
  let hub: TestHub
  let simulated: SimulatedPlatform
  /** Its module is verified by digest, and the result of one of its pulls was taken back. */
  let versioned: SimulatedPlatform
  let ids: Record<string, number | string> = {}
  let hubApiKey = ''
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const records = Array.from({ length: 60 }, (_, index) => simulatedRecord(index + 1))
    const module_name = `Cases of the ${'Administrative District '.repeat(8)}`
    const modules = [simulatedModule('cases', { module_name, records })]
    simulated = await simulatePlatform({
      platform_name: `office_${'of_the_district_'.repeat(9)}`,
      modules,
    })
    const { id, hub_api_key } = await hub.register(simulated)
    hubApiKey = hub_api_key
    const { pull } = await hub.pullAll()
    versioned = await simulatePlatform({ platform_name: 'versioned' })
    const digest = await hub.register(versioned)
    await takeBackPull(hub, versioned)
    await hub.push(hub_api_key, newRecord('pushed'))
    await hub.push(hub_api_key, newRecord('rejected', { record_type: 'unknown' }))
    await hub.push(hub_api_key, newRecord('long', { record_type: 'x'.repeat(300) }))
    const operator = await hub.addOperator('bob@example.org', 'operator')
    await hub.signIn('bob@example.org')
    await hub.sql(`UPDATE operators SET name = 'Ann' WHERE email = '${EMAIL}'`)
    await hub.callAs(await hub.signIn(), 'PATCH', '/api/v1/schedule', { paused: true })
    const limit = SETTINGS.HUB_API_RATE_LIMIT.default
    await hub.restart({ withOperator: true, env: { HUB_API_RATE_LIMIT: String(limit) } })
    ids = { platform: id, pull: pull.id, operator, digest: digest.id }
  })
  after(async () => {
    await hub[Symbol.asyncDispose]()
    await simulated[Symbol.asyncDispose]()
    await versioned[Symbol.asyncDispose]()
  })

  test('every page is accessible and fits a phone and a desktop screen, in light and dark mode', async () => {
    const { page, pageErrors } = await openPage(hub)
    const responded = trackRequests(page)
    page.on('request', (request) => {
      const url = request.url()
      const isAllowed = /^(data|blob):/.test(url) || url.startsWith(hub.address)
      if (!isAllowed) pageErrors.push(`request to ${url}`)
    })
    page.on('response', (response) => {
      if (response.status() === 429) pageErrors.push(`rate limit exceeded: ${response.url()}`)
    })
    for (const [path, text] of PAGES) {
      await setDisplayMode(page, PHONE)
      await page.goto(path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name])))
      await page.getByText(text).first().waitFor({ state: 'attached' })
      await responded()
      await untilLoaded(page)
      await expectAccessibleInAllModes(page)
      const times = await page.locator('time').allInnerTexts()
      assert.deepEqual(
        times.filter((time) => !TIME.test(time)),
        [],
      )
      const shown = await page.locator('main').innerText()
      assert.doesNotMatch(shown, /\d (?:second|minute|hour|day)s? ago/)
      if (!WITH_NAMES.test(path)) {
        const withoutTitle = shown.replaceAll(`Title of ${simulated.platform_name}`, '')
        for (const name of [simulated.platform_name, EMAIL])
          assert.ok(!withoutTitle.includes(name), name)
      }
      assert.match(await page.title(), /^\S.* · Recordhub$/)
      assert.deepEqual(pageErrors, [], path)
    }
  })

  for (const role of ['admin', 'viewer'] as const) {
    test(`every link that the page shows to the role ${role} leads to what the role may read`, async () => {
      const operator = await hub.createOperator({ role })
      const { page } = await openPage(hub, { operator })
      const responded = trackRequests(page)
      let opened = ''
      const rejected: string[] = []
      page.on('response', (response) => {
        const { pathname } = new URL(response.url())
        if (response.status() >= 400) rejected.push(`${opened}: ${response.status()} ${pathname}`)
      })
      const found = new Map<string, string>()
      const links: string[] = ['/dashboard']
      for (const path of links) {
        opened = path
        await page.goto(path)
        await page.locator('main').getByRole('heading').first().waitFor()
        await responded()
        await untilLoaded(page)
        const shown = await page.evaluate<string[]>(
          `[...document.querySelectorAll('a[href^="/dashboard"]')].map((link) => link.getAttribute('href'))`,
        )
        for (const link of shown) {
          const kind = kindOfLink(link)
          if (found.has(kind)) continue
          found.set(kind, link)
          links.push(link)
        }
      }
      assert.ok(links.length > 20, `${links.length} links`)
      assert.deepEqual(rejected, [])
      // Viewers may read the holds, which are on the same page.
      const isOfRevert = (link: string) =>
        link.startsWith('/dashboard/reverts') && !link.includes('tab=holds')
      assert.equal(links.some(isOfRevert), role === 'admin')
    })
  }

  test('reverts, holds and a module with a digest are reached with the keyboard', async () => {
    const { page } = await openPage(hub, { width: 390 })
    const reached = async (path: string, wanted: Locator) => {
      await page.goto(path)
      await wanted.waitFor()
      for (let step = 0; step < 40; step += 1) {
        await page.keyboard.press('Tab')
        if ((await wanted.and(page.locator(':focus')).count()) > 0) return true
      }
      return false
    }
    const revert = page.locator('main a[href="/dashboard/reverts/1"]')
    assert.ok(await reached('/dashboard/reverts', revert))
    const held = page.getByRole('link', { name: 'R-1', exact: true })
    assert.ok(await reached('/dashboard/reverts?tab=holds', held))
    const module = page.getByRole('button', { name: /cases/, expanded: true })
    assert.ok(await reached(`/dashboard/platforms/${ids['digest']}`, module))
  })

  test('every page loads its data automatically when the hub becomes available again', async () => {
    const { page } = await openPage(hub, { withClock: true })
    let isUnavailable = false
    const isOfHub = (url: URL) => /^\/(?:api|dashboard\/(?:realtime|events))\b/.test(url.pathname)
    await page.route(isOfHub, (route) => (isUnavailable ? route.abort() : route.continue()))
    await page.goto('/dashboard')
    await page.getByText(', verified').waitFor()
    for (const [path, text] of PAGES) {
      isUnavailable = true
      const url = path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name]))
      // Navigates without a reload, as a link does.
      await page.evaluate(`history.pushState({}, '', ${JSON.stringify(url)})`)
      const offline = page.locator('[data-connection="offline"]')
      await advanceUntilShown(page, offline.getByText(/^offline, retrying, data \d+ s old$/))
      // Longer than the retries of a query.
      await page.clock.runFor(30_000)
      isUnavailable = false
      await advanceUntilShown(page, page.getByText(text).first())
      await advanceUntilShown(
        page,
        page.locator(':is([data-connection="polling"], [data-connection="live"])'),
      )
      await until(async () => {
        const errors = await page.getByText('Could not reach the hub').count()
        if (errors === 0 && (await page.locator('[aria-busy="true"]').count()) === 0) return true
        await page.clock.runFor(1000)
        return null
      }, `${path} has recovered`)
    }
  })

  test('charts and lists stay visible while the hub is unavailable', async () => {
    const { page } = await openPage(hub, { withClock: true })
    let failing: RegExp | null = null
    let failed = 0
    const isOfHub = (url: URL) => /^\/(?:api\/v1|dashboard\/realtime)/.test(url.pathname)
    await page.route(isOfHub, async (route) => {
      if (!failing?.test(route.request().url())) return route.continue()
      failed += 1
      await route.abort()
    })
    const shown = [
      ['/dashboard', 'main figure', /\/dashboard\/realtime/],
      ['/dashboard/pulls', 'main table tbody tr', /\/api\/v1/],
      ['/dashboard/records', 'text=R-60', /\/api\/v1/],
    ] as const
    for (const [path, selector, requests] of shown) {
      failing = null
      await page.goto(path)
      await page.locator(selector).first().waitFor()
      failed = 0
      failing = requests
      // The page refetches its data after each change. A query fails after four attempts.
      await until(async () => {
        await hub.push(hubApiKey, newRecord(`offline ${failed}`))
        await page.clock.runFor(10_000)
        return failed >= 12 || null
      }, `${path} has refetched without success`)
      assert.ok(await page.locator(selector).first().isVisible())
      assert.equal(await page.getByRole('main').getByText('Could not reach the hub').count(), 0)
    }
  })

  test('a phone shows the connection state, tabs in one row, and tables of pulls that fit the screen', async () => {
    const { page } = await openPage(hub, { width: 390 })
    await page.goto('/dashboard/settings')
    await page.getByRole('link', { name: 'System' }).waitFor()
    assert.ok(await page.locator('[data-connection]').isVisible())
    const tops = await page.evaluate<number[]>(
      `[...document.querySelectorAll('[aria-label="Settings"] a')].map((link) => link.getBoundingClientRect().top)`,
    )
    assert.equal(new Set(tops).size, 1)
    for (const path of ['/dashboard/pulls', `/dashboard/platforms/${ids['platform']}?tab=pulls`]) {
      await page.goto(path)
      const table = page.locator('main table').filter({ hasText: 'Succeeded' }).first()
      await table.waitFor()
      const { width = 0 } = (await table.boundingBox()) ?? {}
      assert.ok(width > 0 && width <= 390, `${path}: ${width} px`)
    }
  })
})
