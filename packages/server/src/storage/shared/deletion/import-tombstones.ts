/** Erases again, in a restored database, what was erased after its backup was made. */
import type { ErasureMode } from '@recordhub/protocol'
import type { HashReference } from '../../../domain/record/erasure.ts'
import { yieldToEventLoop } from '../../../lib/concurrency/yield-to-event-loop.ts'
import type { ErasureStore, StoredTombstone } from '../../port/deletion-store.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import type { Databases } from '../schema/databases.ts'
import { findRow, listRows } from '../schema/rows.ts'
import { deleteRejectedPushes } from './delete-rows.ts'
import { redactActivity } from './erasure-store.ts'
import { namesErasedRecord, readReference } from './record-mentions.ts'

/** Rows per step. A rejected body may be a megabyte. */
const STEP = 200
const RECORD_STEP = 1000
const ACTION = 'record.erase_again'

type Module = Pick<StoredTombstone, 'platform_name' | 'record_type'>

export function createTombstoneImport(
  { reader, writer, transact }: Databases,
  deps: { hashReference: HashReference; eraseRecord: ErasureStore['eraseRecord'] },
): ErasureStore['importTombstones'] {
  const { hashReference } = deps

  /** Returns the ids of the records with these hashes, by hash. */
  async function findRecords(
    { platform_name, record_type }: Module,
    hashes: Set<string>,
  ): Promise<Map<string, number>> {
    const found = new Map<string, number>()
    for (let after = 0; found.size < hashes.size; ) {
      const rows = await reader
        .selectFrom('records as r')
        .innerJoin('modules as m', 'm.module_id', 'r.module_id')
        .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
        .select(['r.record_id', 'r.reference_number'])
        .where(FIRST_NAME, '=', platform_name)
        .where('p.removed_at', 'is', null)
        .where('m.record_type', '=', record_type)
        .where('r.record_id', '>', after)
        .orderBy('r.record_id')
        .limit(RECORD_STEP)
        .execute()
      for (const { record_id, reference_number } of rows) {
        const hash = hashReference({ first_name: platform_name, record_type, reference_number })
        if (hashes.has(hash)) found.set(hash, record_id)
      }
      if (rows.length < RECORD_STEP) break
      after = rows.at(-1)?.record_id ?? after
      await yieldToEventLoop()
    }
    return found
  }

  async function readMode({ reference_hash }: StoredTombstone): Promise<ErasureMode | null> {
    return (await findRow(reader, 'tombstones', { reference_hash }, ['mode']))?.mode ?? null
  }

  async function erase(recordId: number, { mode, actor }: StoredTombstone): Promise<boolean> {
    const message = 'A record that was erased after the backup was erased again'
    const erasure = await deps.eraseRecord(
      { record_id: recordId, mode, actor },
      {
        activity: { level: 'info', kind: ACTION, record_id: recordId, actor: 'restore', message },
        audit: {
          ...{ action: ACTION, actor: 'restore', target: String(recordId), address: null },
          details: { mode, erased_by: actor },
        },
      },
    )
    return erasure !== null
  }

  async function deleteMentions(first_name: string): Promise<void> {
    const platform = await reader
      .selectFrom('platforms as p')
      .select('p.platform_id')
      .where(FIRST_NAME, '=', first_name)
      .where('p.removed_at', 'is', null)
      .executeTakeFirst()
    if (platform) await deleteRejected(platform.platform_id, first_name)
    await scrubActivity(first_name, platform?.platform_id ?? null)
  }

  async function deleteRejected(platform_id: number, first_name: string): Promise<void> {
    for (let after = 0; ; ) {
      const rows = await reader
        .selectFrom('rejected_pushes')
        .select(['rejected_push_id', 'record_type', 'code', 'body'])
        .where('platform_id', '=', platform_id)
        .where('rejected_push_id', '>', after)
        .orderBy('rejected_push_id')
        .limit(STEP)
        .execute()
      const named: number[] = []
      for (const { rejected_push_id, ...row } of rows) {
        const push = { platform_id, ...row }
        if (await namesErasedRecord(reader, push, { first_name, hashReference })) {
          named.push(rejected_push_id)
        }
      }
      if (named.length > 0) {
        await transact(['rejected pushes'], (db) => deleteRejectedPushes(db, platform_id, named))
      }
      if (rows.length < STEP) return
      after = rows.at(-1)?.rejected_push_id ?? after
    }
  }

  async function scrubActivity(first_name: string, platformId: number | null): Promise<void> {
    const match = { platform_name: first_name }
    const erased = await listRows(reader, 'tombstones', match, ['record_type', 'reference_hash'])
    const hashes = new Set(erased.map(({ reference_hash }) => reference_hash))
    const types = [...new Set(erased.map(({ record_type }) => record_type))]
    for (let after = 0; ; ) {
      const rows = await reader
        .selectFrom('activity')
        .select(['activity_id', 'details'])
        .where((eb) =>
          eb.or([eb('platform_name', '=', first_name), eb('platform_id', '=', platformId ?? -1)]),
        )
        .where('activity_id', '>', after)
        .orderBy('activity_id')
        .limit(RECORD_STEP)
        .execute()
      const named = rows.filter(({ details }) => {
        const reference_number = readReference(details)
        if (reference_number === null) return false
        return types.some((record_type) =>
          hashes.has(hashReference({ first_name, record_type, reference_number })),
        )
      })
      if (named.length > 0) {
        await redactActivity(
          writer,
          named.map(({ activity_id }) => activity_id),
        )
      }
      if (rows.length < RECORD_STEP) return
      after = rows.at(-1)?.activity_id ?? after
    }
  }

  return async (tombstones) => {
    const missing: StoredTombstone[] = []
    const anonymised = new Set<StoredTombstone>()
    for (const tombstone of tombstones) {
      const mode = await readMode(tombstone)
      if (mode === tombstone.mode || mode === 'erase') continue
      missing.push(tombstone)
      // Its reference number was replaced, so its hash does not find it.
      if (mode === 'anonymise') anonymised.add(tombstone)
    }
    let [erased, added] = [0, 0]
    const modules = Map.groupBy(missing, ({ platform_name, record_type }) =>
      JSON.stringify([platform_name, record_type]),
    )
    for (const ofModule of modules.values()) {
      const [module] = ofModule
      if (!module) continue
      const { platform_name, record_type } = module
      const hashes = new Set(ofModule.map(({ reference_hash }) => reference_hash))
      const records = await findRecords({ platform_name, record_type }, hashes)
      for (const tombstone of ofModule) {
        const recordId = anonymised.has(tombstone)
          ? tombstone.record_id
          : records.get(tombstone.reference_hash)
        if (recordId !== undefined && (await erase(recordId, tombstone))) erased += 1
        else {
          await writer
            .insertInto('tombstones')
            .values(tombstone)
            .onConflict((conflict) =>
              conflict.column('reference_hash').doUpdateSet({ mode: tombstone.mode }),
            )
            .execute()
          added += 1
        }
      }
    }
    for (const name of new Set(missing.map(({ platform_name }) => platform_name))) {
      await deleteMentions(name)
    }
    return { erased, added }
  }
}
