/** A hub, and runners that watch the tables of owners and push their changes to it. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import type { StoredRecord } from '@recordhub/protocol'
import { findFreePort } from '../../../server/test/helpers/process/free-port.ts'
import { signIn } from '../../../server/test/helpers/process/operator.ts'
import type { RunningHub } from '../../../server/test/helpers/process/sandbox.ts'
import { until } from '../../../server/test/helpers/time/until.ts'
import type { OwnersDatabase, OwnersEngine } from './engines.ts'
import { deactivateAfter, sharedHub } from './hub.ts'
import { createRunnerSandbox, SOURCE_API_KEY } from './runner.ts'

/** The large overlap covers changes that become visible seconds late on a slow machine. */
export const SETTINGS = `
platform: { name: "\${PLATFORM}", source_key: "\${SOURCE_API_KEY}" }
source: { database: "\${DATABASE_URL}" }
modules:
  - { record_type: drafts, table: people, reference: id, full_name: name, search: [name] }
  - { record_type: people, name: People, table: people, reference: id, full_name: name, updated_at: updated_at, search: [name] }
push: { hub_url: "\${HUB_URL}", hub_api_key: "\${HUB_API_KEY}", every_seconds: 0.2, overlap_seconds: 600 }
`

const timeType = ({ name }: OwnersEngine) => (name === 'SQLite' ? 'DATETIME' : 'TIMESTAMP')
export const now = ({ name }: OwnersEngine) =>
  name === 'SQLite' ? "strftime('%Y-%m-%d %H:%M:%f', 'now')" : 'CURRENT_TIMESTAMP'

let platforms = 0

export async function registerRunner(t: TestContext, engine: OwnersEngine, hub: RunningHub) {
  const sandbox = createRunnerSandbox(t)
  const database = await engine.open(t)
  await database.run(
    `CREATE TABLE people (id INTEGER PRIMARY KEY, name VARCHAR(50), updated_at ${timeType(engine)} NULL)`,
    "INSERT INTO people VALUES (1, 'One', '2026-01-01 00:00:00'), (2, 'Two', '2026-01-02 00:00:00')",
  )
  const operator = await signIn(hub.address)
  platforms += 1
  const name = `registry_${platforms}`
  // Registers without pushes first, as in a real setup.
  sandbox.write('platform.yaml', SETTINGS.replace(/^push:.*\n/m, ''))
  // A fixed free port, because the process restarts on the same port.
  const port = String(await findFreePort())
  const owner = { DATABASE_URL: database.address, PLATFORM: name }
  const first = await sandbox.start(owner, port)
  const { platform, hub_api_key } = await operator.registerModules({
    source_base_url: first.address,
    source_api_key: SOURCE_API_KEY,
    record_types: ['people'],
  })
  await first.stop()
  if (hub === sharedHub()) deactivateAfter(t, operator, platform.id)
  sandbox.write('platform.yaml', SETTINGS)
  const env = { ...owner, HUB_URL: hub.address, HUB_API_KEY: hub_api_key }
  const stored = () => operator.findRecords(`platform=${name}&sort=record_id`)
  return { database, operator, sandbox, env, port, name, stored }
}

export function write(engine: OwnersEngine, database: OwnersDatabase, id: number, name: string) {
  const set = `name = '${name}', updated_at = ${now(engine)}`
  return engine.name === 'SQLite' || engine.name === 'PostgreSQL'
    ? database.run(
        `INSERT INTO people VALUES (${id}, '${name}', ${now(engine)}) ON CONFLICT (id) DO UPDATE SET ${set}`,
      )
    : database.run(
        `INSERT INTO people VALUES (${id}, '${name}', ${now(engine)}) ON DUPLICATE KEY UPDATE ${set}`,
      )
}

/** Waits until the hub has stored these names, keyed by reference. */
export function waitForNames(stored: () => Promise<StoredRecord[]>, names: Record<string, string>) {
  return until(
    async () => {
      const records = await stored()
      const found = Object.fromEntries(records.map((one) => [one.reference_number, one.full_name]))
      return JSON.stringify(found) === JSON.stringify(names) ? records : null
    },
    `the hub stores ${JSON.stringify(names)}`,
  )
}

/** Port 0 never has a listening hub. */
export const NO_HUB = { HUB_URL: 'http://127.0.0.1:0', HUB_API_KEY: 'rhk_any' }

/** Creates the owner's database of {@link SETTINGS} without rows. */
export function openOwnersFile(folder: string): void {
  const database = new DatabaseSync(join(folder, 'owner.sqlite'))
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, updated_at DATETIME)')
  database.close()
}
