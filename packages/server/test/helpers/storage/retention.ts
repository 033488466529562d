/** Rows of all kinds with a retention period, and their deletion. */
import type { RetentionNoun } from '../../../src/domain/activity/retention.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import {
  loggedRequest,
  pushErrorAt,
  pushWrite,
  type StorageContext,
  type TestPlatform,
  testManifest,
  write,
} from './fixtures.ts'
import { missingReview } from './missing.ts'
import { pullOnce } from './pulls.ts'
import { rejection, saveRejected } from './replays.ts'
import { revert } from './reverts.ts'
import { runSql } from './sql.ts'

const AGED_TABLES = {
  activity: { table: 'activity', at: 'at' },
  manifest_changes: { table: 'manifest_changes', at: 'at' },
  history: { table: 'record_history', at: 'at' },
  pulls: { table: 'pulls', at: 'finished_at' },
  reverts: { table: 'reverts', at: 'finished_at' },
  rejected_pushes: { table: 'rejected_pushes', at: 'at' },
  push_errors: { table: 'push_errors', at: "hour || ':59:59.999Z'" },
  requests: { table: 'request_batches', at: 'at' },
  missing_reviews: { table: 'missing_reviews', at: 'closed_at' },
  alerts: { table: 'alerts', at: 'resolved_at' },
  counters: { table: 'hourly_counters', at: "hour || ':59:59.999Z'" },
  audit: { table: 'audit', at: 'at' },
} as const satisfies Record<RetentionNoun, { table: string; at: string }>

let count = 0

/** Inserts a row at the time of the clock. Pulls, reviews and alerts end immediately. */
export async function createRow(
  kit: StorageContext,
  school: TestPlatform,
  noun: RetentionNoun,
): Promise<void> {
  const { storage } = kit
  count += 1
  const line = { level: 'info', kind: 'test.recorded', message: `Recorded ${count}` } as const
  const subject = `row ${count}`
  switch (noun) {
    case 'activity':
      return storage.activity.appendActivity(line)
    case 'audit':
      return storage.activity.appendAudit({
        actor: 'ann',
        action: 'pull.start',
        target: subject,
        address: null,
      })
    case 'manifest_changes': {
      const manifest = { ...testManifest(), platform_description: subject }
      const log = { activity: line, audit: null }
      const fetched = { platform_id: school.platform_id, manifest, at: kit.clock.text }
      return void (await storage.manifests.saveManifest(fetched, () => log))
    }
    case 'history':
      return void (await write(kit, pushWrite(school, { data: `{"a":${count}}` })))
    case 'pulls':
      return pullOnce(kit, school, async () => undefined)
    case 'reverts': {
      const [from, to] = ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z']
      return void (await revert(kit, { platform: school.platform_name, from, to }))
    }
    case 'rejected_pushes':
      return void (await saveRejected(kit, [rejection(school, { body: `{"a":${count}}` })]))
    case 'push_errors':
      return storage.pushErrors.addPushErrors([pushErrorAt(kit.clock.text, count)], [])
    case 'requests':
      return storage.requests.saveRequests([loggedRequest(school, { at: kit.clock.text })], 1e6)
    case 'missing_reviews':
      return pullOnce(kit, school, async (read) => {
        await storage.missing.createReview(missingReview(read), null, line)
        const { review } = await storage.missing.readMissingState(read.read)
        await storage.missing.closeReview(review?.review_id ?? -1, 'resolved', line)
      })
    case 'alerts': {
      const alert = { kind: 'disk_low', subject, platform: null, message: subject } as const
      await storage.alerts.applyAlertChanges({ raise: [alert], resolve: [], reword: [] })
      const open = await storage.alerts.listOpenAlerts()
      const resolve = open.filter((one) => one.subject === subject)
      return storage.alerts.applyAlertChanges({ raise: [], resolve, reword: [] })
    }
    case 'counters':
      return void (await saveRejected(kit, [rejection(school)]))
    default:
      throw new Error(`There are no rows of ${noun satisfies never}`)
  }
}

/** The times of the rows of a kind, oldest first, except of those that have not ended. */
export async function timesOf(storage: Storage, noun: RetentionNoun): Promise<string[]> {
  const { table, at } = AGED_TABLES[noun]
  const rows = await runSql(storage, `SELECT ${at} AS at FROM ${table} WHERE ${at} IS NOT NULL`)
  return rows.map((row) => String(row['at'])).sort()
}

/** Deletes older rows in steps. @returns the number of deleted rows. */
export async function deleteOld(
  storage: Storage,
  noun: RetentionNoun,
  before: string,
  limit = 3,
): Promise<number> {
  let deleted = 0
  let after: number | null = null
  do {
    const step = await storage.retention.deleteOld(noun, { before, limit, after })
    if (step.deleted > limit) throw new Error('A step deleted more rows than its limit')
    deleted += step.deleted
    after = step.next
  } while (after !== null)
  return deleted
}
