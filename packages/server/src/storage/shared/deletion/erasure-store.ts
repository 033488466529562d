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
import { deleteRequests } from '../activity/request-batches.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import { addToSums, DigestDeltas } from '../records/digest-deltas.ts'
import { addToModule, invalidateCachedResponse } from '../records/module-counts.ts'
import { deleteDigestReference, endExplanations } from '../records/remembered-buckets.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { countRows, deleteRows, updateRows } from '../schema/rows.ts'
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
const REDACTED = 'This line was about a record that has since been erased.'

type Request = Parameters<ErasureStore['eraseRecord']>[0]

export function createErasureStore(
  databases: Databases,
  dialect: ErasureDialect,
  { node, runPendingPurge }: { node: string; runPendingPurge: RunPendingPurge },
): Omit<ErasureStore, 'importTombstones'> {
  const { reader, writer, transact, acquireLock } = databases

  /** Step 1. Returns null if the record has been deleted or renamed since it was read. */
  function saveTombstone(record: NamedRecord, { mode, actor }: Request) {
    // A request of the record that is being saved is found in step 2; a later one finds the tombstone.
    return transact(['write authorization', 'rejected pushes', 'request log'], async (db, at) => {
      const current = await findNamedRecord(db, record.record_id)
      if (current?.reference_number !== record.reference_number) return null
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

  function deleteNamedPushes(record: NamedRecord): Promise<number> {
    return forEach(findRejectedPushes(reader, record, dialect.contains), (ids) =>
      transact(['rejected pushes'], (db) => deleteRejectedPushes(db, record.platform_id, ids)),
    )
  }

  function deleteNamedRequests(record: NamedRecord): Promise<number> {
    return forEach(findRequests(reader, record, dialect.contains), (ids) =>
      transact(['request log'], (db) => deleteRequests(db, ids)),
    )
  }

  function scrubActivity(record: NamedRecord): Promise<number> {
    return forEach(findActivityEntries(reader, record, dialect.contains), async (ids) => {
      for (let start = 0; start < ids.length; start += STEP) {
        await redactActivity(writer, ids.slice(start, start + STEP))
      }
    })
  }

  async function deleteWholeHistory({ platform_id, record_id }: NamedRecord): Promise<number> {
    const step = { platform_id, ids: [record_id], limit: STEP }
    for (let total = 0; ; ) {
      const deleted = await transact([], (db) => deleteHistory(db, step))
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
    // With this lock, a concurrent erasure that saves a tombstone sees whether the record still exists.
    return transact(['write authorization'], async (db, at) => {
      const [change_seq = 0] = await dialect.allocateSequence(db, 1)
      const deltas = await countOut(db, record)
      const existed =
        mode === 'anonymise'
          ? await anonymiseRow(db, record, { referenceHash, change_seq, at })
          : await deleteRow(db, record, { change_seq, at })
      if (!existed) return false
      // A concurrent erasure may have set the other mode.
      await updateRows(db, 'tombstones', { record_id: record.record_id }, { mode })
      await deleteRows(db, 'holds', { record_id: record.record_id })
      await deleteRows(db, 'revert_records', { record_id: record.record_id })
      await invalidateCachedResponse(db, record, node)
      await addToSums(db, deltas, node)
      await schedulePurge(db, { platform_id: record.platform_id, change_seq })
      await insertLog(db, at, log)
      return true
    })
  }

  /**
   * Deletes a bucket that names the record. The lock of write authorization keeps the columns of the record as they are.
   * @returns what the sums of the module lose.
   */
  async function countOut(
    db: Executor,
    { platform_id, module_id, record_id, reference_number }: NamedRecord,
  ): Promise<DigestDeltas> {
    const deltas = new DigestDeltas()
    const stored = await db
      .selectFrom('records')
      .select(['reference_hash', 'version_hash'])
      .where('record_id', '=', record_id)
      .executeTakeFirst()
    deltas.replace({ platform_id, module_id }, stored ?? null, null)
    await deleteDigestReference(db, { platform_id, module_id, reference_number })
    return deltas
  }

  async function deleteRow(
    db: Executor,
    { record_id, platform_id, module_id, platform_name, record_type }: NamedRecord,
    { change_seq, at }: { change_seq: number; at: string },
  ): Promise<boolean> {
    if ((await deleteRows(db, 'records', { record_id })) === 0) return false
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
      UPDATE records SET reference_number = ${pseudonym}, full_name = '', data = '{}', anonymised = 1,
        fingerprint = NULL, version = NULL, reference_hash = NULL, version_hash = NULL, field_clocks = NULL, change_seq = ${change.change_seq},
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
      const entries = { platform_id, record_id: recordId }
      const count = (steps: AsyncIterable<number[]>) => forEach(steps, async () => undefined)
      return {
        ...shown,
        history_entries: await countRows(reader, 'record_history', entries),
        rejected_pushes: await count(findRejectedPushes(reader, record, dialect.contains)),
        requests: await count(findRequests(reader, record, dialect.contains)),
        activity_entries: await count(findActivityEntries(reader, record, dialect.contains)),
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
      transact([], async (db, at) => {
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
        if (module) {
          await invalidateCachedResponse(db, module, node)
          await endExplanations(db, [module.module_id])
        }
        await insertLog(db, at, log)
        return true
      }),
  }
}

/** Removes what activity entries say about a record. */
export async function redactActivity(db: Executor, activity_id: number[]): Promise<void> {
  await updateRows(db, 'activity', { activity_id }, { message: REDACTED, details: '{}' })
}

/** @returns the number of ids. */
async function forEach(
  steps: AsyncIterable<number[]>,
  work: (ids: number[]) => Promise<unknown>,
): Promise<number> {
  let count = 0
  for await (const ids of steps) {
    await work(ids)
    count += ids.length
  }
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
