/** A real browser before a real hub: Chromium, driven by playwright-core. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Route,
} from 'playwright-core'
import { EMAIL, PASSWORD, type TestHub } from '../hub/hub.ts'
import { guardMs } from '../time/guard.ts'
import { isDeep } from '../time/tier.ts'
import { until } from '../time/until.ts'
import { provideChromium } from './program.ts'

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/**
 * What the browser of tests runs with besides. A page lives for a second or two, so optimising its code and
 * collecting its garbage in parallel cost more CPU time than they save: a sixth of all that the pages take.
 */
const TEST_FLAGS = [
  ...FLAGS,
  '--js-flags=--no-opt --no-maglev --single-threaded-gc --min-semi-space-size=32',
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Guards against tests that hang, one for all tests of a `describe` and one for each step. No test relies on them. */
export const BROWSER_TEST = { timeout: guardMs(900_000) } as const
const STEP_MS = guardMs(120_000)

let launched: Promise<Browser> | null = null
// At the end of the process, which may run several files.
after(async () => (await launched)?.close())

async function launch(): Promise<Browser> {
  const { path: executablePath, env } = await provideChromium()
  return chromium.launch({ executablePath, args: TEST_FLAGS, env, timeout: STEP_MS })
}

/** The browser that all tests of the process share. */
export function shareBrowser(): () => Browser {
  let browser: Browser | null = null
  before(async () => {
    launched ??= launch()
    browser = await launched
  })
  return () => {
    assert.ok(browser)
    return browser
  }
}

export type PageOptions = {
  colorScheme?: 'light' | 'dark'
  /** CSS pixels; 390 is a phone. */
  width?: number
  signedIn?: boolean
  /** Who is signed in: the hub's operator unless told otherwise. */
  operator?: { email: string }
  /** The viewer's, such as `Asia/Kolkata`; that of the machine where left out. */
  timeZone?: string
  /** The page's clock is one that the test moves by `page.clock`. */
  withClock?: boolean
}

export type TestPage = {
  page: Page
  context: BrowserContext
  /** What the page complained of: errors of scripts, and what its policy refused. */
  complaints: string[]
  [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * The browser context of the last test that is over. The next test of the same hub uses it again, emptied:
 * its cache holds the dashboard, and loading that anew costs more CPU time than most tests do.
 */
let idle: { address: string; context: BrowserContext } | null = null

/** Opens a page of a hub. Without cookies and stored data but for the session of the operator. */
export async function openPage(
  browser: Browser,
  hub: Pick<TestHub, 'address'>,
  options: PageOptions = {},
): Promise<TestPage> {
  const { address } = hub
  const { colorScheme = 'light', width = 1280, signedIn = true, operator, timeZone } = options
  const { withClock = false } = options
  const isShared = timeZone === undefined && !withClock
  const context =
    (isShared && takeIdle(address)) || (await createContext(browser, address, timeZone))
  const page = await context.newPage()
  await page.setViewportSize({ width, height: heightOf(width) })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  if (withClock) await page.clock.install()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // The browser itself reports each response that is an error; tests check those.
    const isOfResponse = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isOfResponse) complaints.push(message.text())
  })
  if (signedIn) await signInOver(context, hub, operator)
  return {
    page,
    context,
    complaints,
    async [Symbol.asyncDispose]() {
      if (!isShared) return context.close()
      await empty(context, page, address)
      await idle?.context.close()
      idle = { address, context }
    },
  }
}

function takeIdle(address: string): BrowserContext | null {
  if (idle?.address !== address) return null
  const { context } = idle
  idle = null
  return context
}

async function createContext(browser: Browser, baseURL: string, timeZone: string | undefined) {
  const context = await browser.newContext({
    baseURL,
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
  })
  context.setDefaultTimeout(STEP_MS)
  return context
}

/** Removes everything from a context but its cache. */
async function empty(context: BrowserContext, page: Page, origin: string): Promise<void> {
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' })
  await Promise.all(context.pages().map((one) => one.close()))
  await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)])
}

/** Signs an operator in without the page. */
export async function signInOver(
  context: BrowserContext,
  hub: Pick<TestHub, 'address'>,
  { email }: { email: string } = { email: EMAIL },
) {
  const answer = await context.request.post('/api/auth/sign-in/email', {
    data: { email, password: PASSWORD },
    headers: { origin: hub.address },
  })
  assert.equal(answer.status(), 200)
}

/**
 * Gives the page its first snapshot, and later ones only once they are released: it learns of nothing by the
 * clock that a test wants it to learn otherwise.
 */
export async function holdSnapshots(page: Page): Promise<{ release: () => void }> {
  const released = Promise.withResolvers<void>()
  let count = 0
  await page.route('**/dashboard/realtime', async (route) => {
    count += 1
    if (count > 1) await released.promise
    await route.continue()
  })
  return { release: released.resolve }
}

/**
 * Until something holds in the page. Playwright's own way asks again by `eval`, which the page's policy
 * forbids wherever the first look was too early.
 */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(
    async () => (await page.evaluate<boolean>(expression)) || null,
    `this holds in the page: ${expression}`,
  )
}

