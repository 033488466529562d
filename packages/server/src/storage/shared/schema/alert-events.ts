/** What migration `0002-alert-events` adds on every engine: the events of alerts, and tokens with a scope. */
import { randomUUID } from 'node:crypto'
import type { AlertChange, TokenScope } from '@recordhub/protocol'
import { type Kysely, sql } from 'kysely'
import { createTables, type SchemaDialect } from './create-tables.ts'
import { integer, type TablesOf, table, text } from './define-table.ts'

const newTables = {
  /** At most three rows per alert, deleted with it. They are committed in the order of their ids. */
  alert_events: table(
    {
      alert_event_id: integer().primaryKey(),
      alert_id: integer().references('alerts.alert_id', 'cascade'),
      change: text<AlertChange>(),
      at: text(),
    },
    { indexes: { alert_events_of_alert: { on: 'alert_id' } } },
  ),

  /**
   * One row: the identity of the Atom feed, and the last id allocated for an event. A transaction that adds events updates
   * the row first, so that the next such transaction waits for its end.
   */
  alert_feed: table({
    feed_id: text().primaryKey(),
    created_at: text(),
    last_event_id: integer(),
  }),
}

/** For the types: the column that the migration adds to `api_tokens`. */
type ScopeColumn = { api_tokens: { scope: TokenScope | null } }

export type AlertEventTables = TablesOf<typeof newTables> & ScopeColumn

/** Creates the tables, and the events of the alerts that exist already. */
export async function addAlertEvents(
  database: Kysely<unknown>,
  dialect: SchemaDialect,
): Promise<void> {
  await createTables(database, newTables, dialect)
  const scope = `scope ${dialect.types.text} CHECK (scope IN ('alerts'))`
  await sql.raw(`ALTER TABLE api_tokens ADD COLUMN ${scope}`).execute(database)
  await sql`
    INSERT INTO alert_events (alert_event_id, alert_id, change, at)
    SELECT row_number() OVER (ORDER BY at, alert_id, step), alert_id, change, at FROM (
      SELECT alert_id, 1 AS step, 'raised' AS change, raised_at AS at FROM alerts
      UNION ALL SELECT alert_id, 2, 'acknowledged', acknowledged_at FROM alerts
      UNION ALL SELECT alert_id, 3, 'resolved', resolved_at FROM alerts
    ) AS past WHERE at IS NOT NULL
  `.execute(database)
  await sql`
    INSERT INTO alert_feed (feed_id, created_at, last_event_id)
    SELECT ${randomUUID()}, ${new Date().toISOString()}, count(*) FROM alert_events
  `.execute(database)
}
