import { CONTINUOUS_ALERTS } from '../hub/alerts.ts'
import { startTestHub } from '../hub/hub.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../platform/platform.ts'
import { sqliteEngine } from '../storage/sqlite.ts'

/**
 * A hub whose platform no longer lists 30 of 40 records of one module, but all records of the other. Its only alert is
 * that of the review: the disk of the machine causes none, and the returned hub no longer evaluates alerts.
 */
export async function startHubWithReview() {
  const hub = await startTestHub(sqliteEngine, {
    withOperator: true,
    intervals: CONTINUOUS_ALERTS,
    wrap: (storage) => ({ ...storage, readDiskSpace: async () => null }),
  })
  const records = Array.from({ length: 40 }, (_, number) => simulatedRecord(number))
  const cases = simulatedModule('cases', { records })
  const staff = simulatedModule('staff', { records: [simulatedRecord('a')] })
  const platform = await simulatePlatform({ modules: [cases, staff] })
  const { hub_api_key: key, id } = await hub.register(platform)
  await hub.pullAll()
  cases.records = records.slice(0, 10)
  await hub.pullAll()
  await hub.untilAlertsOpen('missing_review')
  await hub.restart({ withOperator: true, intervals: { pushErrors: 1 } })
  return {
    ...{ hub, key, id, records },
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}
