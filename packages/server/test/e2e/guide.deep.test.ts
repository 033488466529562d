/** The integration guide and the API reference in a browser. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  DISPLAY_MODES,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  setDisplayMode,
  trackRequests,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import type { RegisteredPlatform } from '../helpers/operator.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const MINUTE_MS = 60_000

describe('the integration guide in a browser', BROWSER_TEST, () => {
  let hub: TestHub
  let clinic: RegisteredPlatform
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    const visit = simulatedModule('visit', { keys: ['ward', 'doctor'] })
    clinic = await hub.registerPushing({ modules: [visit] })
    await hub.registerPushing({ modules: [simulatedModule('pupil')] })
  })
  after(async () => hub[Symbol.asyncDispose]())

  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).first()
  const untilSelected = (page: Page, name: string) =>
    page.getByRole('tab', { name, exact: true, selected: true }).waitFor()

  test('the guide for a platform contains the names of its modules and fields, and a link opens it', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/guide')
    await page.getByText('For the developer of a platform.').waitFor()
    await page.getByText('"employee"').first().waitFor()
    const { display_title, platform_name } = clinic.platform
    await page.getByRole('combobox', { name: 'Platform' }).click()
    await page.getByRole('option', { name: display_title }).click()
    await page.getByText(`For the developer of ${display_title}.`).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('platform'), String(clinic.id))
    const main = page.getByRole('main')
    const text = await main.innerText()
    for (const expected of [
      `"platform_name": "${platform_name}"`,
      '"visit"',
      '"ward": "Some label ward"',
    ]) {
      assert.ok(text.includes(expected), expected)
    }
    assert.doesNotMatch(text, /pupil|"employee"|rhk_/)
    await page.reload()
    await page.getByText(`For the developer of ${display_title}.`).waitFor()
    await page.goBack()
    await page.getByText('For the developer of a platform.').waitFor()
  })

  test('a selected language applies to all examples, is in the URL, and is remembered', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/guide')
    await tab(page, 'Python / FastAPI').click()
    await page.getByText('APIRouter(prefix="/api/hub"').waitFor()
    await untilSelected(page, 'Python / FastAPI')
    assert.equal(new URL(page.url()).searchParams.get('language'), 'python')
    await page.goto(`/dashboard/guide?platform=${clinic.id}`)
    await page.getByText('APIRouter(prefix="/api/hub"').waitFor()
    await page.goto('/dashboard/guide?language=java')
    await page.getByText('public class HubController').waitFor()
    for (const name of Object.values(GUIDE_LANGUAGES)) {
      await tab(page, name).click()
      await untilSelected(page, name)
    }
    await expectAccessible(page)
  })

  test('the copied and the downloaded guide are the Markdown of the API', async () => {
    const { page, context } = await openPage(hub, { withClock: true })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto(`/dashboard/guide?platform=${clinic.id}`)
    const url = `/api/v1/platforms/${clinic.id}/instructions`
    const markdown = await (await context.request.get(url)).text()
    await page.getByText('"ward": "Some label ward"').first().waitFor()
    // The label “Copied” is shown for two seconds.
    await page.clock.pauseAt(Date.now() + MINUTE_MS)
    await page.getByRole('button', { name: 'Copy as Markdown' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), markdown)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download' }).click(),
    ])
    const { platform_name } = clinic.platform
    assert.equal(download.suggestedFilename(), `integration-guide-${platform_name}.md`)
    assert.equal(await readFile(await download.path(), 'utf8'), markdown)
  })

  test('a code block is copied, and only the guide is printed', async () => {
    const { page, context } = await openPage(hub, { colorScheme: 'dark', withClock: true })
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.goto('/dashboard/guide?language=curl')
    const copy = page.getByRole('button', { name: 'Copy code' }).first()
    await copy.waitFor()
    await page.clock.pauseAt(Date.now() + MINUTE_MS)
    await copy.click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate('navigator.clipboard.readText()')
    assert.match(String(copied), /^import \{ createServer \} from 'node:http'/)
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
    assert.equal(colour, 'rgb(18, 24, 24)')
  })

  test('the guide for an unknown platform shows an error, and another platform can be selected', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/guide?platform=987654')
    await page.getByRole('alert').getByText('No such platform.').waitFor()
    await page.getByRole('combobox', { name: 'Platform' }).click()
    await page.getByRole('option', { name: 'Any platform' }).click()
    await page.getByRole('heading', { name: 'What you build' }).waitFor()
  })

  test('a section is opened and a language is selected by keyboard', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/guide')
    const contents = page.getByRole('navigation', { name: 'Sections of the guide' })
    await contents.getByRole('link', { name: 'Pushing changes' }).focus()
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { name: 'Pushing changes' })
    await page.waitForURL(/section=pushing-changes/)
    await untilTrueInPage(page, `document.activeElement?.id === 'pushing-changes'`)
    await untilTrueInPage(
      page,
      `Math.abs(document.getElementById('pushing-changes').getBoundingClientRect().top) < 200`,
    )
    assert.ok(await heading.isVisible())
    // Waits until the page has applied the URL, which scrolls to the section once more.
    await contents.locator('[data-active]', { hasText: 'Pushing changes' }).waitFor()
    await page.getByRole('tab', { name: 'cURL' }).press('ArrowRight')
    await page.getByText('function enqueue(PDO $database').waitFor()
  })
})

describe('the API reference in a browser', BROWSER_TEST, () => {
  /** Known issues of Scalar: its copy buttons have no name, and two of its regions have the same name. */
  const KNOWN_ISSUES = ['button-name', 'landmark-unique']

  test('the API reference shows the API and sends requests only to the hub', async () => {
    await using hub = await startTestHub(sqliteEngine)
    const { page } = await openPage(hub, { signedIn: false })
    const responded = trackRequests(page)
    const otherRequests: string[] = []
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(hub.address)) {
        otherRequests.push(request.url())
      }
    })
    for (const mode of DISPLAY_MODES) {
      await setDisplayMode(page, mode)
      // Scalar only reads the colour scheme when it is loaded.
      await page.goto('/docs')
      await page.getByRole('heading', { name: 'Recordhub', exact: true }).waitFor()
      await page.getByText('Push a new record').first().waitFor({ state: 'attached' })
      await responded()
      await expectAccessible(page, { ignoredRules: KNOWN_ISSUES })
      await expectNoHorizontalScroll(page)
    }
    assert.deepEqual(otherRequests, [])
  })
})
