/** A platform whose records become missing, and the missing reviews of the hub. */
import { type MissingReview, MissingReviewPage, type StoredRecord } from '@recordhub/protocol'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../platform/platform.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { pullAll, recordsOf, registerPlatform } from './actions.ts'
import { startTestHub, type TestHubOptions } from './hub.ts'
import { expectBody } from './response.ts'

/** A hub that has pulled this number of records, R-0 and following, from one module of one platform. */
export async function startWithRecords(
  engine: StorageEngine,
  count: number,
  env: Record<string, string> = {},
  options: TestHubOptions = {},
) {
  const hub = await startTestHub(engine, { ...options, env })
  const records = Array.from({ length: count }, (_, number) => simulatedRecord(number))
  const module = simulatedModule('cases', { records })
  const platform = await simulatePlatform({ modules: [module] })
  const registered = await registerPlatform(hub, platform)
  await pullAll(hub)
  return {
    hub,
    platform,
    records,
    id: registered.id,
    key: registered.hub_api_key,
    serve(served: unknown[]) {
      module.records = served
    },
    read: () => recordsOf(hub, platform.platform_name),
    async reviews(query = ''): Promise<MissingReview[]> {
      const answer = await hub.get(`/api/v1/missing-reviews${query}`)
      return expectBody(answer, 200, MissingReviewPage).missing_reviews
    },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

/** The sorted reference numbers of the marked records. */
export function missingOf(records: StoredRecord[]): string[] {
  return records
    .filter((record) => record.missing_since !== null)
    .map((record) => record.reference_number)
    .sort()
}
