/**
 * Erases and anonymises records. An erasure has these steps, in this order, so that repeating an interrupted erasure
 * completes it:
 *
 * 1. Save a tombstone. From its commit on, no write of the record and no rejected push that names it is stored.
 * 2. Delete everything else that names the record: rejected pushes, logged requests, the details of activity entries, history. Each
 *    transaction is small, since pushes wait for it.
 * 3. Delete or anonymise the record, together with its counters, the number of the change, and the log entry. The
 *    record comes last because step 2 needs its reference.
 * 4. Purge the deleted bytes from the files of the database.
 */
import { sql } from 'kysely'
import { type HashReference, pseudonymOf } from '../../../domain/record/erasure.ts'
import type { ErasureStore } from '../../port/deletion-store.ts'
import type { ChangeLog } from '../../port/platform-store.ts'
import { insertLog } from '../activity/activity-rows.ts'
import { deleteRequests } from '../activity/request-store.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import { addToModule, invalidateCachedResponse } from '../records/module-counts.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import {
  deleteHistory,
  deleteRejectedPushes,
  type RunPendingPurge,
  schedulePurge,
} from './delete-rows.ts'
import {
  type Contains,
  findActivityEntries,
  findNamedRecord,
  findRejectedPushes,
  findRequests,
  type NamedRecord,
} from './record-mentions.ts'

/** The functions of erasure that differ between engines. */
export type ErasureDialect = {
  hashReference: HashReference
  contains: Contains
  /** Allocates the next numbers of the write sequence, in ascending order. */
  allocateSequence: (db: Executor, count: number) => Promise<number[]>
  /** Deletes a record from the text index, unless `purge` does that. */
  deleteText: (db: Executor, record: { platform_id: number; record_id: number }) => Promise<void>
  /** Removes deleted bytes from the files of the database and of the text index. */
  purge: () => Promise<void>
}

/** Maximum number of rows deleted in one transaction. */
const STEP = 500
export const REDACTED = 'This line was about a record that has since been erased.'

type Request = Parameters<ErasureStore['eraseRecord']>[0]

