/** Compares the stored sums of versions with those of the records, and repairs them. */
import { sql } from 'kysely'
import {
  addSums,
  bucketSize,
  STORED_DIGITS,
  SUM_MODULUS,
  subtractSums,
} from '../../../domain/record/digest-sums.ts'
import type { CounterDifference } from '../../port/diagnostics-store.ts'
import { addToBuckets, type SumDelta } from '../records/digest-deltas.ts'
import { sumOf } from '../records/digest-store.ts'
import { addToModule } from '../records/module-counts.ts'
import type { Executor } from '../schema/databases.ts'

type BucketRow = {
  platform_id: number
  module_id: number
  platform_name: string
  record_type: string
  bucket: number
  stored: number
  stored_sum: number
  counted: number
  counted_sum: number
}

const BUCKET_SIZE = sql.lit(bucketSize(STORED_DIGITS))
const MODULUS = sql.lit(SUM_MODULUS)

/** In place of a bucket, for the total of a module. */
const TOTAL = -1

/**
 * The buckets and totals whose stored sum is wrong. The removal of a platform deletes its sums in steps of their own, so they are
 * left out. As one statement, it sees each write with its sum or not at all. An index contains all columns of records.
 */
const WRONG_BUCKETS = sql`
  WITH versioned AS (
    SELECT platform_id, module_id, reference_hash / ${BUCKET_SIZE} AS bucket, count(*) AS counted,
      ${sumOf(sql.ref('version_hash'))} AS counted_sum
    FROM records WHERE reference_hash IS NOT NULL AND version_hash IS NOT NULL
    GROUP BY 1, 2, 3
  )
  SELECT m.platform_id, m.module_id, p.platform_name, m.record_type, b.bucket, b.stored,
    b.stored_sum, b.counted, b.counted_sum
  FROM (
    SELECT platform_id, module_id, bucket, sum(stored) AS stored, sum(stored_sum) AS stored_sum,
      sum(counted) AS counted, sum(counted_sum) AS counted_sum
    FROM (
      SELECT platform_id, module_id, bucket, count AS stored, sum AS stored_sum, 0 AS counted,
        0 AS counted_sum
      FROM digest_sums
      UNION ALL
      SELECT platform_id, module_id, bucket, 0, 0, counted, counted_sum FROM versioned
      UNION ALL
      SELECT platform_id, module_id, ${sql.lit(TOTAL)}, sum(versions), sum(version_sum) % ${MODULUS}, 0, 0
      FROM module_counters GROUP BY 1, 2
      UNION ALL
      SELECT platform_id, module_id, ${sql.lit(TOTAL)}, 0, 0, sum(counted), sum(counted_sum) % ${MODULUS}
      FROM versioned GROUP BY 1, 2
    ) sides
    GROUP BY 1, 2, 3
  ) b
  JOIN modules m ON m.platform_id = b.platform_id AND m.module_id = b.module_id
  JOIN platforms p ON p.platform_id = m.platform_id
  WHERE (b.stored <> b.counted OR b.stored_sum <> b.counted_sum) AND p.removed_at IS NULL
  ORDER BY m.module_id, b.bucket`

/** Sums whose module does not exist. */
export const ORPHANED_SUMS = sql`digest_sums WHERE NOT EXISTS (SELECT 1 FROM modules m
  WHERE m.module_id = digest_sums.module_id AND m.platform_id = digest_sums.platform_id)`

/** Returns one difference for each module with a wrong sum: the versions in its wrong buckets, or in all if only the total is. */
export async function compareSums(db: Executor): Promise<CounterDifference[]> {
  return toDifferences(await findWrongBuckets(db))
}

/** Adds what the stored sums lack as of one snapshot. Writes that commit meanwhile add to the same rows. */
export async function repairSums(
  db: Executor,
  node: string,
): Promise<{ recounted: CounterDifference[]; deleted: number }> {
  const buckets = await findWrongBuckets(db)
  const lacking: SumDelta[] = []
  for (const { platform_id, module_id, bucket, ...row } of buckets) {
    // A stored sum may be any number, so it is reduced before it is subtracted.
    const sum = subtractSums(row.counted_sum, addSums(row.stored_sum, 0))
    const count = row.counted - row.stored
    if (bucket === TOTAL)
      await addToModule(db, { platform_id, module_id }, { versions: count, version_sum: sum }, node)
    else lacking.push({ platform_id, module_id, bucket, count, sum })
  }
  await addToBuckets(db, lacking)
  const deletion = await sql`DELETE FROM ${ORPHANED_SUMS}`.execute(db)
  return { recounted: toDifferences(buckets), deleted: Number(deletion.numAffectedRows ?? 0n) }
}

async function findWrongBuckets(db: Executor): Promise<BucketRow[]> {
  const { rows } = await sql<BucketRow>`${WRONG_BUCKETS}`.execute(db)
  return rows.map((row) => ({
    ...row,
    ...{ bucket: Number(row.bucket), stored: Number(row.stored), counted: Number(row.counted) },
    ...{ stored_sum: Number(row.stored_sum), counted_sum: Number(row.counted_sum) },
  }))
}

function toDifferences(buckets: BucketRow[]): CounterDifference[] {
  const byModule = Map.groupBy(buckets, ({ platform_name, record_type }) => {
    return `${platform_name}/${record_type}`
  })
  return [...byModule].map(([name, rows]) => {
    const wrong = rows.some(({ bucket }) => bucket !== TOTAL)
      ? rows.filter(({ bucket }) => bucket !== TOTAL)
      : rows
    return {
      counter: 'versions',
      name,
      stored: wrong.reduce((total, { stored }) => total + stored, 0),
      counted: wrong.reduce((total, { counted }) => total + counted, 0),
    }
  })
}
