/** A hub with pulled records, which a test makes missing, and their reviews. */
import { type MissingReview, MissingReviewPage, type StoredRecord } from '@recordhub/protocol'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../platform/platform.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { startTestHub, type TestHub, type TestHubOptions } from './hub.ts'
import { expectBody } from './response.ts'

/** Starts a hub and pulls this number of records, from R-0 on, from one module of one platform. */
export async function startHubWithRecords(
  engine: StorageEngine,
  count: number,
  env: Record<string, string> = {},
  options: TestHubOptions = {},
) {
  const hub = await startTestHub(engine, { ...options, env })
  const kit = await addPlatformWithRecords(hub, count)
  return {
    ...kit,
    async [Symbol.asyncDispose]() {
      await kit.platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

/** Adds the platform to a hub without other active platforms, and pulls. Disposing of it deactivates it. */
export async function addPlatformWithRecords(hub: TestHub, count: number) {
  const records = Array.from({ length: count }, (_, number) => simulatedRecord(number))
  const module = simulatedModule('cases', { records })
  const platform = await simulatePlatform({ modules: [module] })
  const registered = await hub.register(platform)
  await hub.pullAll()
  return {
    hub,
    platform,
    records,
    id: registered.id,
    key: registered.hub_api_key,
    setRecords(next: unknown[]) {
      module.records = next
    },
    readRecords: () => hub.records(platform.platform_name),
    /** The reviews of the platform, newest first. */
    async listReviews(query = ''): Promise<MissingReview[]> {
      const response = await hub.get(`/api/v1/missing-reviews${query}`)
      const { missing_reviews } = expectBody(response, 200, MissingReviewPage)
      return missing_reviews.filter((review) => review.platform_name === platform.platform_name)
    },
    [Symbol.asyncDispose]: () => hub.retire(registered, platform),
  }
}

/** The sorted reference numbers of the records that are marked as missing. */
export function missingReferences(records: StoredRecord[]): string[] {
  return records
    .filter((record) => record.missing_since !== null)
    .map((record) => record.reference_number)
    .sort()
}