export function createErasureStore(
  databases: Databases,
  dialect: ErasureDialect,
  { node, runPendingPurge }: { node: string; runPendingPurge: RunPendingPurge },
): Omit<ErasureStore, 'importTombstones'> {
  const { reader, writer, clock, acquireLock } = databases

  /** Step 1. Returns null if the record has been deleted or renamed since it was read. */
  function saveTombstone(record: NamedRecord, { mode, actor }: Request) {
    return writer.transaction().execute(async (db) => {
      await acquireLock(db, 'write authorization')
      await acquireLock(db, 'rejected pushes')
      // A request of the record that is being saved is found in step 2; a later one finds the tombstone.
      await acquireLock(db, 'request log')
      const current = await findNamedRecord(db, record.record_id)
      if (current?.reference_number !== record.reference_number) return null
      const at = nowText(clock)
      // An interrupted erasure or an anonymisation has already saved a tombstone.
      const existing = await db
        .updateTable('tombstones')
        .set({ mode, at, actor })
        .where('record_id', '=', record.record_id)
        .returning(['tombstone_id', 'reference_hash'])
        .executeTakeFirst()
      if (existing) return existing
      const { first_name: platform_name, record_type, record_id } = record
      const reference_hash = dialect.hashReference(record)
      return db
        .insertInto('tombstones')
        .values({ reference_hash, platform_name, record_type, mode, record_id, at, actor })
        .returning(['tombstone_id', 'reference_hash'])
        .executeTakeFirstOrThrow()
    })
  }

  async function deleteNamedPushes(record: NamedRecord): Promise<number> {
    let deleted = 0
    for await (const ids of findRejectedPushes(reader, record, dialect.contains)) {
      await writer.transaction().execute(async (db) => {
        await acquireLock(db, 'rejected pushes')
        await deleteRejectedPushes(db, record.platform_id, ids)
      })
      deleted += ids.length
    }
    return deleted
  }

  async function deleteNamedRequests(record: NamedRecord): Promise<number> {
    let deleted = 0
    for await (const ids of findRequests(reader, record, dialect.contains)) {
      await writer.transaction().execute((db) => deleteRequests(db, ids))
      deleted += ids.length
    }
    return deleted
  }

  async function scrubActivity(record: NamedRecord): Promise<number> {
    let redacted = 0
    for await (const ids of findActivityEntries(reader, record, dialect.contains)) {
      for (let start = 0; start < ids.length; start += STEP) {
        const step = ids.slice(start, start + STEP)
        await writer
          .updateTable('activity')
          .set({ message: REDACTED, details: '{}' })
          .where('activity_id', 'in', step)
          .execute()
        redacted += step.length
      }
    }
    return redacted
  }

  async function deleteWholeHistory({ platform_id, record_id }: NamedRecord): Promise<number> {
    const step = { platform_id, ids: [record_id], limit: STEP }
    for (let total = 0; ; ) {
      const deleted = await writer.transaction().execute((db) => deleteHistory(db, step))
      if (deleted === 0) return total
      total += deleted
    }
  }

  /** Step 3. Returns whether the record still existed. */
  function eraseRow(
    record: NamedRecord,
    { mode, referenceHash }: { mode: Request['mode']; referenceHash: string },
    log: ChangeLog,
  ): Promise<boolean> {
    return writer.transaction().execute(async (db) => {
      // With this lock, a concurrent erasure that saves a tombstone sees whether the record still exists.
      await acquireLock(db, 'write authorization')
      const at = nowText(clock)
      const [change_seq = 0] = await dialect.allocateSequence(db, 1)
      const existed =
        mode === 'anonymise'
          ? await anonymiseRow(db, record, { referenceHash, change_seq, at })
          : await deleteRow(db, record, { change_seq, at })
      if (!existed) return false
      // A concurrent erasure may have set the other mode.
      await db
        .updateTable('tombstones')
        .set({ mode })
        .where('record_id', '=', record.record_id)
        .execute()
      await db.deleteFrom('holds').where('record_id', '=', record.record_id).execute()
      await db.deleteFrom('revert_records').where('record_id', '=', record.record_id).execute()
      await invalidateCachedResponse(db, record, node)
      await schedulePurge(db, { platform_id: record.platform_id, change_seq })
      await insertLog(db, at, log)
      return true
    })
  }

  async function deleteRow(
    db: Executor,
    { record_id, platform_id, module_id, platform_name, record_type }: NamedRecord,
    { change_seq, at }: { change_seq: number; at: string },
  ): Promise<boolean> {
    const { numDeletedRows } = await db
      .deleteFrom('records')
      .where('record_id', '=', record_id)
      .executeTakeFirst()
    if (numDeletedRows === 0n) return false
    const deletion = { record_id, platform_id, module_id, platform_name, record_type }
    await db
      .insertInto('record_deletions')
      .values({ change_seq, ...deletion, at })
      .execute()
    await addToModule(db, { platform_id, module_id }, { records: -1 }, node)
    return true
  }

  async function anonymiseRow(
    db: Executor,
    { record_id, platform_id, module_id }: NamedRecord,
    change: { referenceHash: string; change_seq: number; at: string },
  ): Promise<boolean> {
    const pseudonym = pseudonymOf(record_id, change.referenceHash)
    const { numAffectedRows = 0n } = await sql`
      UPDATE records SET reference_number = ${pseudonym}, full_name = '', data = '{}',
        fingerprint = NULL, field_clocks = NULL, change_seq = ${change.change_seq},
        updated_at = ${change.at}
      WHERE record_id = ${record_id}`.execute(db)
    if (numAffectedRows === 0n) return false
    // A trigger does the same for a deleted record, after the lock of the record as well. The anonymised record is then
    // indexed again.
    await dialect.deleteText(db, { platform_id, record_id })
    await acquireLock(db, 'field index')
    const fields = db
      .selectFrom('indexed_fields')
      .select('field_id')
      .where('module_id', '=', module_id)
    await db
      .deleteFrom('record_index')
      .where((eb) => eb.and({ platform_id, record_id }))
      .where('field_id', 'in', fields)
      .execute()
    return true
  }

  return {
    async previewErasure(recordId) {
      const record = await findNamedRecord(reader, recordId)
      if (!record) return null
      const { platform_id, module_id: _, first_name: __, ...shown } = record
      const history = await reader
        .selectFrom('record_history')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where((eb) => eb.and({ platform_id, record_id: recordId }))
        .executeTakeFirstOrThrow()
      return {
        ...shown,
        history_entries: Number(history.n),
        rejected_pushes: await countAll(findRejectedPushes(reader, record, dialect.contains)),
        requests: await countAll(findRequests(reader, record, dialect.contains)),
        activity_entries: await countAll(findActivityEntries(reader, record, dialect.contains)),
      }
    },

    async eraseRecord(request, log) {
      const { record_id, mode } = request
      const record = await findNamedRecord(reader, record_id)
      const tombstone = record && (await saveTombstone(record, request))
      if (!tombstone) return null
      const { tombstone_id, reference_hash: referenceHash } = tombstone
      const rejected_pushes = await deleteNamedPushes(record)
      const requests = await deleteNamedRequests(record)
      const activity_entries = await scrubActivity(record)
      const history_entries = await deleteWholeHistory(record)
      if (!(await eraseRow(record, { mode, referenceHash }, log))) return null
      await runPendingPurge()
      const counts = { history_entries, rejected_pushes, requests, activity_entries }
      return { record_id, mode, tombstone_id, ...counts }
    },

    async listTombstones({ limit, before }) {
      let select = selectTombstones(reader)
      if (before !== null) select = select.where('tombstone_id', '<', before)
      return select.orderBy('tombstone_id', 'desc').limit(limit).execute()
    },

    async readTombstone(tombstoneId) {
      const select = selectTombstones(reader).where('tombstone_id', '=', tombstoneId)
      return (await select.executeTakeFirst()) ?? null
    },

    deleteTombstone: (tombstoneId, log) =>
      writer.transaction().execute(async (db) => {
        const deleted = await db
          .deleteFrom('tombstones')
          .where('tombstone_id', '=', tombstoneId)
          .returning(['platform_name', 'record_type'])
          .executeTakeFirst()
        if (!deleted) return false
        const module = await db
          .selectFrom('modules as m')
          .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
          .select(['m.platform_id', 'm.module_id'])
          .where(FIRST_NAME, '=', deleted.platform_name)
          .where('p.removed_at', 'is', null)
          .where('m.record_type', '=', deleted.record_type)
          .executeTakeFirst()
        if (module) await invalidateCachedResponse(db, module, node)
        await insertLog(db, nowText(clock), log)
        return true
      }),
  }
}

async function countAll(steps: AsyncIterable<unknown[]>): Promise<number> {
  let count = 0
  for await (const step of steps) count += step.length
  return count
}

function selectTombstones(db: Executor) {
  return db
    .selectFrom('tombstones')
    .select([
      'tombstone_id as id',
      'platform_name',
      'record_type',
      'record_id',
      'mode',
      'at',
      'actor',
    ])
}
