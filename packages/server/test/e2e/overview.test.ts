/** The overview of a busy hub, and the size of its JavaScript. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  PHONE,
  setDisplayMode,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { newRecord, pullAll, push, registerPlatform } from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { respond, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const ASSETS = new URL('../../../dashboard/dist/assets/', import.meta.url)
/** The maximum size of the compressed JavaScript of the overview. */
const BUDGET = 300_000

/** A hub with two platforms, one of which fails, and some records. */
async function startBusyHub() {
  const clock = new TestClock()
  // Far from midnight, because counts are per day.
  clock.set(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`)
  const hub = await startTestHub(sqliteEngine, { withOperator: true, clock })
  const school = await simulatePlatform({ platform_name: 'school' })
  const clinic = await simulatePlatform({ platform_name: 'clinic' })
  school.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2), { full_name: 'Nobody' })
  clinic.setResponse('records/cases', respond.status(500))
  const { hub_api_key } = await registerPlatform(hub, school)
  await registerPlatform(hub, clinic)
  await pullAll(hub)
  await push(hub, hub_api_key, newRecord('N-1', { full_name: 'Bea Example' }))
  await push(hub, hub_api_key, newRecord('N-2', { record_type: 'nothing' }))
  return {
    hub,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await school[Symbol.asyncDispose]()
      await clinic[Symbol.asyncDispose]()
    },
  }
}

describe('the overview', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('the overview shows the state of the hub, and loads less than 300 KB of compressed JavaScript', async (t) => {
    await using busy = await startBusyHub()
    await using opened = await openPage(browser(), busy.hub)
    const { page, pageErrors } = opened
    const loaded = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) loaded.add(basename(pathname))
    })
    await page.goto('/dashboard')
    const records = page.getByRole('region', { name: 'Latest records' })
    await records.getByText('Bea Example').waitFor()
    await page.locator('.recharts-bar-rectangle').first().waitFor({ state: 'attached' })
    const main = page.getByRole('main')
    for (const [tile, figure] of [
      ['Active platforms', '2 / 2'],
      ['Modules', '2'],
      ['Records', '3'],
      ['Received today', '3'],
      ['Rejected today', '2'],
    ] as const) {
      const name = new RegExp(`^${tile}\\s*${figure}$`)
      await main.getByRole('link', { name }).waitFor()
    }
    const sync = page.getByRole('region', { name: 'Latest sync' })
    await sync.getByText('Partial').waitFor()
    await sync.getByText(/started by /).waitFor()
    const platforms = page.getByRole('region', { name: 'Platforms' })
    await platforms.getByText('Failing').waitFor()
    await platforms.getByRole('img', { name: 'The last pull: 1 failed' }).waitFor()
    await platforms
      .getByRole('img', { name: 'The last pull: 1 succeeded with rejected records' })
      .waitFor()
    await page.getByRole('region', { name: 'Latest activity' }).getByText(/N-1/).waitFor()
    await setDisplayMode(page, PHONE)
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    assert.deepEqual(pageErrors, [])

    const sizes = [...loaded].map((name) => ({ name, bytes: compressedSize(name) }))
    sizes.sort((one, other) => other.bytes - one.bytes)
    for (const { name, bytes } of sizes) t.diagnostic(`${bytes} ${name}`)
    const sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
    t.diagnostic(`${sum} total`)
    assert.ok(sum > 100_000, 'the files are found')
    assert.ok(sum < BUDGET, `${sum} bytes`)
  })
})

/** The size of the compressed copy that the build creates; small files without one are compressed. */
function compressedSize(name: string): number {
  const compressed = new URL(`${name}.br`, ASSETS)
  if (existsSync(compressed)) return statSync(compressed).size
  return brotliCompressSync(readFileSync(new URL(name, ASSETS))).length
}
