import type { Migration } from 'kysely'
import { up as foundation } from './0001-foundation.ts'
import { up as goneRecords } from './0003-gone-records.ts'

/** In the order they are applied. Names and numbers are the same on every engine. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': { up: foundation },
  '0003-gone-records': { up: goneRecords },
}
