/** Chromium, controlled by playwright-core, and pages of hubs in it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, afterEach } from 'node:test'
import {
  type Browser,
  type BrowserContext,
  type ConsoleMessage,
  chromium,
  type Locator,
  type Page,
  type Request,
  type Response,
  type Route,
  type WebError,
} from 'playwright-core'
import { type FinishedTest, hasFailed, saveArtifacts } from '../artifacts.ts'
import { expectDescribed } from '../hub/described-responses.ts'
import { EMAIL, PASSWORD, type TestHub } from '../hub/hub.ts'
import { guardMs } from '../time/guard.ts'
import { isDeep } from '../time/tier.ts'
import { until } from '../time/until.ts'
import { resolveChromium } from './program.ts'

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
/**
 * Pages are open for only a second or two, so optimising their code and parallel garbage collection cost more
 * processor time than they save: a sixth of the total.
 */
const TEST_FLAGS = [
  ...FLAGS,
  '--js-flags=--no-opt --no-maglev --single-threaded-gc --min-semi-space-size=32',
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The title of the overview says the state of the hub. */
export const OVERVIEW_TITLE = /needs? you$|^Everything is here$|^Connect your first platform$/

/** Time limits for tests that hang: for all tests of a `describe`, and for each step. */
export const BROWSER_TEST = { timeout: guardMs(900_000) } as const
const STEP_MS = guardMs(120_000)

/** The browser that all tests of the process share. */
let launched: Promise<Browser> | null = null
// Runs when the process ends, which may run several files.
after(async () => (await launched)?.close())

async function launch(): Promise<Browser> {
  const { path: executablePath, env } = await resolveChromium()
  return chromium.launch({ executablePath, args: TEST_FLAGS, env, timeout: STEP_MS })
}

// A failed test leaves, for each of its pages, a screenshot, the console, the last requests and the log of the hub. Pages
// are closed after the test, when its outcome is known.
afterEach(
  async (t) => {
    const pageErrors = openPages.flatMap((one) => one.pageErrors)
    if ('fullName' in t && (hasFailed(t) || pageErrors.length > 0)) {
      for (const opened of openPages) await report(t, opened)
    }
    for (const opened of openPages) await opened.close()
    openPages = []
    if (!hasFailed(t)) assert.deepEqual(pageErrors, [], 'the pages have errors')
  },
  { timeout: STEP_MS },
)

/** A page of the current test. */
type OpenPage = {
  context: BrowserContext
  hub: BrowsedHub
  observed: Observation
  pageErrors: readonly string[]
  close: () => Promise<void>
}
let openPages: OpenPage[] = []

/** Saves what the pages of a failed test show and have done, and prints their texts. */
async function report(t: FinishedTest, { context, hub, observed }: OpenPage) {
  for (const page of context.pages()) {
    const text = await page.evaluate<string>('document.body.innerText').catch(String)
    console.error(`At the end of the test, ${page.url()} showed:\n${text}`)
    const session = await context.newCDPSession(page)
    const { data } = await session.send('Page.captureScreenshot', { format: 'png' })
    saveArtifacts(t, { 'screenshot.png': Buffer.from(data, 'base64') })
  }
  const log = hub.log?.() ?? ''
  const { messages, requests } = observed.read()
  saveArtifacts(t, { 'console.log': messages, 'requests.log': requests, 'hub.log': log })
}

type Observation = {
  /** The console of all pages and their last requests, with the status of each. */
  read: () => { messages: string; requests: string }
  stop: () => void
}
/** The number of requests that are reported for a page. */
const MAX_REQUESTS = 100

/** Records what the pages of a context print and request. */
function observe(context: BrowserContext): Observation {
  const printed: string[] = []
  let latest: { request: Request; outcome: string }[] = []
  const setOutcome = (request: Request, outcome: string) => {
    const found = latest.find((one) => one.request === request)
    if (found) found.outcome = outcome
  }
  const onMessage = (message: ConsoleMessage) =>
    void printed.push(`${message.type()}: ${message.text()}`)
  const onError = (error: WebError) => void printed.push(String(error.error()))
  const onRequest = (request: Request) => {
    latest = [...latest.slice(1 - MAX_REQUESTS), { request, outcome: 'no response' }]
  }
  const onResponse = (response: Response) =>
    setOutcome(response.request(), String(response.status()))
  const onFailure = (request: Request) =>
    setOutcome(request, request.failure()?.errorText ?? 'failed')
  context.on('console', onMessage).on('weberror', onError)
  context.on('request', onRequest).on('response', onResponse).on('requestfailed', onFailure)
  return {
    read() {
      const requests = latest.map(
        ({ request, outcome }) => `${request.method()} ${request.url()} ${outcome}`,
      )
      return { messages: printed.join('\n'), requests: requests.join('\n') }
    },
    // A context needs its other listeners to close.
    stop() {
      context.off('console', onMessage).off('weberror', onError)
      context.off('request', onRequest).off('response', onResponse).off('requestfailed', onFailure)
    },
  }
}

/** The hub of a page. The log is reported if the test fails. Errors of a page whose hub is disposed do not count. */
export type BrowsedHub = Pick<TestHub, 'address'> & Partial<Pick<TestHub, 'log' | 'isDisposed'>>

export type PageOptions = {
  colorScheme?: 'light' | 'dark'
  /** In CSS pixels; 390 is a phone. */
  width?: number
  signedIn?: boolean
  /** The operator who is signed in; by default the operator of the hub. */
  operator?: { email: string }
  /** The viewer's time zone, such as `Asia/Kolkata`; by default that of the machine. */
  timeZone?: string
  /** The page may have errors at its end. */
  mayHaveErrors?: boolean
  /** The test controls the page's clock with `page.clock`. */
  withClock?: boolean
}

export type TestPage = {
  page: Page
  context: BrowserContext
  /** Script errors, violations of the content security policy, and errors that the page logs. */
  pageErrors: string[]
}

/**
 * The browser contexts of the last tests, without their data. The next test of the same hub reuses one, because its
 * cache contains the dashboard, and loading the dashboard costs more processor time than most tests.
 */
let idle: { address: string; context: BrowserContext }[] = []
const MAX_IDLE = 3

/**
 * Opens a page of a hub without cookies and stored data, except for the session of the operator. The test fails if the
 * page has errors at its end.
 */
export async function openPage(hub: BrowsedHub, options: PageOptions = {}): Promise<TestPage> {
  const { address } = hub
  const { colorScheme = 'light', width = 1280, signedIn = true, operator, timeZone } = options
  const { withClock = false, mayHaveErrors = false } = options
  const isShared = timeZone === undefined && !withClock
  const context = (isShared && takeIdle(address)) || (await createContext(address, timeZone))
  const observed = observe(context)
  const page = await context.newPage()
  await page.setViewportSize({ width, height: heightOf(width) })
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  if (withClock) await page.clock.install()
  const pageErrors: string[] = []
  const addError = (text: string) => {
    if (!hub.isDisposed?.()) pageErrors.push(text)
  }
  page.on('pageerror', (error) => addError(String(error)))
  page.on('response', (response) => {
    const { pathname, origin } = new URL(response.url())
    if (origin !== address) return
    const exchange = { method: response.request().method(), url: pathname, text: null }
    const contentType = response.headers()['content-type'] ?? ''
    try {
      expectDescribed({ ...exchange, status: response.status(), contentType })
    } catch (error) {
      addError(String(error))
    }
  })
  page.on('console', (message) => {
    // The browser also logs each error response. Tests check these separately.
    const isResponseError = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isResponseError) addError(message.text())
  })
  if (signedIn) await signInContext(context, hub, operator)
  const opened: OpenPage = {
    ...{ context, hub, observed, pageErrors: mayHaveErrors ? [] : pageErrors },
    async close() {
      observed.stop()
      if (!isShared) return context.close()
      await empty(context, address)
      idle = [{ address, context }, ...idle]
      for (const dropped of idle.splice(MAX_IDLE)) await dropped.context.close()
    },
  }
  openPages.push(opened)
  return { page, context, pageErrors }
}

