import type { ActivityEntry } from '@recordhub/protocol'
import type { Selectable } from 'kysely'
import type { NewActivity, NewAuditEntry } from '../../../domain/activity/activity.ts'
import type { ChangeLog } from '../../port/platform-store.ts'
import type { Executor } from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'

export function toActivityEntry(row: Selectable<Tables['activity']>): ActivityEntry {
  const { activity_id, platform_id: _, details, ...entry } = row
  return { id: activity_id, ...entry, details: JSON.parse(details) }
}

/** @param at RFC 3339 in UTC. */
export async function insertActivity(db: Executor, at: string, entry: NewActivity): Promise<void> {
  await db
    .insertInto('activity')
    .values({
      at,
      level: entry.level,
      kind: entry.kind,
      platform_id: entry.platform?.platform_id ?? null,
      platform_name: entry.platform?.platform_name ?? null,
      record_id: entry.record_id ?? null,
      actor: entry.actor ?? null,
      message: entry.message,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute()
}

export async function insertAudit(db: Executor, at: string, entry: NewAuditEntry): Promise<void> {
  await db
    .insertInto('audit')
    .values({
      at,
      actor: entry.actor,
      action: entry.action,
      target: entry.target,
      address: entry.address,
      details: JSON.stringify(entry.details ?? {}),
    })
    .execute()
}

/** Inserts the activity entry and the audit entry of a change, in the transaction of the change. */
export async function insertLog(
  db: Executor,
  at: string,
  { activity, audit }: ChangeLog,
  platform?: NewActivity['platform'],
): Promise<void> {
  await insertActivity(db, at, platform ? { ...activity, platform } : activity)
  await insertAudit(db, at, audit)
}
