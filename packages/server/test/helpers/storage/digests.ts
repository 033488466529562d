/** The sums of versions, computed from scratch without the code of the hub. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { BucketSum } from '../../../src/domain/record/digest-sums.ts'
import type { BucketRecord } from '../../../src/storage/port/digest-store.ts'
import type { ModuleRef } from '../../../src/storage/port/record-list-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import type { StorageKit } from './kit.ts'

const md5 = (text: string) => createHash('md5').update(text).digest('hex')

/** The sums of these records by the first hex digits of their references, as the specification of a digest defines them. */
export function expectedSums(versions: ReadonlyMap<string, string>, digits: number): BucketSum[] {
  const sums = new Map<string, { count: number; sum: bigint }>()
  for (const [reference, version] of versions) {
    const prefix = md5(reference).slice(0, digits)
    const bucket = sums.get(prefix) ?? { count: 0, sum: 0n }
    const hash = BigInt(`0x${md5(`${reference}\u001f${version}`).slice(0, 12)}`)
    sums.set(prefix, { count: bucket.count + 1, sum: (bucket.sum + hash) % 2n ** 48n })
  }
  return [...sums]
    .map(([prefix, { count, sum }]) => ({ prefix, count, sum: Number(sum) }))
    .sort((one, other) => (one.prefix < other.prefix ? -1 : 1))
}

/** The sum of a whole module. */
function sumOfAll(versions: ReadonlyMap<string, string>): bigint {
  return expectedSums(versions, 1).reduce((total, { sum }) => (total + BigInt(sum)) % 2n ** 48n, 0n)
}

/** The module of a platform. */
export async function moduleRef(
  { runSql }: StorageKit,
  { platform_id }: { platform_id: number },
  record_type = 'students',
): Promise<ModuleRef> {
  const [row] = await runSql(
    `SELECT module_id FROM modules WHERE platform_id = ${platform_id} AND record_type = '${record_type}'`,
  )
  return { platform_id, module_id: Number(row?.['module_id']) }
}

/** All present records of a bucket, read in small steps. */
export async function listBucket(
  { digests }: Storage,
  module: ModuleRef,
  prefix: string,
): Promise<BucketRecord[]> {
  const all: BucketRecord[] = []
  let after: Awaited<ReturnType<typeof digests.listBucketRecords>>['next'] = null
  do {
    const step = await digests.listBucketRecords(module, { prefix, after, limit: 3 })
    all.push(...step.records)
    after = step.next
  } while (after !== null)
  return all
}

/**
 * Asserts that all sums of a module are those of these versions, at every level.
 * @param versions the versions of the present records that have one, by reference.
 */
export async function expectSums(
  { storage }: StorageKit,
  module: ModuleRef,
  versions: ReadonlyMap<string, string>,
): Promise<void> {
  const { digests } = storage
  for (const digits of [1, 2, 3]) {
    assert.deepEqual(await digests.readSums(module, digits), expectedSums(versions, digits))
  }
  const { present: _, ...totals } = await digests.readTotals(module)
  const unversioned = await digests.listUnversioned(module, 1)
  assert.deepEqual(totals, {
    count: versions.size,
    sum: Number(sumOfAll(versions)),
    hasUnversioned: unversioned.length > 0,
  })
  const coarse = expectedSums(versions, 2).map(({ prefix }) => prefix)
  for (const digits of [3, 4, 6]) {
    const finer = await digests.readFinerSums(module, coarse, digits)
    assert.deepEqual(finer, expectedSums(versions, digits))
  }
}

/** A bucket that stays different for a known reason. */
export const rememberedBucket = (prefix: string) => ({
  ...{
    prefix,
    state: 'explained' as const,
    explained: 2,
    not_stored: 0,
    rejected: 0,
    since: '2026-03-10T08:00:00.000Z',
    at: '2026-03-10T08:00:00.000Z',
  },
  ...{ remote_count: 5, remote_sum: 2 ** 48 - 1, local_count: 3, local_sum: 7 },
  ...{ reference_number: null, version: null },
})
