import { setTimeout as sleep } from 'node:timers/promises'
import { chromium, type Page } from 'playwright-core'
import { resolveChromium } from '../packages/server/test/helpers/browser/program.ts'
import type { Engine } from './engines.ts'
import { type BenchHub, OPERATOR, register, startHub, startPull, waitForPull } from './hub.ts'
import { startServer } from './processes.ts'

const ROUNDS = 5
const DEEP_PAGE = 1000
const FIRST_ROW = 'tbody a'

/** The page Records in a browser with many records: milliseconds until rows are visible. */
export async function benchRecordsPage(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', ['small', String(records)], {})
  const hub = await startHub(engine)
  const { path: executablePath, env } = await resolveChromium()
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    env,
  })
  try {
    await register(hub, platform)
    await waitForPull(hub, await startPull(hub))
    while ((await hub.call('GET', '/api/v1/search/status'))['lag'] !== 0) await sleep(200)
    process.stdout.write(`page of records, ${engine}, ${records}\n`)
    const baseURL = `http://127.0.0.1:${hub.process.port}`
    const context = await browser.newContext({ baseURL, viewport: { width: 1280, height: 900 } })
    const headers = { origin: baseURL }
    await context.request.post('/api/auth/sign-in/email', { data: OPERATOR, headers })
    const page = await context.newPage()
    const module = 'platform=bench-1&record_type=item-1'
    const middle = String(Math.floor(records / 2)).padStart(8, '0')
    for (const [name, query] of [
      ['first rows', ''],
      ['first rows of a module', module],
      [`page ${DEEP_PAGE}`, `${module}&cursor=${await findDeep(hub, module)}`],
      ['filtered, a third of all', `${module}&filter[active]=true`],
      ['filtered, not indexed, one record', `${module}&filter[phone]=%2B49 30 ${middle}`],
      ['search, one record', `${module}&q=${middle}`],
    ] as const) {
      process.stdout.write(`  ${name.padEnd(36)} ${await measure(page, query)}\n`)
    }
  } finally {
    await browser.close()
    await hub.stop()
    await platform.stop()
  }
}

async function findDeep(hub: BenchHub, module: string): Promise<string> {
  let cursor = ''
  // The pages of 500 before the page of 50.
  for (let read = 0; read < (DEEP_PAGE - 1) * 50; read += 500) {
    const limit = Math.min(500, (DEEP_PAGE - 1) * 50 - read)
    const from = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const page = await hub.call('GET', `/api/v1/records?${module}&limit=${limit}${from}`)
    cursor = String(page['next_cursor'])
  }
  return encodeURIComponent(cursor)
}

/** From an empty tab to the first row, and from a click on Next to the rows of the next page. */
async function measure(page: Page, query: string): Promise<string> {
  const opened: number[] = []
  const turned: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    await page.goto('about:blank')
    const begin = performance.now()
    await page.goto(`/dashboard/records?${query}`, { waitUntil: 'commit' })
    const first = page.locator(FIRST_ROW).first()
    // Without an index, the scan may not have reached the one record yet.
    await first.or(page.getByText('No matching records found so far')).waitFor()
    opened.push(performance.now() - begin)
    const next = page.getByRole('button', { name: 'Next' })
    if ((await first.count()) === 0 || !(await next.isEnabled())) continue
    const before = (await first.textContent()) ?? ''
    const turning = performance.now()
    await next.click()
    // Without an index, the next page may be empty while the scan continues.
    await first.filter({ hasText: before }).waitFor({ state: 'detached' })
    turned.push(performance.now() - turning)
  }
  return `${median(opened)} ms${turned.length > 0 ? `, next page ${median(turned)} ms` : ''}`
}

function median(times: number[]): string {
  return (times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0).toFixed(0)
}
