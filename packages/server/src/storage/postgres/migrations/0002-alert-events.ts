import type { Kysely } from 'kysely'
import { addAlertEvents } from '../../shared/schema/alert-events.ts'
import { schemaDialect } from './schema-dialect.ts'

export const up = (database: Kysely<unknown>): Promise<void> =>
  addAlertEvents(database, schemaDialect)
