/** Rows that grow old, for tests of what is kept how long. */
import type { RetentionNoun } from '../../src/domain/retention.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import type { StorageKit } from './storage-engine.ts'
import { pushWrite, type TestPlatform, write } from './storage-fixtures.ts'
import { question } from './storage-missing.ts'
import { pullOnce } from './storage-pulls.ts'
import { runSql } from './storage-sql.ts'

export const AGED_TABLES = {
  activity: { table: 'activity', at: 'at' },
  history: { table: 'record_history', at: 'at' },
  pulls: { table: 'pulls', at: 'finished_at' },
  rejected_pushes: { table: 'rejected_pushes', at: 'at' },
  missing_reviews: { table: 'missing_reviews', at: 'closed_at' },
  alerts: { table: 'alerts', at: 'resolved_at' },
  audit: { table: 'audit', at: 'at' },
} as const satisfies Record<RetentionNoun, { table: string; at: string }>

let count = 0

/** One more row of a kind, as old as the clock says. Pulls, questions and alerts end at once. */
export async function makeRow(
  kit: StorageKit,
  school: TestPlatform,
  noun: RetentionNoun,
): Promise<void> {
  const { storage } = kit
  count += 1
  const line = { level: 'info', kind: 'test.noted', message: `Noted ${count}` } as const
  const subject = `row ${count}`
  switch (noun) {
    case 'activity':
      return storage.activity.appendActivity(line)
    case 'audit':
      return storage.activity.appendAudit({
        actor: 'ann',
        action: subject,
        target: null,
        address: null,
      })
    case 'history':
      return void (await write(kit, pushWrite(school, { data: `{"a":${count}}` })))
    case 'pulls':
      return pullOnce(kit, school, async () => undefined)
    case 'rejected_pushes':
      return refuse(kit, school, `{"a":${count}}`)
    case 'missing_reviews':
      return pullOnce(kit, school, async (read) => {
        await storage.missing.askForReview(question(read), null, line)
        const { review } = await storage.missing.readMissingState(read.read)
        await storage.missing.closeReview(review?.review_id ?? -1, 'settled', line)
      })
    case 'alerts': {
      const alert = { kind: 'disk_low', subject, platform: null, message: subject } as const
      await storage.alerts.settleAlerts({ raise: [alert], resolve: [], reword: [] })
      const open = await storage.alerts.listOpenAlerts()
      const resolve = open.filter((one) => one.subject === subject)
      return storage.alerts.settleAlerts({ raise: [], resolve, reword: [] })
    }
    default:
      throw new Error(`There are no rows of ${noun satisfies never}`)
  }
}

function refuse(
  { storage, clock }: StorageKit,
  { platform_id }: TestPlatform,
  body: string,
): Promise<void> {
  const push = {
    platform_id,
    method: 'POST',
    code: 'invalid_record',
    message: 'No',
    errors: {},
    body,
    pull_id: null,
    activity: null,
  } as const
  const when = { at: clock.text, day: clock.day, quotaBytes: 50 * 1024 * 1024 }
  return storage.rejectedPushes.keepRejectedPushes([push], when)
}

/** When the rows of a kind were made, the oldest first; what has not ended is not among them. */
export async function agesOf(storage: Storage, noun: RetentionNoun): Promise<string[]> {
  const { table, at } = AGED_TABLES[noun]
  const rows = await runSql(storage, `SELECT ${at} AS at FROM ${table} WHERE ${at} IS NOT NULL`)
  return rows.map((row) => String(row['at'])).sort()
}

/** Drops step by step what is older, and tells how many there were. */
export async function dropOld(
  storage: Storage,
  noun: RetentionNoun,
  before: string,
  limit = 3,
): Promise<number> {
  let dropped = 0
  let after: number | null = null
  do {
    const step = await storage.retention.dropOld(noun, { before, limit, after })
    if (step.dropped > limit) throw new Error('A step drops more than it may')
    dropped += step.dropped
    after = step.next
  } while (after !== null)
  return dropped
}
