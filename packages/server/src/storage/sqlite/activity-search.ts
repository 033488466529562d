import { sql } from 'kysely'
import type { HoldsLower } from '../shared/activity/activity-lists.ts'

/** Only A to Z become small, whatever the machine's language, as on the other engine. */
export const holdsLower: HoldsLower = (column, text) =>
  sql<boolean>`instr(lower(${column}), ${text}) > 0`
