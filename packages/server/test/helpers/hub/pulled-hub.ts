/** A hub with one platform that has one module, `cases`, for tests of pulls. */
import type { Pull, PullTask, RejectedPush, StoredRecord } from '@recordhub/protocol'
import type { RegisteredPlatform } from '../operator.ts'
import { type SimulatedPlatform, simulatePlatform } from '../platform/platform.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { only } from '../storage/fixtures.ts'
import { startTestHub, type TestHub, type TestHubOptions } from './hub.ts'

export type PulledHub = {
  hub: TestHub
  platform: SimulatedPlatform
  registered: RegisteredPlatform
  /** Runs a pull and returns its only task. */
  pull: (body?: { mode: 'full' }) => Promise<PullTask & { pull: Pull }>
  records: () => Promise<StoredRecord[]>
  /** The reference numbers of the records, oldest first. */
  references: () => Promise<string[]>
  rejected: () => Promise<RejectedPush[]>
  [Symbol.asyncDispose]: () => Promise<void>
}

/** Starts a hub with the platform. */
export async function startPulledHub(
  engine: StorageEngine,
  options: TestHubOptions & { source_api_key?: string } = {},
): Promise<PulledHub> {
  const hub = await startTestHub(engine, options)
  const kit = await addPulledPlatform(hub, options)
  return {
    ...kit,
    async [Symbol.asyncDispose]() {
      await kit.platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

/** Adds the platform to a hub without other active platforms. Disposing of it deactivates it. */
export async function addPulledPlatform(
  hub: TestHub,
  options: { source_api_key?: string } = {},
): Promise<PulledHub> {
  const platform = await simulatePlatform(options)
  const registered = await hub.register(platform)
  const records = () => hub.records(platform.platform_name)
  return {
    hub,
    platform,
    registered,
    async pull(body) {
      const { pull, tasks } = await hub.pullAll(body)
      return { ...only(tasks), pull }
    },
    records,
    references: async () => (await records()).map((record) => record.reference_number),
    rejected: () => hub.rejected(platform.platform_name),
    [Symbol.asyncDispose]: () => hub.retire(registered, platform),
  }
}
