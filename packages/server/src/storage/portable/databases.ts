import type { Kysely, Transaction } from 'kysely'
import type { Clock } from '../../lib/clock.ts'
import type { Tables } from './tables.ts'

/** What a portable repository works with: where it reads, where it writes, and what time it is. */
export type Databases = { reader: Kysely<Tables>; writer: Kysely<Tables>; clock: Clock }

/** The database itself or a transaction on it. */
export type Executor = Kysely<Tables> | Transaction<Tables>

export function nowText(clock: Clock): string {
  return clock.now().toISOString()
}
