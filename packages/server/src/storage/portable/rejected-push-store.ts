import { sql } from 'kysely'
import type { HashReference } from '../../domain/erasure.ts'
import { parseExact } from '../../lib/exact-json.ts'
import { sha256 } from '../../lib/hash.ts'
import type { NewRejectedPush, RejectedPushStore } from '../port/rejected-push-store.ts'
import { insertActivity } from './activity-rows.ts'
import type { Databases, Executor } from './databases.ts'

/** What a kept row takes beside its body, so that many small ones count too. */
const ROW_BYTES = 512

export function createRejectedPushStore(
  { reader, writer, hold }: Databases,
  node: string,
  hashReference: HashReference,
): RejectedPushStore {
  return {
    keepRejectedPushes: (rejected, { at, day, quotaBytes }) =>
      writer.transaction().execute(async (db) => {
        await hold(db, 'rejected pushes')
        const counted = new Map<number, number>()
        const registered = await findRegistered(db, rejected)
        for (const push of rejected) {
          if (!registered.has(push.platform_id)) continue
          const isErased = await isOfErased(db, push, hashReference)
          if (push.activity && !isErased) await insertActivity(db, at, push.activity)
          const isNew = !isErased && (await keepOne(db, push, at, quotaBytes))
          if (!isNew && push.method === 'pull') continue
          counted.set(push.platform_id, (counted.get(push.platform_id) ?? 0) + 1)
        }
        // In one order, as writes of records take the counters.
        for (const [platformId, count] of [...counted].sort(([one], [other]) => one - other)) {
          await countRejected(db, { platformId, count, at, day, node })
          await dropOldest(db, platformId, quotaBytes)
        }
      }),

    async listRejectedPushes(query) {
      let select = reader
        .selectFrom('rejected_pushes as r')
        .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
        .select([
          'r.rejected_push_id',
          'r.at',
          'r.count',
          'p.platform_name',
          'r.method',
          'r.code',
          'r.message',
          'r.errors',
          'r.body',
          'r.replayed_at',
        ])
        .where('p.removed_at', 'is', null)
      const { platform, code, pull_id, before } = query
      if (platform !== null) select = select.where('p.platform_name', '=', platform)
      if (code !== null) select = select.where('r.code', '=', code)
      if (pull_id !== null) select = select.where('r.pull_id', '=', pull_id)
      if (before !== null) {
        select = select.where((eb) =>
          eb.or([
            eb('r.at', '<', before.at),
            eb.and([eb('r.at', '=', before.at), eb('r.rejected_push_id', '<', before.id)]),
          ]),
        )
      }
      const rows = await select
        .orderBy('r.at', 'desc')
        .orderBy('r.rejected_push_id', 'desc')
        .limit(query.limit)
        .execute()
      return rows.map(({ rejected_push_id, errors, body, ...row }) => ({
        id: rejected_push_id,
        ...row,
        errors: JSON.parse(errors),
        body: parseExact(body),
      }))
    },
  }
}

/** @returns whether it is kept for the first time. */
async function keepOne(
  db: Executor,
  push: NewRejectedPush,
  at: string,
  quotaBytes: number,
): Promise<boolean> {
  const fingerprint = sha256(`${push.method} ${push.code} ${push.body}`)
  const again = await db
    .updateTable('rejected_pushes')
    .set({
      at,
      count: sql`count + 1`,
      message: push.message,
      errors: JSON.stringify(push.errors),
      pull_id: push.pull_id,
    })
    .where('platform_id', '=', push.platform_id)
    .where('fingerprint', '=', fingerprint)
    .executeTakeFirst()
  if (again.numUpdatedRows > 0n) return false
  const size = Buffer.byteLength(push.body)
  const isKept = size + ROW_BYTES <= quotaBytes
  const bytes = (isKept ? size : 0) + ROW_BYTES
  await db
    .insertInto('rejected_pushes')
    .values({
      platform_id: push.platform_id,
      fingerprint,
      first_at: at,
      at,
      count: 1,
      method: push.method,
      code: push.code,
      message: push.message,
      errors: JSON.stringify(push.errors),
      body: isKept ? push.body : JSON.stringify(`${size} bytes, too many to keep`),
      bytes,
      pull_id: push.pull_id,
      replayed_at: null,
    })
    .execute()
  await db
    .updateTable('platforms')
    .set({ rejected_bytes: sql`rejected_bytes + ${bytes}` })
    .where('platform_id', '=', push.platform_id)
    .execute()
  return true
}