const TWO_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve))
})`

/**
 * Follows the requests of a page, from before it is opened. The function that it returns waits until all of
 * them have a response, and those too that the page sends upon these: what is changed afterwards is in no
 * response to a request that was sent before.
 */
export function followRequests(page: Page): () => Promise<void> {
  const responses: Promise<unknown>[] = []
  page.on('request', (request) => {
    if (request.url().startsWith('http')) responses.push(request.response())
  })
  return async () => {
    let awaited = -1
    while (awaited < responses.length) {
      awaited = responses.length
      await Promise.all(responses)
      // The page renders what has come, and sends what it sends then.
      await page.evaluate(TWO_FRAMES)
    }
  }
}

/** Ends the page's session under the next call to such an address, and under none that comes before. */
export async function endSessionUnder(page: Page, address: RegExp): Promise<void> {
  const end = async (route: Route) => {
    await page.context().clearCookies()
    await route.continue()
  }
  await page.route(address, end, { times: 1 })
}

/** Until a field holds this. */
export async function untilHolds(field: Locator, text: string): Promise<void> {
  await until(async () => (await field.inputValue()) === text || null, `the field holds "${text}"`)
}

/** Until nothing of the page's contents waits for the hub. */
export async function untilLoaded(page: Page): Promise<void> {
  await untilTrue(page, `document.querySelector('main [aria-busy="true"]') === null`)
}

/** Lets the page's clock, which a test has installed, run on until something is shown. */
export async function runUntilShown(page: Page, wanted: Locator): Promise<void> {
  await until(async () => {
    if ((await wanted.count()) > 0) return true
    await page.clock.runFor(1000)
    return null
  }, `${wanted} is shown`)
}

/** How a page is looked at: a colour scheme, and a width in CSS pixels. */
export type Look = { colorScheme: 'light' | 'dark'; width: number }

export const PHONE: Look = { colorScheme: 'dark', width: 360 }
export const DESKTOP: Look = { colorScheme: 'light', width: 1280 }

/** Every page and every state of one that matters is checked in each of them. */
export const LOOKS: readonly Look[] = isDeep
  ? [PHONE, { ...PHONE, colorScheme: 'light' }, { ...DESKTOP, colorScheme: 'dark' }, DESKTOP]
  : [PHONE, DESKTOP]

/** Changes how an open page is looked at, without loading it anew. */
export async function setLook(page: Page, { colorScheme, width }: Look): Promise<void> {
  await page.setViewportSize({ width, height: heightOf(width) })
  await page.emulateMedia({ colorScheme })
  // The dashboard changes its colours by script; other pages do so by their styles alone.
  const scheme = 'document.documentElement.dataset.mantineColorScheme'
  await untilTrue(page, `(${scheme} ?? '${colorScheme}') === '${colorScheme}'`)
  await page.evaluate(TWO_FRAMES)
}

const heightOf = (width: number) => (width < 600 ? 844 : 900)

/** That the page as it stands is accessible and does not scroll sideways, in each of {@link LOOKS}. */
export async function expectAccessibleInAllLooks(page: Page): Promise<void> {
  for (const look of LOOKS) {
    await setLook(page, look)
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
  }
}

type Violation = { id: string; help: string; targets: string[] }

type AxeOptions = {
  /** Rules that somebody else's page is known to break. */
  known?: readonly string[]
  /**
   * Checks only what is in the element of this role that lies over the page. The page below it is checked
   * where nothing lies over it, and a long table takes most of the time.
   */
  within?: 'dialog' | 'menu'
}

/** That axe finds nothing on the page as it stands (WCAG 2.2 AA and good practice). */
export async function expectAccessible(
  page: Page,
  { known = [], within }: AxeOptions = {},
): Promise<void> {
  await page
    .locator('h1')
    .first()
    .waitFor({ state: within ? 'attached' : 'visible' })
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE)
  const root = within ? `'[role="${within}"]'` : 'document'
  const violations: Violation[] = await page.evaluate(`${UNTIL_STILL}.then(() => ${runAxe(root)})`)
  assert.deepEqual(
    violations.filter(({ id }) => !known.includes(id)),
    [],
  )
}

/**
 * Until nothing fades or moves any more: what is half shown has half the contrast. What never ends, as a
 * skeleton's shimmer, is not waited for. As text, since it runs in the page.
 */
const UNTIL_STILL = `(async () => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const isPassing = ({ playState, effect }) =>
    playState === 'running' && effect.getComputedTiming().endTime !== Infinity
  let moving = []
  do {
    await nextFrame()
    await nextFrame()
    moving = document.getAnimations().filter(isPassing)
    await Promise.allSettled(moving.map((animation) => animation.finished))
  } while (moving.length > 0)
})()`

/** Waits until nothing on the page fades or moves any more. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(UNTIL_STILL)
}

const runAxe = (
  root: string,
) => `axe.run(${root}, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => ({ id, help, targets: nodes.map((node) => node.html.slice(0, 200) + ' ' + (node.failureSummary ?? '')) })))`

/** That neither Escape nor a click beside it closes a dialog, as one that shows a secret once. */
export async function expectStaysOpen(page: Page, dialog: Locator): Promise<void> {
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  // What a handler of these events changes has been rendered by then.
  await page.evaluate(TWO_FRAMES)
  assert.ok(await dialog.isVisible())
}

/** That nothing makes the page itself scroll sideways, once what slides in has come to rest. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  await untilTrue(page, 'document.documentElement.scrollWidth <= window.innerWidth')
}
