/** What holds for every page: it is accessible, keeps to its screen, complains of nothing, asks only the hub. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SETTINGS } from '../../src/config.ts'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  shareBrowser,
  untilLoaded,
  untilTrue,
} from '../helpers/browser.ts'
import { newRecord, pullAll, push, registerPlatform } from '../helpers/http-actions.ts'
import { startTestHub, type TestHub } from '../helpers/http-hub.ts'
import {
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/http-platform.ts'
import { sqliteEngine } from '../helpers/storage-sqlite.ts'

const LOOKS = [
  { width: 1280, colorScheme: 'light' },
  { width: 360, colorScheme: 'dark' },
] as const

describe('every page in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let hub: TestHub
  let simulated: SimulatedPlatform
  let pages: string[] = []
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const records = Array.from({ length: 60 }, (_, index) => simulatedRecord(index + 1))
    const module_name = `Cases of the ${'Administrative District '.repeat(8)}`
    const modules = [simulatedModule('cases', { module_name, records })]
    simulated = await simulatePlatform({
      platform_name: `office_${'of_the_district_'.repeat(9)}`,
      modules,
    })
    const { id, hub_api_key } = await registerPlatform(hub, simulated)
    const { pull } = await pullAll(hub)
    await push(hub, hub_api_key, newRecord('pushed'))
    await push(hub, hub_api_key, newRecord('refused', { record_type: 'unknown' }))
    const limit = SETTINGS.HUB_API_RATE_LIMIT.default
    await hub.restart({ withOperator: true, env: { HUB_API_RATE_LIMIT: String(limit) } })
    pages = [
      '/dashboard',
      '/dashboard/platforms',
      '/dashboard/platforms/new',
      `/dashboard/platforms/${id}`,
      `/dashboard/platforms/${id}?tab=settings`,
      '/dashboard/records',
      '/dashboard/search?query=person',
      '/dashboard/pulls',
      `/dashboard/pulls/${pull.id}`,
      '/dashboard/activity',
      '/dashboard/guide',
      '/dashboard/settings',
      '/dashboard/nothing',
    ]
  })
  after(async () => {
    await hub[Symbol.asyncDispose]()
    await simulated[Symbol.asyncDispose]()
  })

  for (const look of LOOKS) {
    test(`is as it should be at ${look.width} pixels, ${look.colorScheme}`, async (t) => {
      await using opened = await openPage(browser(), hub, look)
      const { page, complaints } = opened
      page.on('request', (request) => {
        const url = request.url()
        const isOurs = /^(data|blob):/.test(url) || url.startsWith(hub.address)
        if (!isOurs) complaints.push(`asks ${url}`)
      })
      page.on('response', (response) => {
        if (response.status() === 429) complaints.push(`asks too much with ${response.url()}`)
      })
      for (const path of pages) {
        await t.test(path.replace(/\d+/, '{id}'), async () => {
          complaints.length = 0
          await page.goto(path)
          await page.getByRole('main').waitFor()
          await page.waitForLoadState('networkidle')
          await untilLoaded(page)
          await expectAccessible(page)
          assert.match(await page.title(), /^\S.* · Recordhub$/)
          await expectNoSidewaysScroll(page)
          assert.deepEqual(complaints, [])
        })
      }
    })
  }

  test('what opens over every page is accessible: the search, the account', async () => {
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await expectAccessible(page)
    assert.deepEqual(complaints, [])
  })

  test('the keyboard passes the navigation in one step, and goes round without a trap', async () => {
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilTrue(page, `document.activeElement?.id === 'main'`)
    const seen = new Set<unknown>()
    const PLACE = `(() => { const one = document.activeElement; one.dataset.seen ??= String(Math.random()); return one.dataset.seen })()`
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab')
      seen.add(await page.evaluate(PLACE))
    }
    assert.equal(seen.size, 12)
  })
})
