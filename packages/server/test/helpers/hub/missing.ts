/** A platform that drops records, and the questions that a hub asks about them. */
import { type MissingReview, MissingReviewPage, type StoredRecord } from '@recordhub/protocol'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../platform/platform.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { pullAll, recordsOf, registerPlatform } from './actions.ts'
import { startTestHub, type TestHubOptions } from './hub.ts'
import { expectAnswer } from './response.ts'

/** A hub that has pulled so many records, R-0 and on, of the only module of the only platform. */
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
      return expectAnswer(answer, 200, MissingReviewPage).missing_reviews
    },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

/** The references of those that are marked, in their order. */
export function missingOf(records: StoredRecord[]): string[] {
  return records
    .filter((record) => record.missing_since !== null)
    .map((record) => record.reference_number)
    .sort()
}