function takeIdle(address: string): BrowserContext | null {
  const found = idle.find((one) => one.address === address)
  idle = idle.filter((one) => one !== found)
  return found?.context ?? null
}

async function createContext(baseURL: string, timeZone: string | undefined) {
  launched ??= launch()
  const context = await (await launched).newContext({
    baseURL,
    ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
  })
  context.setDefaultTimeout(STEP_MS)
  return context
}

/** Removes everything from a context except its cache. */
async function empty(context: BrowserContext, origin: string): Promise<void> {
  const [page, ...others] = context.pages()
  if (page) {
    const session = await context.newCDPSession(page)
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'local_storage' })
  }
  await Promise.all([page, ...others].map((one) => one?.close()))
  await Promise.all([context.clearCookies(), context.clearPermissions(), context.setOffline(false)])
}

/** Signs an operator in without a page. */
export async function signInContext(
  context: BrowserContext,
  hub: Pick<TestHub, 'address'>,
  { email }: { email: string } = { email: EMAIL },
) {
  const response = await context.request.post('/api/auth/sign-in/email', {
    data: { email, password: PASSWORD },
    headers: { origin: hub.address },
  })
  assert.equal(response.status(), 200)
}

/**
 * Delays all snapshots after the first one until `release` is called, for tests of changes that the page must
 * receive in another way.
 */
