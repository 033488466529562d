import { type RawBuilder, sql } from 'kysely'
import {
  type BucketSum,
  bucketSize,
  MAX_DIGITS,
  rangeOf,
  STORED_DIGITS,
  SUM_MODULUS,
  toPrefix,
} from '../../../domain/record/digest-sums.ts'
import { MISSING_PATH } from '../../../domain/revert/hold.ts'
import type { DigestStore, ModuleDigest } from '../../port/digest-store.ts'
import type { ModuleRef } from '../../port/record-list-store.ts'
import { FIRST_NAME } from '../platforms/rename-platform.ts'
import { countMarked } from '../pulls/missing-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { listDisagreements, listRemembered, lockEpoch, remember } from './remembered-buckets.ts'

export function createDigestStore({
  reader,
  writer,
  withoutFsync,
}: Pick<Databases, 'reader' | 'writer' | 'withoutFsync'>): DigestStore {
  return {
    readSums: (module, digits) => readSums(reader, module, digits),

    async readFinerSums(module, prefixes, digits) {
      const sums: BucketSum[] = []
      for (const prefix of prefixes) sums.push(...(await sumBucket(reader, module, prefix, digits)))
      return sums
    },

    async listUnversioned(module, digits) {
      const { rows } = await sql<{ bucket: number; count: number }>`
        SELECT reference_hash / ${sql.lit(bucketSize(checkDigits(digits)))} AS bucket, count(*) AS count
        FROM records WHERE ${isOf(module)} AND ${isUnversioned} GROUP BY 1 ORDER BY 1
      `.execute(reader)
      return rows.map(({ bucket, count }) => ({
        prefix: toPrefix(bucket, digits),
        count: Number(count),
      }))
    },

    async readTotals(module) {
      const { rows } = await sql<{
        records: number | null
        count: number | null
        sum: number | null
        marked: number
        unversioned: number
      }>`
        SELECT c.records, c.count, c.sum,
          ${countMarked(sql`${module.platform_id}`, sql`${module.module_id}`)} AS marked,
          CASE WHEN EXISTS (SELECT 1 FROM records WHERE ${isOf(module)} AND ${isUnversioned})
            THEN 1 ELSE 0 END AS unversioned
        FROM (SELECT sum(records) AS records, sum(versions) AS count,
            sum(version_sum) % ${MODULUS} AS sum
          FROM module_counters WHERE ${isOf(module)}) c
      `.execute(reader)
      const { records, count, sum, marked, unversioned } = rows[0] ?? {}
      return {
        present: Number(records ?? 0) - Number(marked ?? 0),
        count: Number(count ?? 0),
        sum: Number(sum ?? 0),
        hasUnversioned: Number(unversioned ?? 0) > 0,
      }
    },

    async countAnonymised({ platform_id, module_id }) {
      const { rows } = await sql<{ n: number }>`
        SELECT count(*) AS n FROM platforms p
        JOIN modules m ON m.platform_id = p.platform_id
        JOIN tombstones t ON t.platform_name = ${FIRST_NAME} AND t.record_type = m.record_type
        JOIN records r ON r.record_id = t.record_id
        WHERE p.platform_id = ${platform_id} AND m.module_id = ${module_id}
          AND t.mode = 'anonymise' AND r.module_id = m.module_id AND r.missing_since IS NULL
      `.execute(reader)
      return Number(rows[0]?.n ?? 0)
    },

    async listBucketRecords(module, { prefix, after, limit }) {
      const { from, end } = rangeOf(prefix)
      let select = reader
        .selectFrom('records')
        .select(['record_id', 'reference_number', 'version', 'pushed_seq', 'pushed_at'])
        .select(sql<number>`reference_hash`.as('reference_hash'))
        .select((eb) =>
          eb
            .selectFrom('holds as h')
            .select((inner) => inner.fn.countAll<number>().as('n'))
            .whereRef('h.record_id', '=', 'records.record_id')
            .where('h.path', '=', MISSING_PATH)
            .as('holds'),
        )
        .where((eb) => eb.and(pick(module)))
        .where('reference_hash', '>=', after?.reference_hash ?? from)
        .where('reference_hash', '<', end)
        .where('missing_since', 'is', null)
      if (after) {
        const { reference_hash, record_id } = after
        select = select.where((eb) =>
          eb.or([eb('reference_hash', '>', reference_hash), eb('record_id', '>', record_id)]),
        )
      }
      const records = await select
        .orderBy('reference_hash')
        .orderBy('record_id')
        .limit(limit)
        .execute()
      const last = records.at(-1)
      const next = records.length < limit || !last ? null : last
      return {
        records: records.map(({ holds, ...record }) => ({ ...record, is_held: Number(holds) > 0 })),
        next: next && { reference_hash: next.reference_hash, record_id: next.record_id },
      }
    },

    listRemembered: (module) => listRemembered(reader, module),
    listDisagreements: () => listDisagreements(reader),
    remember: (module, change) =>
      writer.transaction().execute((db) => remember(db, module, change)),

    async readDigest({ module_id }) {
      const stored = await reader
        .selectFrom('module_digests as d')
        .select(DIGEST)
        .where('module_id', '=', module_id)
        .executeTakeFirst()
      return { ...UNKNOWN, ...stored }
    },

    saveDigest(module, change, epoch = -1) {
      const save = async (db: Executor) => {
        const isCurrent = !change.withdrawn_reference || (await lockEpoch(db, module, epoch))
        await saveDigest(db, module, isCurrent ? change : { ...change, withdrawn_reference: null })
      }
      // A power failure may undo a claim, but not its withdrawal.
      return change.withdrawn_at || change.verified_at === null
        ? writer.transaction().execute(save)
        : withoutFsync(save)
    },
  }
}

