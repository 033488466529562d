/** Groups of tests, once for each engine: of tests that share a hub, and of tests that start their own. */
import { after, before, describe } from 'node:test'
import type { StorageEngine } from '../storage/engine.ts'
import { onEachEngine, onEachEngineWhenDeep } from '../storage/engines.ts'
import { defineTestHub, type TestHub, type TestHubOptions } from './hub.ts'

export type EngineOptions = {
  /** `both` for behaviour that depends on the storage. By default SQLite, and in the deep tier also PostgreSQL. */
  engines?: 'both'
}
export type SuiteOptions = EngineOptions & TestHubOptions

type HubTests = (hub: TestHub, engine: StorageEngine) => void
type EngineTests = (engine: StorageEngine) => void

/** Registers tests that share a hub and do not affect each other. The hub runs when the first of them starts. */
export function describeHub(title: string, ...args: [HubTests] | [SuiteOptions, HubTests]): void {
  const [{ engines, ...options }, register]: [SuiteOptions, HubTests] =
    args.length === 1 ? [{}, args[0]] : args
  const onEngines = engines === 'both' ? onEachEngine : onEachEngineWhenDeep
  onEngines((engine) => {
    describe(`${title}, on ${engine.name}`, () => {
      register(shareHub(engine, options), engine)
    })
  })
}

/** Registers tests that start hubs of their own. */
export function describeOnEngines(
  title: string,
  ...args: [EngineTests] | [EngineOptions, EngineTests]
): void {
  const [{ engines }, register]: [EngineOptions, EngineTests] =
    args.length === 1 ? [{}, args[0]] : args
  const onEngines = engines === 'both' ? onEachEngine : onEachEngineWhenDeep
  onEngines((engine) => describe(`${title}, on ${engine.name}`, () => register(engine)))
}

/** A hub that the tests of a `describe` share. It runs when the first of them starts. */
export function shareHub(engine: StorageEngine, options: TestHubOptions = {}): TestHub {
  const { hub, start } = defineTestHub(engine, options)
  before(start)
  after(() => hub[Symbol.asyncDispose]())
  return hub
}
