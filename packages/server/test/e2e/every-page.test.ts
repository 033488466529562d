/** What holds for every page: it is accessible, fits its screen, reports no errors and calls only the hub. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SETTINGS } from '../../src/config.ts'
import {
  BROWSER_TEST,
  expectAccessible,
  expectAccessibleInAllLooks,
  followRequests,
  openPage,
  PHONE,
  setLook,
  shareBrowser,
  untilLoaded,
  untilTrue,
} from '../helpers/browser/browser.ts'
import { newRecord, pullAll, push, registerPlatform } from '../helpers/hub/actions.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { addOperator, signInAs } from '../helpers/hub/operators.ts'
import {
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

/** What is opened, and a text that the page shows once it has read everything. */
const PAGES: readonly (readonly [path: string, text: string])[] = [
  ['/dashboard', 'Latest records'],
  ['/dashboard/platforms', 'Title of office_of_the_district_'],
  ['/dashboard/platforms/new', 'Base URL'],
  ['/dashboard/platforms/{platform}?tab=modules', 'Unregister Cases of the'],
  ['/dashboard/platforms/{platform}?tab=pulls', 'By a program'],
  ['/dashboard/platforms/{platform}?tab=pushes', 'pushed'],
  ['/dashboard/platforms/{platform}?tab=activity', 'registered with'],
  ['/dashboard/platforms/{platform}?tab=settings', 'Rotate key'],
  ['/dashboard/records', 'R-60'],
  ['/dashboard/search?query=person', '1 of 1 platform has answered'],
  ['/dashboard/pulls', 'Succeeded'],
  ['/dashboard/pulls/{pull}', 'Succeeded'],
  ['/dashboard/activity', 'pushed'],
  ['/dashboard/guide?platform={platform}&language=node', 'timingSafeEqual'],
  ['/dashboard/settings?tab=account', 'Change the password'],
  ['/dashboard/settings?tab=operators', 'bob@example.org'],
  ['/dashboard/settings?tab=operators&operator={operator}', 'Sessions'],
  ['/dashboard/settings?tab=tokens', 'New token'],
  ['/dashboard/settings?tab=single-sign-on', 'Single sign-on'],
  ['/dashboard/settings?tab=schedule', 'Schedule'],
  ['/dashboard/settings?tab=audit', 'Signed in'],
  ['/dashboard/settings?tab=about', 'Database'],
  ['/dashboard/nothing', 'There is no such page'],
]

describe('every page in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let hub: TestHub
  let simulated: SimulatedPlatform
  let ids: Record<string, number | string> = {}
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
    await push(hub, hub_api_key, newRecord('rejected', { record_type: 'unknown' }))
    await push(hub, hub_api_key, newRecord('long', { record_type: 'x'.repeat(300) }))
    const operator = await addOperator(hub, 'bob@example.org', 'operator')
    await signInAs(hub, 'bob@example.org')
    const limit = SETTINGS.HUB_API_RATE_LIMIT.default
    await hub.restart({ withOperator: true, env: { HUB_API_RATE_LIMIT: String(limit) } })
    ids = { platform: id, pull: pull.id, operator }
  })
  after(async () => {
    await hub[Symbol.asyncDispose]()
    await simulated[Symbol.asyncDispose]()
  })

  test('every page is accessible and fits on a phone and on a desktop, in light and dark colours', async (t) => {
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    const responded = followRequests(page)
    page.on('request', (request) => {
      const url = request.url()
      const isOurs = /^(data|blob):/.test(url) || url.startsWith(hub.address)
      if (!isOurs) complaints.push(`calls ${url}`)
    })
    page.on('response', (response) => {
      if (response.status() === 429) complaints.push(`calls too often: ${response.url()}`)
    })
    for (const [path, text] of PAGES) {
      await t.test(path, async () => {
        complaints.length = 0
        await setLook(page, PHONE)
        await page.goto(path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name])))
        await page.getByText(text).first().waitFor({ state: 'attached' })
        await responded()
        await untilLoaded(page)
        await expectAccessibleInAllLooks(page)
        assert.match(await page.title(), /^\S.* · Recordhub$/)
        assert.deepEqual(complaints, [])
      })
    }
  })

  test('the search and the account menu that open over every page are accessible', async () => {
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

  test('the Tab key skips the navigation in one step and is trapped nowhere', async () => {
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilTrue(page, `document.activeElement?.id === 'main'`)
    const seen = new Set<unknown>()
    const FOCUSED = `(() => { const one = document.activeElement; one.dataset.seen ??= String(window.count = (window.count ?? 0) + 1); return one.dataset.seen })()`
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab')
      seen.add(await page.evaluate(FOCUSED))
    }
    assert.equal(seen.size, 12)
  })
})
