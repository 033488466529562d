/** Takes the screenshots of the README from the demo, for `npm run screenshot`. */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium } from 'playwright-core'
import { FLAGS } from './helpers/browser/browser.ts'
import { resolveChromium } from './helpers/browser/program.ts'

const IMAGES = new URL('../../../docs/images/', import.meta.url)
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
/** The limit of both files together, so that the README loads quickly. */
const MAX_BYTES = 300_000
/** The number of pushes after which the page looks like normal operation. */
const MIN_PUSHES = 25

type Demo = { address: string; email: string; password: string; stop: () => void }

/** Starts the demo and reads its address from its output. */
async function startDemo(): Promise<Demo> {
  const demo = spawn(process.execPath, [MAIN, 'demo', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
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

async function takeScreenshot(
  browser: Browser,
  demo: Demo,
  colorScheme: 'light' | 'dark',
): Promise<number> {
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
  const page = await context.newPage()
  for (;;) {
    const { stats, pull } = await (await context.request.get('/dashboard/realtime')).json()
    if (!pull.running && stats.updated_today >= MIN_PUSHES) break
    await sleep(1000)
  }
  await page.goto('/dashboard')
  await page.locator('h1').waitFor()
  await page.locator('main svg.recharts-surface').first().waitFor()
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
  const session = await context.newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 82 })
  const image = Buffer.from(data, 'base64')
  writeFileSync(new URL(`overview-${colorScheme}.webp`, IMAGES), image)
  await context.close()
  return image.length
}

const { path: executablePath, env } = await resolveChromium()
const browser = await chromium.launch({ executablePath, args: FLAGS, env })
const demo = await startDemo()
try {
  mkdirSync(IMAGES, { recursive: true })
  const bytes =
    (await takeScreenshot(browser, demo, 'light')) + (await takeScreenshot(browser, demo, 'dark'))
  if (bytes > MAX_BYTES)
    throw new Error(`The screenshots have ${bytes} bytes; ${MAX_BYTES} are allowed.`)
} finally {
  demo.stop()
  await browser.close()
}
