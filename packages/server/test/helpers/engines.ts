/** The storage engines that tests run on. */
import type { StorageEngine } from './storage-engine.ts'
import { postgresEngine } from './storage-postgres.ts'
import { sqliteEngine } from './storage-sqlite.ts'
import { isDeep } from './tier.ts'

/** Registers tests of what storage decides: once for each engine. */
export function onEachEngine(register: (engine: StorageEngine) => void): void {
  register(sqliteEngine)
  register(postgresEngine)
}

/**
 * Registers tests of what does not depend on the engine, such as sign-in or how platforms are called: on SQLite,
 * and in the deep tier on PostgreSQL too. What storage does below them is proved in `test/contract` on both.
 */
export function onEachEngineWhenDeep(register: (engine: StorageEngine) => void): void {
  register(sqliteEngine)
  if (isDeep) register(postgresEngine)
}