/** As `DigestStore.saveDigest`. */
export async function saveDigest(
  db: Executor,
  module: ModuleRef,
  change: Partial<ModuleDigest>,
): Promise<void> {
  await db
    .insertInto('module_digests')
    .values({ ...UNKNOWN, ...change, ...pick(module) })
    .onConflict((conflict) =>
      conflict.column('module_id').doUpdateSet({ module_id: module.module_id, ...change }),
    )
    .execute()
}

/** The stored sums of a module, which are added for fewer digits than are stored. */
async function readSums(db: Executor, module: ModuleRef, digits: number): Promise<BucketSum[]> {
  if (digits > STORED_DIGITS) throw new RangeError(`At most ${STORED_DIGITS} digits are stored`)
  const width = sql.lit(16 ** (STORED_DIGITS - checkDigits(digits)))
  const { rows } = await sql<SumRow>`
    SELECT bucket / ${width} AS bucket, sum(count) AS count, sum(sum) % ${MODULUS} AS sum
    FROM digest_sums WHERE ${isOf(module)} AND count > 0 GROUP BY 1 ORDER BY 1
  `.execute(db)
  return rows.map((row) => toBucketSum(row, digits))
}

/** The sums of the finer buckets in a bucket, from the records. */
async function sumBucket(
  db: Executor,
  module: ModuleRef,
  prefix: string,
  digits: number,
): Promise<BucketSum[]> {
  const { from, end } = rangeOf(prefix)
  const { rows } = await sql<SumRow>`
    SELECT reference_hash / ${sql.lit(bucketSize(checkDigits(digits)))} AS bucket, count(*) AS count,
      ${sumOf(sql.ref('version_hash'))} AS sum
    FROM records WHERE ${isOf(module)} AND reference_hash >= ${from} AND reference_hash < ${end}
      AND version_hash IS NOT NULL
    GROUP BY 1 ORDER BY 1
  `.execute(db)
  return rows.map((row) => toBucketSum(row, digits))
}

type SumRow = { bucket: number; count: number; sum: number }

const MODULUS = sql.lit(SUM_MODULUS)
const HALF = sql.lit(2 ** 24)

/**
 * The sum of 48-bit hashes modulo 2^48, of any number of rows: the halves of the hashes are added separately, since
 * SQLite fails when a sum exceeds 63 bits.
 */
export function sumOf(hash: RawBuilder<unknown>): RawBuilder<number> {
  return sql`((sum(${hash} / ${HALF}) % ${HALF}) * ${HALF} + sum(${hash} % ${HALF})) % ${MODULUS}`
}

const isUnversioned = sql<boolean>`
  reference_hash IS NOT NULL AND version_hash IS NULL AND missing_since IS NULL`

function isOf({ platform_id, module_id }: ModuleRef): RawBuilder<boolean> {
  return sql`platform_id = ${platform_id} AND module_id = ${module_id}`
}

function pick({ platform_id, module_id }: ModuleRef): ModuleRef {
  return { platform_id, module_id }
}

function toBucketSum({ bucket, count, sum }: SumRow, digits: number): BucketSum {
  return { prefix: toPrefix(Number(bucket), digits), count: Number(count), sum: Number(sum) }
}

function checkDigits(digits: number): number {
  if (Number.isInteger(digits) && digits >= 1 && digits <= MAX_DIGITS) return digits
  throw new RangeError(`A bucket has 1 to ${MAX_DIGITS} digits`)
}

/** Deletes everything about the records of a module, which have been deleted. Sums of concurrent writes remain. */
export async function deleteDigest(db: Executor, module: ModuleRef): Promise<void> {
  const isOfModule = pick(module)
  await db
    .deleteFrom('digest_buckets')
    .where((eb) => eb.and(isOfModule))
    .execute()
  await db
    .deleteFrom('module_digests')
    .where((eb) => eb.and(isOfModule))
    .execute()
  await db
    .deleteFrom('digest_sums')
    .where((eb) => eb.and({ ...isOfModule, count: 0, sum: 0 }))
    .execute()
}

const UNKNOWN: Readonly<ModuleDigest> = {
  verified_at: null,
  verified_by: null,
  verified_records: null,
  verified_of: null,
  verified_explained: null,
  verified_pushes: null,
  withdrawn_at: null,
  withdrawn_records: null,
  withdrawn_reference: null,
  unversioned: null,
  unsupported_at: null,
  unsupported_manifest_hash: null,
  unstable_reads: 0,
  unstable_at: null,
  unstable_manifest_hash: null,
  asked_at: null,
  digest_ms: null,
  digest_failed_at: null,
  list_failed_at: null,
}

/** The columns of a `ModuleDigest` of `module_digests as d`. */
export const DIGEST = [
  ...(['d.verified_at', 'd.verified_by', 'd.verified_records', 'd.verified_of'] as const),
  ...(['d.verified_explained', 'd.verified_pushes'] as const),
  ...(['d.withdrawn_at', 'd.withdrawn_records', 'd.withdrawn_reference'] as const),
  ...(['d.unversioned', 'd.unsupported_at', 'd.unsupported_manifest_hash'] as const),
  ...(['d.unstable_reads', 'd.unstable_at', 'd.unstable_manifest_hash'] as const),
  ...(['d.asked_at', 'd.digest_ms', 'd.digest_failed_at', 'd.list_failed_at'] as const),
]
