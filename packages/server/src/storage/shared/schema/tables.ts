import { activityTables } from './activity-tables.ts'
import type { TablesOf } from './define-table.ts'
import { operatorTables } from './operator-tables.ts'
import { platformTables } from './platform-tables.ts'
import { pullTables } from './pull-tables.ts'
import { recordTables } from './record-tables.ts'
import { revertTables } from './revert-tables.ts'

/**
 * The description from which migration `0001-initial-schema` creates the tables on every engine. It is frozen once
 * a version is released: a change of the schema is a new migration.
 */
export const initialSchema = {
  ...platformTables,
  ...recordTables,
  ...revertTables,
  ...pullTables,
  ...activityTables,
  ...operatorTables,
}

/**
 * The types of the tables in Kysely, with the same names and columns on every engine. A migration that adds tables or
 * columns describes them with `define-table.ts` and adds `TablesOf<typeof …>` here by intersection.
 */
export type Tables = TablesOf<typeof initialSchema>

/**
 * The tables of the shared description, in an order in which each exists before another one references it. A migration
 * that adds tables adds their names here, because backups on PostgreSQL contain these tables.
 */
export const TABLE_NAMES: readonly string[] = Object.keys(initialSchema)

/** The tables whose rows backups leave out: the request log, which has the last day only and may be large. */
export const NOT_BACKED_UP: readonly string[] = ['request_batches', 'request_details']
