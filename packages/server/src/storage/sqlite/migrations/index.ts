import type { Migration } from 'kysely'
import { up as foundation } from './0001-foundation.ts'
import { up as conditionalRequests } from './0002-conditional-requests.ts'
import { up as goneRecords } from './0003-gone-records.ts'
import { up as pullLifecycle } from './0004-pull-lifecycle.ts'
import { up as recordSearch } from './0005-record-search.ts'

/** In the order they are applied. Names and numbers are the same on every engine. */
export const migrations: Record<string, Migration> = {
  '0001-foundation': { up: foundation },
  '0002-conditional-requests': { up: conditionalRequests },
  '0003-gone-records': { up: goneRecords },
  '0004-pull-lifecycle': { up: pullLifecycle },
  '0005-record-search': { up: recordSearch },
}
