/** The database with which each simulation begins: two registered platforms without records. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKey, HUB_KEY_PREFIX, SOURCE_KEY_PURPOSE } from '../../src/domain/platform/api-key.ts'
import { sha256 } from '../../src/lib/crypto/hash.ts'
import { systemClock } from '../../src/lib/time/clock.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { hashReference } from '../helpers/storage/engine.ts'
import { changeLog, newPlatform } from '../helpers/storage/fixtures.ts'
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
  clinic: [{ record_type: 'patients', keys: ['a', 'b'], size: 18 }],
}

export type Template = {
  /** Creates the database in its folder, replacing the one of the simulation before. Returns its path. */
  create: () => string
  /** The hub API key of a platform. */
  keyOf: (platform: string) => string
  remove: () => void
}

const OPTIONS = { withThreads: false, timeZone: 'UTC', clock: systemClock, hashReference }

/** Opens a database that `createTemplate` has created. */
export function openSimulated(path: string): Promise<Storage> {
  // Not as a hub: threads and locks of the operating system are not simulated.
  return openSqlite({ ...OPTIONS, path, asHub: false })
}

export async function createTemplate(): Promise<Template> {
  const folder = mkdtempSync(join(PARENT, 'recordhub-simulation-'))
  const path = join(folder, 'hub.sqlite')
  const keys = new Map<string, string>()
  // Only a hub creates the tables.
  await (await openSqlite({ ...OPTIONS, path, asHub: true })).close()
  const storage = await openSimulated(path)
  for (const [name, modules] of Object.entries(PLATFORMS)) {
    const { key } = createKey(HUB_KEY_PREFIX)
    keys.set(name, key)
    const platform = newPlatform(name, {
      source_base_url: `http://${name}.example`,
      encrypted_source_key: secrets.encrypt(`source key of ${name}`, SOURCE_KEY_PURPOSE),
      hub_key: { key_hash: sha256(key), hint: 'rhk_…', ciphertext: 'not shown' },
      modules: modules.map(({ record_type, keys: fields }) => ({
        ...manifestModule(record_type, fields),
        registered: true,
      })),
    })
    await storage.platforms.registerPlatform(platform, changeLog())
  }
  await storage.close()
  const bytes = readFileSync(path)
  return {
    create() {
      for (const end of ['-wal', '-shm']) rmSync(`${path}${end}`, { force: true })
      writeFileSync(path, bytes)
      return path
    },
    keyOf: (platform) => keys.get(platform) ?? '',
    remove: () => rmSync(folder, { recursive: true }),
  }
}