async function dropOldest(db: Executor, platformId: number, quotaBytes: number): Promise<void> {
  const { rejected_bytes } = await db
    .selectFrom('platforms')
    .select('rejected_bytes')
    .where('platform_id', '=', platformId)
    .executeTakeFirstOrThrow()
  let over = rejected_bytes - quotaBytes
  while (over > 0) {
    const oldest = await db
      .selectFrom('rejected_pushes')
      .select(['rejected_push_id', 'bytes'])
      .where('platform_id', '=', platformId)
      .orderBy('at')
      .orderBy('rejected_push_id')
      .limit(100)
      .execute()
    const ids = takeUntil(oldest, over)
    if (ids.length === 0) return
    over -= await dropRejected(db, platformId, ids)
  }
}

/** @returns how many were dropped, the quota of their platforms given back. */
export async function dropOldRejectedPushes(
  { hold }: Pick<Databases, 'hold'>,
  db: Executor,
  { before, limit }: { before: string; limit: number },
): Promise<number> {
  await hold(db, 'rejected pushes')
  const old = await db
    .selectFrom('rejected_pushes')
    .select(['rejected_push_id', 'platform_id'])
    .where('at', '<', before)
    .orderBy('at')
    .orderBy('rejected_push_id')
    .limit(limit)
    .execute()
  const ofPlatforms = Map.groupBy(old, (row) => row.platform_id)
  for (const [platformId, rows] of [...ofPlatforms].sort(([one], [other]) => one - other)) {
    const ids = rows.map((row) => row.rejected_push_id)
    await dropRejected(db, platformId, ids)
  }
  return old.length
}

/** @returns how much of the platform's quota they took. */
export async function dropRejected(
  db: Executor,
  platformId: number,
  ids: number[],
): Promise<number> {
  const dropped = await db
    .deleteFrom('rejected_pushes')
    .where('rejected_push_id', 'in', ids)
    .returning('bytes')
    .execute()
  const bytes = dropped.reduce((sum, row) => sum + row.bytes, 0)
  await db
    .updateTable('platforms')
    .set({ rejected_bytes: sql`rejected_bytes - ${bytes}` })
    .where('platform_id', '=', platformId)
    .execute()
  return bytes
}

/** Those whose platform is not being removed. */
async function findRegistered(db: Executor, rejected: NewRejectedPush[]): Promise<Set<number>> {
  const ids = new Set(rejected.map((push) => push.platform_id))
  if (ids.size === 0) return ids
  const rows = await db
    .selectFrom('platforms')
    .select('platform_id')
    .where('platform_id', 'in', [...ids])
    .where('removed_at', 'is', null)
    .execute()
  return new Set(rows.map((row) => row.platform_id))
}

async function isOfErased(
  db: Executor,
  { about, platform_id }: NewRejectedPush,
  hashReference: HashReference,
): Promise<boolean> {
  if (!about) return false
  const rows = await db
    .selectFrom('tombstones')
    .select('record_type')
    .distinct()
    .where('platform_name', '=', about.platform_name)
    .execute()
  if (rows.length === 0) return false
  const module = await db
    .selectFrom('modules')
    .select('module_id')
    .where('platform_id', '=', platform_id)
    .where('record_type', '=', about.record_type)
    .executeTakeFirst()
  // A module that there is not may be a slip.
  const types = module ? [about.record_type] : rows.map((row) => row.record_type)
  const hashes = types.map((record_type) => hashReference({ ...about, record_type }))
  const tombstone = await db
    .selectFrom('tombstones')
    .select('tombstone_id')
    .where('reference_hash', 'in', hashes)
    .executeTakeFirst()
  return tombstone !== undefined
}

function takeUntil(rows: { rejected_push_id: number; bytes: number }[], wanted: number): number[] {
  const ids: number[] = []
  let bytes = 0
  for (const row of rows) {
    if (bytes >= wanted) break
    ids.push(row.rejected_push_id)
    bytes += row.bytes
  }
  return ids
}

async function countRejected(
  db: Executor,
  row: { platformId: number; count: number; at: string; day: string; node: string },
): Promise<void> {
  await db
    .insertInto('hourly_counters')
    .values({
      day: row.day,
      hour: row.at.slice(0, 13),
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
