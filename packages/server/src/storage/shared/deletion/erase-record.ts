/** Erases a record, in an order that can be broken off anywhere: the tombstone first, the record last. */
import { type RawBuilder, sql } from 'kysely'
import { type HashReference, pseudonymOf } from '../../../domain/record/erasure.ts'
import type { ErasureStore } from '../../port/erasure-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { addToModule, invalidateCachedResponse } from '../records/module-counts.ts'
import {
  type Contains,
  findLines,
  findNamed,
  findRefused,
  type NamedRecord,
} from '../records/record-traces.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { dropHistoryOf } from './delete-history.ts'
import { dropRejected } from './delete-rejected-pushes.ts'
import { owePurge, type PayPurge } from './purge.ts'

/** What an engine does its own way. */
export type ErasingParts = {
  hashReference: HashReference
  contains: Contains
  /** The next numbers of the write sequence, rising. */
  nextNumbers: (db: Executor, count: number) => Promise<number[]>
  /** Sets what an engine keeps beside `data`; begins with a comma where there is any. */
  blankCopy: RawBuilder<unknown>
  /** Takes a record's text from the index of texts; within a transaction that holds the search index. */
  dropText: (db: Executor, record: { platform_id: number; record_id: number }) => Promise<void>
  /** Has deleted bytes leave the database's files. */
  purge: () => Promise<void>
}

/** Deleted in one transaction: pushes wait for no more than this. */
const STEP = 500
const SILENT = 'This line was about a record that has been erased since.'

type Order = Parameters<ErasureStore['eraseRecord']>[0]
type Placed = { tombstone_id: number; reference_hash: string }

export function createEraseRecord(
  databases: Databases,
  parts: ErasingParts,
  { node, payPurge }: { node: string; payPurge: PayPurge },
): ErasureStore['eraseRecord'] {
  const { reader, writer, clock, acquireLock } = databases

  /** Null where the record is gone meanwhile. */
  function placeTombstone(record: NamedRecord, { mode, actor }: Order): Promise<Placed | null> {
    return writer.transaction().execute(async (db) => {
      await acquireLock(db, 'write authorization')
      await acquireLock(db, 'rejected pushes')
      const current = await findNamed(db, record.record_id)
      if (current?.reference_number !== record.reference_number) return null
      const at = nowText(clock)
      // There is one already where this was begun before, or the record was anonymised.
      const known = await db
        .updateTable('tombstones')
        .set({ mode, at, actor })
        .where('record_id', '=', record.record_id)
        .returning(['tombstone_id', 'reference_hash'])
        .executeTakeFirst()
      if (known) return known
      const { platform_name, record_type, record_id } = record
      const reference_hash = parts.hashReference(record)
      return db
        .insertInto('tombstones')
        .values({ reference_hash, platform_name, record_type, mode, record_id, at, actor })
        .returning(['tombstone_id', 'reference_hash'])
        .executeTakeFirstOrThrow()
    })
  }

  async function dropRefused(record: NamedRecord): Promise<number> {
    let dropped = 0
    for await (const ids of findRefused(reader, record, parts.contains)) {
      await writer.transaction().execute(async (db) => {
        await acquireLock(db, 'rejected pushes')
        await dropRejected(db, record.platform_id, ids)
      })
      dropped += ids.length
    }
    return dropped
  }

  async function silenceLines(record: NamedRecord): Promise<number> {
    let silenced = 0
    for await (const ids of findLines(reader, record, parts.contains)) {
      for (let at = 0; at < ids.length; at += STEP) {
        const step = ids.slice(at, at + STEP)
        await writer
          .updateTable('activity')
          .set({ message: SILENT, details: '{}' })
          .where('activity_id', 'in', step)
          .execute()
        silenced += step.length
      }
    }
    return silenced
  }

  async function dropHistory({ platform_id, record_id }: NamedRecord): Promise<number> {
    const step = { platform_id, ids: [record_id], limit: STEP }
    for (let all = 0; ; ) {
      const dropped = await writer.transaction().execute((db) => dropHistoryOf(db, step))
      if (dropped === 0) return all
      all += dropped
    }
  }

  /** @returns whether it was there still. */
  function takeRecord(
    record: NamedRecord,
    mode: Order['mode'],
    referenceHash: string,
    log: Parameters<ErasureStore['eraseRecord']>[1],
  ): Promise<boolean> {
    return writer.transaction().execute(async (db) => {
      // So that whoever places a tombstone sees whether the record is still there.
      await acquireLock(db, 'write authorization')
      const at = nowText(clock)
      const { record_id, platform_id, module_id, platform_name, record_type } = record
      const [change_seq = 0] = await parts.nextNumbers(db, 1)
      if (mode === 'anonymise') {
        const pseudonym = pseudonymOf(record_id, referenceHash)
        const { numAffectedRows = 0n } = await sql`
          UPDATE records SET reference_number = ${pseudonym}, full_name = '', data = '{}',
            source_hash = NULL, field_clocks = NULL, change_seq = ${change_seq},
            updated_at = ${at}${parts.blankCopy}
          WHERE record_id = ${record_id}`.execute(db)
        if (numAffectedRows === 0n) return false
        await leaveIndexes(db, record)
      } else {
        const gone = await db
          .deleteFrom('records')
          .where('record_id', '=', record_id)
          .executeTakeFirst()
        if (gone.numDeletedRows === 0n) return false
        const deletion = { record_id, platform_id, module_id, platform_name, record_type }
        await db
          .insertInto('record_deletions')
          .values({ change_seq, ...deletion, at })
          .execute()
        await addToModule(db, record, { records: -1 }, node)
      }
      // Another one may have asked for the other way meanwhile.
      await db.updateTable('tombstones').set({ mode }).where('record_id', '=', record_id).execute()
      await invalidateCachedResponse(db, record, node)
      await owePurge(db, change_seq)
      await insertLog(db, at, log)
      return true
    })
  }

  /** Where a record is deleted, a trigger does that; what is left of this one is indexed again. */
  async function leaveIndexes(db: Executor, record: NamedRecord): Promise<void> {
    // After the record's own lock, as in the trigger.
    await acquireLock(db, 'search index')
    await parts.dropText(db, record)
    const fields = db
      .selectFrom('indexed_fields')
      .select('field_id')
      .where('module_id', '=', record.module_id)
    await db
      .deleteFrom('record_index')
      .where('platform_id', '=', record.platform_id)
      .where('record_id', '=', record.record_id)
      .where('field_id', 'in', fields)
      .execute()
  }

  return async (order, log) => {
    const { record_id, mode } = order
    const record = await findNamed(reader, record_id)
    const placed = record && (await placeTombstone(record, order))
    if (!placed) return null
    const rejected_pushes = await dropRefused(record)
    const activity_lines = await silenceLines(record)
    const history_entries = await dropHistory(record)
    if (!(await takeRecord(record, mode, placed.reference_hash, log))) return null
    await payPurge()
    const { tombstone_id } = placed
    return { record_id, mode, tombstone_id, history_entries, rejected_pushes, activity_lines }
  }
}
