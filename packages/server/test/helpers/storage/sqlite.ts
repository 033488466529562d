/** SQLite in tests: each storage is a copy of a migrated file in a temporary folder. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { memoizeAsync } from '../../../src/lib/concurrency/memoize-async.ts'
import { type Clock, systemClock } from '../../../src/lib/time/clock.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { openDiagnostics } from '../../../src/storage/sqlite/diagnostics.ts'
import { openSqlite, type SqliteOptions } from '../../../src/storage/sqlite/storage.ts'
import { hashReference, type StorageEngine } from './engine.ts'

/** In memory if the system has such a folder, because thousands of commits of the tests would wait for the disk. */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

export const sqliteEngine: StorageEngine = {
  name: 'SQLite',
  open: ({ clock, ...options }) => openTemporarySqlite(clock, options),
}

export async function openTemporarySqlite<SomeClock extends Clock>(
  clock: SomeClock,
  options: Pick<SqliteOptions, 'withThreads' | 'warn'> = {},
) {
  const folder = await mkdtemp(join(PARENT, 'recordhub-contract-'))
  const path = join(folder, 'hub.sqlite')
  await writeFile(path, await migratedFile())
  const settings = { path, asHub: true, timeZone: 'UTC', clock, hashReference, ...options }
  const open = () => openSqlite(settings)
  const context = { storage: await open(), clock }
  const close = async () => {
    await context.storage.close()
    await rm(folder, { recursive: true })
  }
  return Object.assign(context, {
    folder,
    path,
    async reopen(): Promise<Storage> {
      await context.storage.close()
      context.storage = await open()
      return context.storage
    },
    openDiagnostics: async () => openDiagnostics(path),
    close,
    [Symbol.asyncDispose]: close,
  })
}

/** The bytes of a migrated, empty database. Migrating a database takes ten times as long as writing a copy. */
export const migratedFile = memoizeAsync(async () => {
  const folder = await mkdtemp(join(PARENT, 'recordhub-template-'))
  const path = join(folder, 'hub.sqlite')
  const clock = systemClock
  const options = { path, asHub: true, timeZone: 'UTC', clock, hashReference, withThreads: false }
  const storage = await openSqlite(options)
  await storage.close()
  const bytes = await readFile(path)
  await rm(folder, { recursive: true })
  return bytes
})

/** Leaves a file as a power failure during its creation does: with a journal that has to be rolled back. */
export function interruptCreation(path: string): void {
  const folder = mkdtempSync(join(PARENT, 'recordhub-interrupted-'))
  const original = join(folder, 'file')
  using database = new DatabaseSync(original)
  // The cache is too small for the transaction, so some of its pages are in the file already.
  database.exec('PRAGMA cache_size = 1; CREATE TABLE t (x); BEGIN')
  database.exec(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 100)
    INSERT INTO t SELECT zeroblob(3000) FROM numbers`)
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  for (const suffix of ['', '-journal']) copyFileSync(original + suffix, path + suffix)
  rmSync(folder, { recursive: true })
}
