/** Databases of very different sizes, with the same 1,000 modules on 100 platforms. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchDatabase } from './engines.ts'
import { type BenchHub, register, signIn, startHubProcess, startPull, waitForPull } from './hub.ts'
import { platformNames } from './platforms.ts'
import { startServer } from './processes.ts'
import { waitUntilSearchable } from './pull.ts'

const PLATFORMS = 100
const MODULES = 10
/** A day, since the pull of many millions of records takes longer than the default time limit. */
const PULL_SECONDS = '86400'
/** The field with an index, in the module with the most records: `item-1` of `bench-1`. */
const INDEXED_FIELD = 'email'

/** The database of a hub in a folder, which is not deleted with the hub. */
export function databaseIn(folder: string): BenchDatabase {
  return { env: { HUB_DATA_DIR: folder }, pids: () => [], folder, remove: async () => undefined }
}

/**
 * Creates a database with a number of records in `folder`, unless it exists. A hub pulls the records, so that
 * counters, history and indexes are as in production.
 */
export async function prepareData(folder: string, records: number): Promise<BenchDatabase> {
  const database = databaseIn(folder)
  const completed = join(folder, `${records} records`)
  if (existsSync(completed)) return database
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const started = performance.now()
  await fill(database, records)
  const seconds = (performance.now() - started) / 1000
  process.stdout.write(`  ${records} records stored and indexed in ${seconds.toFixed(0)} s\n`)
  writeFileSync(completed, '')
  return database
}

async function fill(database: BenchDatabase, records: number): Promise<void> {
  const args = ['small', records, MODULES, PLATFORMS].map(String)
  const platforms = await startServer('./document-server.ts', args, {})
  const settings = { HUB_PULL_TIMEOUT_SECONDS: PULL_SECONDS }
  const hub = await signIn(await startHubProcess(database, settings), database)
  try {
    const { port } = platforms
    const ids: number[] = []
    for (const name of platformNames(PLATFORMS)) {
      ids.push((await register(hub, { port, name, modules: MODULES })).id)
    }
    const { counts } = await waitForPull(hub, await startPull(hub))
    if (counts.created !== records) throw new Error(`The hub has ${counts.created} records`)
    await waitUntilSearchable(hub)
    await indexField(hub, ids[0] ?? 0)
  } finally {
    await hub.stop()
    await platforms.stop()
  }
}

async function indexField(hub: BenchHub, platformId: number): Promise<void> {
  const path = `/api/v1/platforms/${platformId}/modules/item-1/indexed-fields`
  await hub.call('PUT', path, { fields: [INDEXED_FIELD] })
  while (JSON.stringify(await hub.call('GET', path)).includes('"is_built":false')) await sleep(200)
}