export async function delaySnapshots(page: Page): Promise<{ release: () => void }> {
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
 * Waits until an expression is true in the page. Playwright's `waitForFunction` uses `eval`, which the page's content
 * security policy forbids.
 */
export async function untilTrueInPage(page: Page, expression: string): Promise<void> {
  await until(
    async () => (await page.evaluate<boolean>(expression)) || null,
    `this is true in the page: ${expression}`,
  )
}

const TWO_FRAMES = `new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve))
})`

/**
 * Tracks the requests of a page; call it before the page is opened. The returned function waits until all requests
 * have a response, including those that the page sends because of a response. No response to these requests
 * contains later changes.
 */
export function trackRequests(page: Page): () => Promise<void> {
  const responses: Promise<unknown>[] = []
  page.on('request', (request) => {
    // A page may be closed before a response arrives.
    if (request.url().startsWith('http')) responses.push(request.response().catch(() => null))
  })
  return async () => {
    let awaited = -1
    while (awaited < responses.length) {
      awaited = responses.length
      await Promise.all(responses)
      // The page renders the response, and may send further requests.
      await page.evaluate(TWO_FRAMES)
    }
  }
}

/** Ends the page's session at its next request to this address. */
export async function endSessionAtRequest(page: Page, address: RegExp): Promise<void> {
  const end = async (route: Route) => {
    await page.context().clearCookies()
    await route.continue()
  }
  await page.route(address, end, { times: 1 })
}

/** Waits until an input has this value. */
export async function untilFieldValue(field: Locator, text: string): Promise<void> {
  await until(
    async () => (await field.inputValue()) === text || null,
    `the input has the value "${text}"`,
  )
}

/** Waits until no content of the page is loading. */
export async function untilLoaded(page: Page): Promise<void> {
  await untilTrueInPage(page, `document.querySelector('main [aria-busy="true"]') === null`)
}

/** Advances the page's clock, which must be installed, until an element is shown. */
export async function advanceUntilShown(page: Page, wanted: Locator): Promise<void> {
  await until(async () => {
    if ((await wanted.count()) > 0) return true
    await page.clock.runFor(1000)
    return null
  }, `${wanted} is shown`)
}

/** A colour scheme and a width in CSS pixels. */
export type DisplayMode = { colorScheme: 'light' | 'dark'; width: number }

export const PHONE: DisplayMode = { colorScheme: 'dark', width: 360 }
export const DESKTOP: DisplayMode = { colorScheme: 'light', width: 1280 }

/** Every page and its important states are checked in each of them. */
export const DISPLAY_MODES: readonly DisplayMode[] = isDeep
  ? [PHONE, { ...PHONE, colorScheme: 'light' }, { ...DESKTOP, colorScheme: 'dark' }, DESKTOP]
  : [PHONE, DESKTOP]

/** Changes the colour scheme and the width of an open page without reloading it. */
export async function setDisplayMode(
  page: Page,
  { colorScheme, width }: DisplayMode,
): Promise<void> {
  await page.setViewportSize({ width, height: heightOf(width) })
  await page.emulateMedia({ colorScheme })
  // The dashboard changes its colours with a script; other pages only use styles.
  const scheme = 'document.documentElement.dataset.mantineColorScheme'
  await untilTrueInPage(page, `(${scheme} ?? '${colorScheme}') === '${colorScheme}'`)
  await page.evaluate(TWO_FRAMES)
}

const heightOf = (width: number) => (width < 600 ? 844 : 900)

/** Asserts that the current page is accessible and does not scroll horizontally, in each of {@link DISPLAY_MODES}. */
export async function expectAccessibleInAllModes(page: Page): Promise<void> {
  for (const look of DISPLAY_MODES) {
    await setDisplayMode(page, look)
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
  }
}

type Violation = { id: string; help: string; targets: string[] }

type AxeOptions = {
  /** Rules that are not checked, because a third-party page violates them. */
  ignoredRules?: readonly string[]
  /**
   * Checks only the element with this role, which covers the page. This saves time, since a page below it that has a
   * long table is checked separately.
   */
  within?: 'dialog' | 'menu'
  /** Does not wait for the heading of the page. */
  withoutHeading?: boolean
}

/** Asserts that axe finds no violation on the current page (WCAG 2.2 AA and best practices). */
export async function expectAccessible(
  page: Page,
  { ignoredRules = [], within, withoutHeading = false }: AxeOptions = {},
): Promise<void> {
  const heading = page.locator('h1').first()
  if (!withoutHeading) await heading.waitFor({ state: within ? 'attached' : 'visible' })
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE)
  const root = within ? `'[role="${within}"]'` : 'document'
  const violations: Violation[] = await page.evaluate(
    `${UNTIL_ANIMATIONS_END}.then(() => ${runAxe(root)})`,
  )
  assert.deepEqual(
    violations.filter(({ id }) => !ignoredRules.includes(id)),
    [],
  )
}

