import type { Migrations } from '../../shared/schema/migrate.ts'
import { up as initialSchema } from './0001-initial-schema.ts'

/**
 * In the order in which they are applied, with the same numbers and names on every engine. Migrations are
 * append-only: a released one is never changed or removed, since databases have applied it.
 */
export const migrations: Migrations = {
  '0001-initial-schema': { up: initialSchema },
}
