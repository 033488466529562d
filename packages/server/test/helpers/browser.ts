/** A real browser before a real hub: the machine's Chromium, driven by playwright-core. */
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
  type Request,
  type Route,
} from 'playwright-core'
import { EMAIL, PASSWORD, type TestHub } from './http-hub.ts'

export const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Guard against a test that waits for ever, for all tests of a `describe` and for each step; no test relies on them. */
export const BROWSER_TEST = { timeout: 900_000 } as const
const STEP_MS = 120_000

/** A browser that the tests of a `describe` share. */
export function shareBrowser(): () => Browser {
  let browser: Browser | null = null
  before(async () => {
    // Provided by the global setup.
    const { TEST_CHROMIUM: executablePath = '', TEST_CHROMIUM_LIBRARIES: libraries } = process.env
    const env = libraries ? { ...process.env, LD_LIBRARY_PATH: libraries } : process.env
    browser = await chromium.launch({ executablePath, args: FLAGS, env })
  })
  after(async () => browser?.close())
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
}

export type TestPage = {
  page: Page
  context: BrowserContext
  /** What the page complained of: errors of scripts, and what its policy refused. */
  complaints: string[]
  [Symbol.asyncDispose]: () => Promise<void>
}

/** A page of its own before a hub, signed in unless told otherwise. */
export async function openPage(
  browser: Browser,
  hub: Pick<TestHub, 'address'>,
  options: PageOptions = {},
): Promise<TestPage> {
  const { colorScheme = 'light', width = 1280, signedIn = true } = options
  const context = await browser.newContext({
    baseURL: hub.address,
    colorScheme,
    viewport: { width, height: width < 600 ? 844 : 900 },
    reducedMotion: 'reduce',
  })
  context.setDefaultTimeout(STEP_MS)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // The browser itself tells of each answer that is an error; those are looked at by the tests.
    const isOfAnswer = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isOfAnswer) complaints.push(message.text())
  })
  if (signedIn) await signInOver(context, hub)
  return {
    page,
    context,
    complaints,
    [Symbol.asyncDispose]: () => context.close(),
  }
}

/** Signs the hub's operator in without the page. */
export async function signInOver(context: BrowserContext, hub: Pick<TestHub, 'address'>) {
  const answer = await context.request.post('/api/auth/sign-in/email', {
    data: { email: EMAIL, password: PASSWORD },
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
  while (!(await page.evaluate<boolean>(expression)));
}

/**
 * Follows what a page calls, from before it is opened. The answer waits until all that was called up to then is
 * answered: what is changed afterwards is not seen by a call that was made before.
 */
export function followCalls(page: Page): () => Promise<void> {
  const calls: Request[] = []
  page.on('request', (request) => calls.push(request))
  return async () => {
    // What the page called before it answers this has been heard of.
    await page.evaluate('0')
    await Promise.all(calls.map((request) => request.response()))
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
  while ((await field.inputValue()) !== text);
}

/** Until nothing of the page's contents waits for the hub. */
export async function untilLoaded(page: Page): Promise<void> {
  await untilTrue(page, `document.querySelector('main [aria-busy="true"]') === null`)
}

/** Lets the page's clock, which a test has installed, run on until something is shown. */
export async function runUntilShown(page: Page, wanted: Locator): Promise<void> {
  while ((await wanted.count()) === 0) await page.clock.runFor(1000)
}

type Violation = { id: string; help: string; targets: string[] }

/**
 * That axe finds nothing on the page as it stands (WCAG 2.2 AA and good practice), but for rules that
 * somebody else's page is known to break.
 */
export async function expectAccessible(page: Page, known: string[] = []): Promise<void> {
  await page.locator('h1').first().waitFor()
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE)
  const violations: Violation[] = await page.evaluate(`${UNTIL_STILL}.then(() => ${AXE_RUN})`)
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

const AXE_RUN = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
  violations.map(({ id, help, nodes }) => ({ id, help, targets: nodes.map((node) => node.html.slice(0, 200) + ' ' + (node.failureSummary ?? '')) })))`

/** That nothing makes the page itself scroll sideways. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const [wide, seen] = await page.evaluate<[number, number]>(
    '[document.documentElement.scrollWidth, window.innerWidth]',
  )
  assert.ok(wide <= seen, `the page is ${wide} pixels wide on a screen of ${seen}`)
}