/**
 * Evaluated in the page: waits for the end of all animations, because a half-transparent element has half the
 * contrast. Infinite animations, such as the shimmer of a skeleton, are ignored.
 */
const UNTIL_ANIMATIONS_END = `(async () => {
  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve))
  const willEnd = ({ playState, effect }) =>
    playState === 'running' && effect.getComputedTiming().endTime !== Infinity
  let running = []
  do {
    await nextFrame()
    await nextFrame()
    running = document.getAnimations().filter(willEnd)
    await Promise.allSettled(running.map((animation) => animation.finished))
  } while (running.length > 0)
})()`

/** Waits until all animations of the page have ended. */
export async function untilAnimationsEnd(page: Page): Promise<void> {
  await page.evaluate(UNTIL_ANIMATIONS_END)
}

const runAxe = (
  root: string,
) => `axe.run(${root}, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => ({ id, help, targets: nodes.map((node) => node.html.slice(0, 200) + ' ' + (node.failureSummary ?? '')) })))`

/** Asserts that neither Escape nor a click outside closes a dialog, for example one that shows a secret once. */
export async function expectStaysOpen(page: Page, dialog: Locator): Promise<void> {
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await page.mouse.click(5, 5)
  // The changes that the handlers of these events make are rendered within two frames.
  await page.evaluate(TWO_FRAMES)
  assert.ok(await dialog.isVisible())
}

/** Asserts that the page does not scroll horizontally. */
export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  await untilTrueInPage(page, 'document.documentElement.scrollWidth <= window.innerWidth')
}
