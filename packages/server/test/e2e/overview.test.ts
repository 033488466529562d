/** The overview of a busy hub, and the size of its JavaScript. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  expectAccessibleInAllModes,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import {
  newRecord,
  pullAll,
  push,
  registerPlatform,
  registerPushingPlatform,
} from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { respond, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { runSql } from '../helpers/storage/sql.ts'
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
    hub_api_key,
    async [Symbol.asyncDispose]() {
      await hub[Symbol.asyncDispose]()
      await school[Symbol.asyncDispose]()
      await clinic[Symbol.asyncDispose]()
    },
  }
}

/** Shares a busy hub between the tests of a `describe`. */
function shareBusyHub() {
  let busy: Awaited<ReturnType<typeof startBusyHub>> | null = null
  before(async () => {
    busy = await startBusyHub()
  })
  after(async () => busy?.[Symbol.asyncDispose]())
  return () => {
    assert.ok(busy)
    return busy
  }
}

async function untilShown(page: Page): Promise<void> {
  await page.getByRole('region', { name: 'Latest records' }).getByText('Bea Example').waitFor()
  await page.locator('.recharts-bar-rectangle').first().waitFor({ state: 'attached' })
}

describe('the overview', BROWSER_TEST, () => {
  const browser = shareBrowser()

  const busy = shareBusyHub()

  test('the overview shows the state of the hub', async () => {
    await using opened = await openPage(browser(), busy().hub)
    const { page, pageErrors } = opened
    await page.goto('/dashboard')
    await untilShown(page)
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
    await expectAccessibleInAllModes(page)
    assert.deepEqual(pageErrors, [])
  })

  test('many platforms are shown in pages, and the URL contains the page', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    for (let number = 0; number < 13; number += 1) {
      await registerPushingPlatform(hub, { platform_name: `p-${String(number).padStart(2, '0')}` })
    }
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard')
    const platforms = page.getByRole('region', { name: 'Platforms' })
    await platforms.getByText('Title of p-00').waitFor()
    assert.equal(await platforms.getByText('Title of p-12').count(), 0)
    await platforms.getByRole('button', { name: 'Next platforms' }).click()
    await platforms.getByText('Title of p-12').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('platforms'), '2')
    await expectAccessible(page)
    await page.goBack()
    await platforms.getByText('Title of p-00').waitFor()
  })

  test('an empty hub shows the first step', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Register a platform' }).waitFor()
    await page.getByText('No pulls yet.').waitFor()
    await expectAccessible(page)
  })

  test('the overview loads less than 300 KB of compressed JavaScript', async (t) => {
    await using opened = await openPage(browser(), busy().hub)
    const { page } = opened
    const loaded = new Set<string>()
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.js')) loaded.add(basename(pathname))
    })
    await page.goto('/dashboard')
    await untilShown(page)
    const sizes = [...loaded].map((name) => ({ name, bytes: compressedSize(name) }))
    sizes.sort((one, other) => other.bytes - one.bytes)
    for (const { name, bytes } of sizes) t.diagnostic(`${bytes} ${name}`)
    const sum = sizes.reduce((total, { bytes }) => total + bytes, 0)
    t.diagnostic(`${sum} total`)
    assert.ok(sum > 100_000, 'the files are found')
    assert.ok(sum < BUDGET, `${sum} bytes`)
  })

  test('the overview shows an open alert, which can be acknowledged', async () => {
    const at = new Date().toISOString()
    await runSql(
      busy().hub.storage,
      `INSERT INTO alerts (kind, subject, message, raised_at)
       VALUES ('disk_low', 'disk', 'The disk is nearly full', '${at}')`,
    )
    await using opened = await openPage(browser(), busy().hub)
    const { page } = opened
    await page.goto('/dashboard')
    const alerts = page.getByRole('region', { name: 'Open alerts' })
    await alerts.getByText('The disk is nearly full').waitFor()
    await expectAccessible(page)
    await alerts.getByRole('button', { name: 'Acknowledge' }).click()
    await alerts.getByText(/Acknowledged by/).waitFor()
  })
})

/** The size of the compressed copy that the build creates; small files without one are compressed. */
function compressedSize(name: string): number {
  const compressed = new URL(`${name}.br`, ASSETS)
  if (existsSync(compressed)) return statSync(compressed).size
  return brotliCompressSync(readFileSync(new URL(name, ASSETS))).length
}
