/** The storage engines that tests run on. */

import { isDeep } from '../time/tier.ts'
import type { StorageEngine } from './engine.ts'
import { postgresEngine } from './postgres.ts'
import { sqliteEngine } from './sqlite.ts'

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
