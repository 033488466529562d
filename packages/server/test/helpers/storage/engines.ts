/** The storage engines that tests run on. */
import { registerTest } from '../register-test.ts'
import { isDeep } from '../time/tier.ts'
import type { StorageEngine } from './engine.ts'
import { type KitOptions, type TestKit, withStorage } from './kit.ts'
import { postgresEngine } from './postgres.ts'
import { sqliteEngine } from './sqlite.ts'

export type TestOptions = KitOptions & {
  /** Both by default. */
  engines?: StorageEngine[]
}

/** Creates a function that registers a test with an empty storage, once for each engine. */
export function createTest({
  engines = [sqliteEngine, postgresEngine],
  ...options
}: TestOptions = {}) {
  return (name: string, body: (kit: TestKit) => Promise<void>): void => {
    for (const engine of engines) {
      registerTest(`${name}, on ${engine.name}`, {}, withStorage(engine, body, options))
    }
  }
}

/** Registers a test with an empty storage, once for each engine. */
export const test = createTest()

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
