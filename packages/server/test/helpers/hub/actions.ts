/** The methods of test hubs as functions, for the folders that still use these. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { PlatformOptions, SimulatedPlatform } from '../platform/platform.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { startTestHub, type TestHub, type TestHubOptions } from './hub.ts'

export type { RegisteredPlatform } from '../operator.ts'
export { type CreatedPlatform, newRecord, pushHeaders } from './platform-requests.ts'

/** A hub that the tests of a `describe` share. */
export function shareHub(engine: StorageEngine, options: TestHubOptions = {}): () => TestHub {
  let hub: TestHub | null = null
  before(async () => {
    hub = await startTestHub(engine, options)
  })
  after(async () => hub?.[Symbol.asyncDispose]())
  return () => {
    assert.ok(hub)
    return hub
  }
}

type Overrides = Record<string, unknown>
type Method = 'POST' | 'PATCH'

export const signIn = (hub: TestHub) => hub.signIn()
export const registerPlatform = (hub: TestHub, platform: SimulatedPlatform, data?: Overrides) =>
  hub.register(platform, data)
export const registerPushingPlatform = (hub: TestHub, options?: PlatformOptions) =>
  hub.registerPushing(options)
export const createPlatform = (hub: TestHub, options?: Parameters<TestHub['createPlatform']>[0]) =>
  hub.createPlatform(options)
export const push = (hub: TestHub, key: string, body: unknown, method?: Method) =>
  hub.push(key, body, method)
export const recordsOf = (hub: TestHub, platform: string) => hub.records(platform)
export const rejectedOf = (hub: TestHub, platform: string) => hub.rejected(platform)
export const activityOf = (hub: TestHub) => hub.activity()
export const startPull = (hub: TestHub) => hub.startPull()
export const untilPullEnds = (hub: TestHub, id: number) => hub.untilPullEnds(id)
export const pullAll = (hub: TestHub) => hub.pullAll()
