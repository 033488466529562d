/** The database with which each simulation begins: two registered platforms without records. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createKey, HUB_KEY_PREFIX, SOURCE_KEY_PURPOSE } from '../../src/domain/platform/api-key.ts'
import { type Clock, systemClock } from '../../src/lib/time/clock.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { hashReference } from '../helpers/storage/engine.ts'
import { changeLog, newPlatform } from '../helpers/storage/fixtures.ts'
import { type DatabaseView, openDatabaseView } from './database-view.ts'
import { secrets } from './hub.ts'
import { manifestModule, type PlatformModule } from './platform.ts'

/** In memory if the system has such a folder, because a simulation commits hundreds of times. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** The modules of each platform. One of them is large enough for the missing threshold. */
export const PLATFORMS: Readonly<
  Record<string, readonly Pick<PlatformModule, 'record_type' | 'keys' | 'size'>[]>
> = {
  school: [
    { record_type: 'students', keys: ['a', 'b', 'c'], size: 8 },
    { record_type: 'teachers', keys: ['a'], size: 3 },
  ],
  clinic: [{ record_type: 'patients', keys: ['a', 'b'], size: 24 }],
}

export type Template = {
  engine: 'sqlite' | 'postgres'
  /**
   * Creates the database of a simulation, replacing the one of the simulation before. `sql` breaks a SQLite database.
   * Returns its path or URL.
   */
  create: (sql?: string) => Promise<string>
  openView: (location: string) => DatabaseView
  /** The hub API key of a platform. */
  keyOf: (platform: string) => string
  remove: () => Promise<void>
}

const OPTIONS = { withThreads: false, timeZone: 'UTC', hashReference }

/** Opens a database that `createTemplate` has created. */
export function openSimulated(path: string, clock: Clock): Promise<Storage> {
  // Not as a hub: threads and locks of the operating system are not simulated.
  return openSqlite({ ...OPTIONS, path, clock, asHub: false })
}

/**
 * Registers a platform with all of its modules. Returns its hub key.
 * @param registration how often it has been registered; its address contains this number.
 */
export async function registerSimulated(
  storage: Pick<Storage, 'platforms'>,
  name: string,
  modules: readonly Pick<PlatformModule, 'record_type' | 'keys'>[],
  registration = 1,
): Promise<string> {
  const { key, hash, hint } = createKey(HUB_KEY_PREFIX)
  const platform = newPlatform(name, {
    source_base_url: `http://${registration}.${name}.example`,
    encrypted_source_key: secrets.encrypt(`source key of ${name}`, SOURCE_KEY_PURPOSE),
    hub_key: { key_hash: hash, hint, ciphertext: 'not shown' },
    modules: modules.map(({ record_type, keys }) => ({
      ...manifestModule(record_type, keys),
      registered: true,
    })),
    at: new Date().toISOString(),
  })
  await storage.platforms.registerPlatform(platform, changeLog())
  return key
}

export async function createTemplate(): Promise<Template> {
  const folder = mkdtempSync(join(PARENT, 'recordhub-simulation-'))
  const path = join(folder, 'hub.sqlite')
  const keys = new Map<string, string>()
  const clock = systemClock
  // Only a hub creates the tables.
  await (await openSqlite({ ...OPTIONS, path, clock, asHub: true })).close()
  const storage = await openSimulated(path, clock)
  for (const name of Object.keys(PLATFORMS)) {
    keys.set(name, await registerSimulated(storage, name, PLATFORMS[name] ?? []))
  }
  await storage.close()
  const bytes = readFileSync(path)
  return {
    engine: 'sqlite',
    openView: openDatabaseView,
    async create(sql) {
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
      writeFileSync(path, bytes)
      if (sql !== undefined) execute(path, sql)
      return path
    },
    keyOf: (platform) => keys.get(platform) ?? '',
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

function execute(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}
