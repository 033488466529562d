/** The storage engines that tests run on. */
import { isDeep } from '../time/tier.ts'
import type { StorageEngine } from './engine.ts'
import { postgresEngine } from './postgres.ts'
import { sqliteEngine } from './sqlite.ts'

/** Registers tests of behaviour that depends on the storage, once for each engine. */
export function onEachEngine(register: (engine: StorageEngine) => void): void {
  register(sqliteEngine)
  register(postgresEngine)
}

/**
 * Registers tests of behaviour that does not depend on the engine, such as sign-ins or requests to platforms: on
 * SQLite, and in the deep tier also on PostgreSQL.
 */
export function onEachEngineWhenDeep(register: (engine: StorageEngine) => void): void {
  register(sqliteEngine)
  if (isDeep) register(postgresEngine)
}
