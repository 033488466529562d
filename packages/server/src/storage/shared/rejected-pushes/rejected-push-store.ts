import { sql } from 'kysely'
import { addRejections, type RecentRejection } from '../../../domain/platform/health.ts'
import type { HashReference } from '../../../domain/record/erasure.ts'
import { causeOf } from '../../../domain/record/rejection-groups.ts'
import type { WritePosition } from '../../../domain/record/replay.ts'
import { sha256 } from '../../../lib/crypto/hash.ts'
import { toHour } from '../../../lib/time/clock.ts'
import { formatRfc3339 } from '../../../lib/time/rfc3339.ts'
import type { NewRejectedPush, RejectedPushStore } from '../../port/rejected-push-store.ts'
import { insertActivity, insertLog } from '../activity/activity-rows.ts'
import { deleteOverQuota, deleteRejectedPushes } from '../deletion/delete-rows.ts'
import { namesErasedRecord } from '../deletion/record-mentions.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import { ACCEPTED_PUSHES } from '../records/module-counts.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { HELD } from '../schema/pull-tables.ts'
import { findRow, updateRows } from '../schema/rows.ts'
import { applyFilter, createRejectedPushReads, selectRejected } from './rejected-push-reads.ts'
import {
  createRejectionAcceptance,
  findPreviousPull,
  saveRejectingPull,
} from './rejection-groups.ts'

/** Counted in addition to the bytes of the body, so that the quota also limits the number of rows. */
const ROW_BYTES = 512

export function createRejectedPushStore(
  databases: Databases,
  deps: {
    node: string
    /** Allocates the next numbers of the write sequence, in ascending order. */
    allocatePositions: (db: Executor, count: number) => Promise<number[]>
    hashReference: HashReference
  },
): RejectedPushStore {
  const { reader, transact } = databases
  const { node, allocatePositions, hashReference } = deps
  return {
    ...createRejectedPushReads(reader),
    ...createRejectionAcceptance(databases),

    saveRejectedPushes: (rejected, { at, day, quotaBytes }) =>
      transact(['rejected pushes'], async (db) => {
        const counts = new Map<number, number>()
        const pushed = new Map<number, number>()
        const saved = new Set<number>()
        const isKept = rejected.map(() => true)
        const registered = await findRegistered(db, rejected)
        const previousPulls = new Map<string, number | null>()
        /** Returns the previous pull of the module of a pulled record, with one lookup per module. */
        const previousOf = async ({ platform_id, record_type, pull_id }: NewRejectedPush) => {
          if (pull_id === null) return null
          const module = JSON.stringify([platform_id, record_type, pull_id])
          const known = previousPulls.get(module)
          if (known !== undefined) return known
          const previous = await findPreviousPull(db, { platform_id, record_type }, pull_id)
          previousPulls.set(module, previous)
          return previous
        }
        // One number per push, so that the pushes of a record have an order.
        const numbers = await allocatePositions(db, rejected.length)
        for (const [index, push] of rejected.entries()) {
          const first_name = registered.get(push.platform_id)
          if (first_name === undefined) continue
          const isErased = await namesErasedRecord(db, push, { first_name, hashReference })
          if (push.activity && !isErased) await insertActivity(db, at, push.activity)
          const position = push.position ?? {
            seq: numbers[index] ?? 0,
            at: formatRfc3339(new Date(at)),
          }
          const previous = await previousOf(push)
          const options = { at, quotaBytes, position, previous }
          const outcome = isErased ? null : await saveRejection(db, push, options)
          saved.add(push.platform_id)
          isKept[index] = outcome !== 'full'
          // It is acknowledged: an operator, not the platform, has decided against it.
          if (push.code === HELD && outcome !== 'full') continue
          if (push.method !== 'pull') {
            pushed.set(push.platform_id, (pushed.get(push.platform_id) ?? 0) + 1)
          }
          if (outcome !== 'new' && push.method === 'pull') continue
          counts.set(push.platform_id, (counts.get(push.platform_id) ?? 0) + 1)
        }
        // Sorted as in writes of records, which lock the counters in this order.
        for (const platformId of [...saved].sort((one, other) => one - other)) {
          const count = counts.get(platformId) ?? 0
          if (count > 0) await countRejected(db, { platformId, count, at, day, node })
          await addRecentRejections(db, { platformId, count: pushed.get(platformId) ?? 0, at })
          await deleteOverQuota(db, platformId, quotaBytes)
        }
        return isKept
      }),

    dismissRejectedPushes: (query, at, log) =>
      transact(['rejected pushes'], async (db) => {
        let select = applyFilter(selectRejected(db), query)
          .select(['r.rejected_push_id', 'r.platform_id', 'r.bytes'])
          .where('r.at', '<=', query.until)
        if (query.id !== null) select = select.where('r.rejected_push_id', '=', query.id)
        const rows = await select.orderBy('r.rejected_push_id').limit(query.limit).execute()
        for (const [platformId, platformRows] of Map.groupBy(rows, (row) => row.platform_id)) {
          const ids = platformRows.map((row) => row.rejected_push_id)
          await deleteRejectedPushes(db, platformId, ids)
        }
        if (rows.length > 0 && log) {
          await insertLog(db, at, log)
        }
        return rows.length
      }),
  }
}

