/** Takes the screenshots of the README and the docs from the demo, for `npm run screenshot`. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, type BrowserContext, chromium } from 'playwright-core'
import { FLAGS } from './helpers/browser/browser.ts'
import { resolveChromium } from './helpers/browser/program.ts'

const IMAGES = new URL('../../../docs/images/', import.meta.url)
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** The limit per file, so that the documents load quickly and the repository stays small. */
const MAX_BYTES = 120_000
/** The pages, and what is shown when their content has loaded. */
const PAGES = [
  { name: 'overview', path: '/dashboard', content: 'main figure' },
  { name: 'records', path: '/dashboard/records', content: 'main tbody tr' },
  { name: 'pulls', path: '/dashboard/pulls', content: 'main tbody tr' },
  { name: 'inbox', path: '/dashboard/inbox', content: 'main h2' },
] as const
const SCHEMES = ['light', 'dark'] as const
/** The number of pushes after which the page looks like normal operation. */
const MIN_PUSHES = 25

type Demo = { address: string; email: string; password: string; stop: () => void }

/** Starts the demo and reads its address from its output. */
async function startDemo(folder: string): Promise<Demo> {
  const demo = spawn(process.execPath, [MAIN, 'demo', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, TMPDIR: folder },
  })
  const output = new Map<string, string>()
  for await (const line of createInterface(demo.stdout)) {
    const [, label = '', value = ''] = /^ {2}([\w-]+) +(\S.*)$/.exec(line) ?? []
    output.set(label, value)
    if (label === 'Password') break
  }
  const printed = (label: string) => output.get(label) ?? ''
  return {
    address: new URL(printed('Open')).origin,
    email: printed('E-mail'),
    password: printed('Password'),
    stop: () => demo.kill('SIGTERM'),
  }
}

async function openSession(
  browser: Browser,
  demo: Demo,
  colorScheme: (typeof SCHEMES)[number],
): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: demo.address,
    colorScheme,
    viewport: { width: 1280, height: 860 },
    deviceScaleFactor: 1.5,
    reducedMotion: 'reduce',
  })
  const { email, password } = demo
  await context.request.post('/api/auth/sign-in/email', {
    data: { email, password },
    headers: { origin: demo.address },
  })
  return context
}

async function untilNormalOperation(context: BrowserContext): Promise<void> {
  for (;;) {
    const { stats, pull } = await (await context.request.get('/dashboard/realtime')).json()
    if (!pull.running && stats.updated_today >= MIN_PUSHES) return
    await sleep(1000)
  }
}

async function takeScreenshot(
  context: BrowserContext,
  { name, path, content }: (typeof PAGES)[number],
  scheme: (typeof SCHEMES)[number],
): Promise<void> {
  const page = await context.newPage()
  await page.goto(path)
  await page.locator('h1').waitFor()
  await page.locator(content).first().waitFor()
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  const image = Buffer.from(data, 'base64')
  if (image.length > MAX_BYTES) {
    throw new Error(`${name}-${scheme} has ${image.length} bytes; ${MAX_BYTES} are allowed.`)
  }
  writeFileSync(new URL(`${name}-${scheme}.webp`, IMAGES), image)
  await page.close()
}

const { path: executablePath, env } = await resolveChromium()
const browser = await chromium.launch({ executablePath, args: FLAGS, env })
const folder = mkdtempSync(join(tmpdir(), 'recordhub-screenshots-'))
const demo = await startDemo(folder)
try {
  mkdirSync(IMAGES, { recursive: true })
  const contexts = []
  for (const scheme of SCHEMES)
    contexts.push([await openSession(browser, demo, scheme), scheme] as const)
  for (const page of PAGES) {
    for (const [context, scheme] of contexts) {
      await untilNormalOperation(context)
      await takeScreenshot(context, page, scheme)
    }
  }
} finally {
  demo.stop()
  await browser.close()
  rmSync(folder, { recursive: true, force: true })
}
