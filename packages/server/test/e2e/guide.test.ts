/** The integration guide and the API reference in a browser (UI: integration guide). */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoSidewaysScroll,
  LOOKS,
  openPage,
  PHONE,
  setLook,
  shareBrowser,
  trackRequests,
  untilTrue,
} from '../helpers/browser/browser.ts'
import { type RegisteredPlatform, registerPushingPlatform } from '../helpers/hub/actions.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { isDeep } from '../helpers/time/tier.ts'

const MINUTE_MS = 60_000

describe('the integration guide in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let hub: TestHub
  let clinic: RegisteredPlatform
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const visit = simulatedModule('visit', { keys: ['ward', 'doctor'] })
    clinic = await registerPushingPlatform(hub, { modules: [visit] })
    await registerPushingPlatform(hub, { modules: [simulatedModule('pupil')] })
  })
  after(async () => hub[Symbol.asyncDispose]())

  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).first()
  /** Both examples show this language, and none shows another. */
  async function untilAllShow(page: Page, name: string): Promise<void> {
    await page.getByRole('tab', { name, exact: true, selected: true }).nth(1).waitFor()
    assert.equal(await page.getByRole('tab', { selected: true }).count(), 2)
  }

  test('a platform that is chosen finds its own names in it, and the link shows the same', async () => {
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Integration guide', exact: true }).waitFor()
    await page.getByText('"employee"').first().waitFor()
    const { display_title, platform_name } = clinic.platform
    await page.getByRole('combobox', { name: 'Platform' }).click()
    await page.getByRole('option', { name: display_title }).click()
    await page.getByRole('heading', { name: `Integration guide for ${display_title}` }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('platform'), String(clinic.id))
    const main = page.getByRole('main')
    const text = await main.innerText()
    for (const own of [
      `"platform_name": "${platform_name}"`,
      '"visit"',
      '"ward": "Some label ward"',
    ]) {
      assert.ok(text.includes(own), own)
    }
    assert.doesNotMatch(text, /pupil|"employee"|rhk_/)
    await page.reload()
    await page.getByRole('heading', { name: `Integration guide for ${display_title}` }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Integration guide', exact: true }).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('a language holds for all examples, stands in the link and is remembered', async () => {
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard/guide')
    await tab(page, 'Python / FastAPI').click()
    await page.getByText('APIRouter(prefix="/api/hub"').waitFor()
    await untilAllShow(page, 'Python / FastAPI')
    assert.equal(new URL(page.url()).searchParams.get('language'), 'python')
    await page.goto(`/dashboard/guide?platform=${clinic.id}`)
    await page.getByText('APIRouter(prefix="/api/hub"').waitFor()
    await page.goto('/dashboard/guide?language=java')
    await page.getByText('public class HubController').waitFor()
    for (const name of Object.values(GUIDE_LANGUAGES)) {
      await tab(page, name).click()
      await untilAllShow(page, name)
    }
    assert.deepEqual(complaints, [])
  })

  test('it is copied and downloaded as the Markdown that the hub gives', async () => {
    await using opened = await openPage(browser(), hub, { withClock: true })
    const { page, context, complaints } = opened
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`/dashboard/guide?platform=${clinic.id}`)
    const url = `/api/v1/platforms/${clinic.id}/instructions`
    const given = await (await context.request.get(url)).text()
    await page.getByText('"ward": "Some label ward"').first().waitFor()
    // That it was copied is told for two seconds.
    await page.clock.pauseAt(Date.now() + MINUTE_MS)
    await page.getByRole('button', { name: 'Copy as Markdown' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), given)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    const { platform_name } = clinic.platform
    assert.equal(download.suggestedFilename(), `integration-guide-${platform_name}.md`)
    assert.equal(await readFile(await download.path(), 'utf8'), given)
    assert.deepEqual(complaints, [])
  })

  test('code is copied alone, and on paper there is only the guide', async () => {
    await using opened = await openPage(browser(), hub, { colorScheme: 'dark', withClock: true })
    const { page, context } = opened
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/dashboard/guide?language=curl')
    const copy = page.getByRole('button', { name: 'Copy this code' }).first()
    await copy.hover()
    await page.getByRole('tooltip', { name: 'Copy this code' }).waitFor()
    await page.clock.pauseAt(Date.now() + MINUTE_MS)
    await copy.click()
    await page.getByRole('tooltip', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    assert.match(String(copied), /^# recordhub-platform[^\n]+\nnpm install http/)
    await page.emulateMedia({ media: 'print' })
    const heading = page.getByRole('heading', { name: 'Checking your work' })
    assert.ok(await heading.isVisible())
    for (const name of ['Pages', 'Sections of the guide']) {
      assert.ok(!(await page.getByRole('navigation', { name }).isVisible()), name)
    }
    assert.ok(!(await page.getByRole('button', { name: 'Print' }).isVisible()))
    const colour = await page.evaluate(
      `getComputedStyle(document.getElementById('checking-your-work')).color`,
    )
    assert.equal(colour, 'rgb(0, 0, 0)')
  })

  test('a platform that is not there is told in words, and another can be chosen', async () => {
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard/guide?platform=987654')
    await page.getByRole('alert').getByText('No such platform.').waitFor()
    await page.getByRole('combobox', { name: 'Platform' }).click()
    await page.getByRole('option', { name: 'Any platform' }).click()
    await page.getByRole('heading', { name: 'What you build' }).waitFor()
  })

  test('the keyboard alone goes to a section and chooses a language', async () => {
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard/guide')
    const contents = page.getByRole('navigation', { name: 'Sections of the guide' })
    await contents.getByRole('link', { name: 'Pushing changes' }).focus()
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { name: 'Pushing changes' })
    await page.waitForURL(/section=pushing-changes/)
    await untilTrue(page, `document.activeElement?.id === 'pushing-changes'`)
    await untilTrue(
      page,
      `Math.abs(document.getElementById('pushing-changes').getBoundingClientRect().top) < 200`,
    )
    assert.ok(await heading.isVisible())
    // Until the page has taken up the address, and with it has gone there once more.
    await contents.locator('[data-active]', { hasText: 'Pushing changes' }).waitFor()
    await page.getByRole('tab', { name: 'cURL' }).last().press('ArrowRight')
    await page.getByText('function enqueue(PDO $database').waitFor()
    await untilTrue(page, `scrollY > 1000`)
  })
})

describe('the API reference in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  /** Scalar's own: its buttons that copy have no name, and two of its regions share one. */
  const KNOWN = ['button-name', 'landmark-unique']

  test('it shows the API and calls only the hub', async () => {
    await using hub = await startTestHub(sqliteEngine)
    await using opened = await openPage(browser(), hub, { signedIn: false })
    const { page, complaints } = opened
    const responded = trackRequests(page)
    const foreign: string[] = []
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(hub.address)) {
        foreign.push(request.url())
      }
    })
    for (const look of isDeep ? LOOKS : [PHONE]) {
      await setLook(page, look)
      // It chooses its colours when it is loaded.
      await page.goto('/docs')
      await page.getByRole('heading', { name: 'Recordhub', exact: true }).waitFor()
      await page.getByText('Push a new record').first().waitFor({ state: 'attached' })
      await responded()
      await expectAccessible(page, { known: KNOWN })
      await expectNoSidewaysScroll(page)
    }
    assert.deepEqual(foreign, [])
    assert.deepEqual(complaints, [])
  })
})