const NOT_REPLAYED = {
  replayed_at: null,
  replayed_by: null,
  replay_outcome: null,
  replay_record_id: null,
}

/** @returns `repeated` if an identical one only raises the count; `full` for a held push that the quota leaves no room for. */
async function saveRejection(
  db: Executor,
  push: NewRejectedPush,
  options: { at: string; quotaBytes: number; position: WritePosition; previous: number | null },
): Promise<'new' | 'repeated' | 'full'> {
  const { at, quotaBytes, position, previous } = options
  const { platform_id, record_type, message, pull_id, request_id } = push
  // A pulled record does not name its module, so two modules may reject identical ones.
  const fingerprint = sha256(JSON.stringify([push.method, push.code, record_type, push.body]))
  const cause = causeOf(push.code, record_type, push.cause ?? message)
  const latest = {
    at,
    message,
    errors: JSON.stringify(push.errors),
    record_type,
    cause,
    position_seq: position.seq,
    position_at: position.at,
    pull_id,
    request_id,
  }
  const match = { platform_id, fingerprint }
  const known = await findRow(db, 'rejected_pushes', match, ['rejected_push_id', 'pull_id'])
  if (known) {
    const { rejected_push_id, pull_id: before } = known
    // Every pull receives the same record again, also after its replay.
    const replay = push.method === 'pull' ? {} : NOT_REPLAYED
    const change = { ...latest, count: sql`count + 1`, ...replay }
    await updateRows(db, 'rejected_pushes', { rejected_push_id }, change)
    if (pull_id !== null)
      await saveRejectingPull(db, { rejected_push_id, pull_id, before, previous })
    return 'repeated'
  }
  const size = Buffer.byteLength(push.body)
  const fits = size + ROW_BYTES <= quotaBytes
  const bytes = (fits ? size : 0) + ROW_BYTES
  if (push.code === HELD) {
    if (!fits || !(await deleteOverQuota(db, platform_id, quotaBytes - bytes))) return 'full'
  }
  const { rejected_push_id } = await db
    .insertInto('rejected_pushes')
    .values({
      ...latest,
      ...NOT_REPLAYED,
      platform_id,
      fingerprint,
      first_at: at,
      count: 1,
      method: push.method,
      code: push.code,
      body: fits ? push.body : JSON.stringify(`${size} bytes, more than the quota`),
      bytes,
    })
    .returning('rejected_push_id')
    .executeTakeFirstOrThrow()
  if (pull_id !== null)
    await saveRejectingPull(db, { rejected_push_id, pull_id, before: null, previous })
  const added = { rejected_bytes: sql`rejected_bytes + ${bytes}` }
  await updateRows(db, 'platforms', { platform_id }, added)
  return 'new'
}

/** Returns the names of the platforms that are not being removed. */
async function findRegistered(
  db: Executor,
  rejected: NewRejectedPush[],
): Promise<Map<number, string>> {
  const ids = new Set(rejected.map((push) => push.platform_id))
  if (ids.size === 0) return new Map()
  const rows = await db
    .selectFrom('platforms as p')
    .select(['p.platform_id', FIRST_NAME.as('first_name')])
    .where('p.platform_id', 'in', [...ids])
    .where('p.removed_at', 'is', null)
    .execute()
  return new Map(rows.map((row) => [row.platform_id, row.first_name]))
}

/** The lock of rejected pushes prevents that two transactions add to the same list. */
async function addRecentRejections(
  db: Executor,
  { platformId, count, at }: { platformId: number; count: number; at: string },
): Promise<void> {
  if (count === 0) return
  const { recent_rejections, accepted } = await db
    .selectFrom('platforms as p')
    .where('p.platform_id', '=', platformId)
    .select(['p.recent_rejections', ACCEPTED_PUSHES.as('accepted')])
    .executeTakeFirstOrThrow()
  const known: RecentRejection[] = JSON.parse(recent_rejections)
  const added = addRejections(known, { count, accepted: Number(accepted), at })
  const change = { recent_rejections: JSON.stringify(added) }
  await updateRows(db, 'platforms', { platform_id: platformId }, change)
}

async function countRejected(
  db: Executor,
  row: { platformId: number; count: number; at: string; day: string; node: string },
): Promise<void> {
  await db
    .insertInto('hourly_counters')
    .values({
      day: row.day,
      hour: toHour(row.at),
      platform_id: row.platformId,
      node: row.node,
      received_post: 0,
      received_patch: 0,
      received_pull: 0,
      created: 0,
      updated: 0,
      unchanged: 0,
      stale: 0,
      rejected: row.count,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'hour', 'platform_id', 'node'])
        .doUpdateSet({ rejected: sql`hourly_counters.rejected + excluded.rejected` }),
    )
    .execute()
}
