import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Clock } from '../../src/lib/clock.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { hashReference, type StorageEngine } from './storage-engine.ts'

/**
 * In memory where the system has such a folder: the suite is about what is stored, and its thousands
 * of commits would measure the disk.
 */
const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** SQLite in a temporary folder. */
export const sqliteEngine: StorageEngine = {
  name: 'SQLite',
  schedulesSeconds: true,
  open: ({ clock }) => openTemporarySqlite(clock),
}

export async function openTemporarySqlite(clock: Clock) {
  const folder = await mkdtemp(join(PARENT, 'recordhub-contract-'))
  const path = join(folder, 'hub.sqlite')
  const open = () => openSqlite({ path, asHub: true, timeZone: 'UTC', clock, hashReference })
  let storage: Storage = await open()
  return {
    folder,
    path,
    storage,
    async reopen() {
      await storage.close()
      storage = await open()
      return storage
    },
    async close() {
      await storage.close()
      await rm(folder, { recursive: true })
    },
  }
}
