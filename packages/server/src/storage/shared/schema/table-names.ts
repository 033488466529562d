import { initialSchema } from './tables.ts'

/**
 * The tables of the shared description, in an order in which each exists before another one references it. A migration
 * that adds tables adds their names here, because backups on PostgreSQL contain these tables.
 */
export const TABLE_NAMES: readonly string[] = Object.keys(initialSchema)

/** The tables whose rows backups leave out: the request log, which has the last day only and may be large. */
export const NOT_BACKED_UP: readonly string[] = ['requests', 'request_details']
