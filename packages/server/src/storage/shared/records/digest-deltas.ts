/** What the writes of a transaction change in the sums of modules, and how a record counts in them. */
import { sql } from 'kysely'
import {
  addSums,
  bucketSize,
  hashOfReference,
  hashOfVersion,
  STORED_DIGITS,
  SUM_MODULUS,
  subtractSums,
} from '../../../domain/record/digest-sums.ts'
import type { ModuleRef } from '../../port/record-list-store.ts'
import type { Executor } from '../schema/databases.ts'
import { addToModule } from './module-counts.ts'
import type { DigestColumns, StoredRecord } from './write-rows.ts'

/** What is added to a row of `digest_sums`. `sum` is not negative, since sums are added modulo 2^48. */
export type SumDelta = ModuleRef & { bucket: number; count: number; sum: number }

/** What is added to the totals of a module. */
export type TotalDelta = ModuleRef & { versions: number; version_sum: number }

/** Sums the differences of a transaction, so that it writes each changed bucket once. */
export class DigestDeltas {
  readonly #deltas = new Map<string, SumDelta>()

  /** Replaces what a record adds. `null` before: it was not stored. `null` after: it is deleted, or missing. */
  replace(
    { platform_id, module_id }: ModuleRef,
    before: DigestColumns | null,
    after: DigestColumns | null,
  ): void {
    const removed = before?.version_hash ?? null
    const added = after?.version_hash ?? null
    const reference_hash = after?.reference_hash ?? before?.reference_hash ?? null
    if (removed === added || reference_hash === null) return
    const bucket = Math.floor(reference_hash / bucketSize(STORED_DIGITS))
    const count = Number(added !== null) - Number(removed !== null)
    const sum = subtractSums(added ?? 0, removed ?? 0)
    const name = `${module_id} ${bucket}`
    const known = this.#deltas.get(name)
    if (known) {
      known.count += count
      known.sum = addSums(known.sum, sum)
    } else this.#deltas.set(name, { platform_id, module_id, bucket, count, sum })
  }

  /** Returns the differences, sorted, so that all nodes lock the rows in the same order. */
  rows(): SumDelta[] {
    return [...this.#deltas.values()]
      .filter(({ count, sum }) => count !== 0 || sum !== 0)
      .sort((one, other) => one.module_id - other.module_id || one.bucket - other.bucket)
  }

  /** Returns the differences of whole modules, sorted for the same reason. */
  totals(): TotalDelta[] {
    const totals = new Map<number, TotalDelta>()
    for (const { platform_id, module_id, count, sum } of this.#deltas.values()) {
      const { versions = 0, version_sum = 0 } = totals.get(module_id) ?? {}
      const added = { versions: versions + count, version_sum: addSums(version_sum, sum) }
      totals.set(module_id, { platform_id, module_id, ...added })
    }
    return [...totals.values()]
      .filter(({ versions, version_sum }) => versions !== 0 || version_sum !== 0)
      .sort((one, other) => one.module_id - other.module_id)
  }
}

/** No columns of a record that has never had a version. */
export const NO_DIGEST: DigestColumns = { reference_hash: null, version_hash: null }

/**
 * Returns the columns of a record after a write. The hash of the reference is computed with the first version of a record,
 * or of its module, and kept from then on.
 * @param usesVersions whether any record of the module has had a version.
 */
export function digestColumns(
  { reference_number, version }: { reference_number: string; version: string | null },
  { stored, usesVersions }: { stored: StoredRecord | null; usesVersions: boolean },
): DigestColumns {
  const known = stored?.reference_hash ?? null
  if (version === null && !usesVersions && known === null) return NO_DIGEST
  const reference_hash = known ?? hashOfReference(reference_number)
  if (version === null) return { reference_hash, version_hash: null }
  const isKept = stored !== null && stored.version === version
  const version_hash = isKept ? stored.version_hash : hashOfVersion(reference_number, version)
  return { reference_hash, version_hash }
}

/** Rows that one statement changes. */
const ROWS_PER_STATEMENT = 500

/**
 * Adds to the stored sums and totals. The caller's transaction has changed the records before.
 * @param node the name of the counter rows.
 */
export async function addToSums(db: Executor, deltas: DigestDeltas, node: string): Promise<void> {
  for (const total of deltas.totals()) await addToModule(db, total, total, node)
  await addToBuckets(db, deltas.rows())
}

/** Adds to the stored sums alone. @param rows in the order of `DigestDeltas.rows`. */
export async function addToBuckets(db: Executor, rows: readonly SumDelta[]): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    await db
      .insertInto('digest_sums')
      .values(rows.slice(start, start + ROWS_PER_STATEMENT))
      .onConflict((conflict) =>
        conflict.columns(['platform_id', 'module_id', 'bucket']).doUpdateSet({
          count: sql`digest_sums.count + excluded.count`,
          sum: sql`(digest_sums.sum + excluded.sum) % ${sql.lit(SUM_MODULUS)}`,
        }),
      )
      .execute()
  }
}
