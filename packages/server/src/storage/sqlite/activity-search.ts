import { sql } from 'kysely'
import type { ContainsIgnoringCase } from '../shared/activity/activity-store.ts'

/** Only A to Z become small, whatever the machine's language, as on the other engine. */
export const holdsLower: ContainsIgnoringCase = (column, text) =>
  sql<boolean>`instr(lower(${column}), ${text}) > 0`
