import type { Alert, AlertChange } from '@recordhub/protocol'
import type { Selectable } from 'kysely'
import { ADVICE, type OpenAlert } from '../../../domain/alerts/alert.ts'
import type { AlertEventStore, StoredAlertEvent } from '../../port/alert-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import type { Tables } from '../schema/tables.ts'

export function createAlertEventStore({ reader }: Pick<Databases, 'reader'>): AlertEventStore {
  const selectEvents = () =>
    reader
      .selectFrom('alert_events')
      .innerJoin('alerts', 'alerts.alert_id', 'alert_events.alert_id')
      .selectAll('alerts')
      .select(['alert_event_id', 'change', 'at'])

  const readFeed = () => reader.selectFrom('alert_feed').selectAll().executeTakeFirstOrThrow()

  return {
    readLastAlertEventId: async () => (await readFeed()).last_event_id,

    async listAlertEvents({ after, limit }) {
      // Read first: events up to this id are committed, so the list below contains them.
      const { last_event_id } = await readFeed()
      if (after > last_event_id) return { outcome: 'beyond' }
      const rows = await selectEvents()
        .where('alert_event_id', '>', after)
        .orderBy('alert_event_id')
        .limit(limit)
        .execute()
      const lastRead = rows.at(-1)?.alert_event_id ?? after
      const through = rows.length === limit ? lastRead : Math.max(lastRead, last_event_id)
      return { outcome: 'listed', events: rows.map(toEvent), through }
    },

    async readAlertFeed(limit) {
      const { feed_id, created_at } = await readFeed()
      const rows = await selectEvents().orderBy('alert_event_id', 'desc').limit(limit).execute()
      return { feed_id, created_at, events: rows.map(toEvent) }
    },
  }
}

/**
 * Allocates ids for events of this transaction, which may leave some unused. Must be its first statement: the row is
 * locked until the transaction ends, so that events are committed in the order of their ids.
 * @returns the first id.
 */
export async function allocateEventIds(db: Executor, count: number): Promise<number> {
  const { last_event_id } = await db
    .updateTable('alert_feed')
    .set((eb) => ({ last_event_id: eb('last_event_id', '+', count) }))
    .returning('last_event_id')
    .executeTakeFirstOrThrow()
  return last_event_id - count + 1
}

export async function insertAlertEvent(
  db: Executor,
  event: { alert_event_id: number; alert_id: number; change: AlertChange; at: string },
): Promise<void> {
  await db.insertInto('alert_events').values(event).execute()
}

type EventRow = Selectable<Tables['alerts']> &
  Pick<Selectable<Tables['alert_events']>, 'alert_event_id' | 'change' | 'at'>

function toEvent({ alert_event_id, change, at, ...alert }: EventRow): StoredAlertEvent {
  return { alert_event_id, change, at, alert: toAlert(alert) }
}

export function toAlert(row: Selectable<Tables['alerts']>): Alert {
  return {
    id: row.alert_id,
    kind: row.kind,
    platform_name: row.platform_name,
    missing_review_id: row.kind === 'missing_review' ? Number(row.subject) : null,
    message: row.message,
    advice: ADVICE[row.kind],
    raised_at: row.raised_at,
    resolved_at: row.resolved_at,
    acknowledged_at: row.acknowledged_at,
    acknowledged_by: row.acknowledged_by,
    mailed_at: row.raise_mailed_at,
  }
}

export function toOpenAlert(row: Selectable<Tables['alerts']>): OpenAlert {
  const { alert_id, kind, subject, platform_id, platform_name, message, raised_at } = row
  const platform =
    platform_id === null || platform_name === null ? null : { platform_id, platform_name }
  return { alert_id, kind, subject, platform, message, raised_at }
}
