/** Missing records in tests of the storage. */
import { pushLimits } from '../../../src/domain/pull/missing.ts'
import type {
  MarkOutcome,
  NewMissingReview,
  RecordRef,
} from '../../../src/storage/port/missing-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { listRecords } from './fixtures.ts'
import type { TestRead } from './pulls.ts'

export const READ_AT = '2026-03-10T08:00:00.000Z'

/** Lists all records that a read did not contain, in steps. */
export async function listMissing(
  storage: Storage,
  { read }: TestRead,
  { limit = 1000, graceSeconds = 0 } = {},
): Promise<RecordRef[]> {
  const all: RecordRef[] = []
  const limits = pushLimits(read.requested_at, graceSeconds)
  let after: string | null = null
  do {
    const isPresent = ({ record_id }: RecordRef) => read.seen.has(record_id)
    const step = await storage.missing.listMissing({
      ...read,
      snapshotSeq: read.snapshotSeq,
      ...limits,
      isPresent,
      limit,
      after,
    })
    all.push(...step.missing)
    after = step.next
  } while (after !== null)
  return all
}

/** Marks records by their reference numbers, whether the read contained them or not. */
export async function markMissing(
  storage: Storage,
  { read }: TestRead,
  references: string[],
  graceSeconds = 0,
): Promise<MarkOutcome> {
  const stored = new Map(
    (await listRecords(storage)).map((row) => [row.reference_number, row.record_id]),
  )
  const limits = pushLimits(read.requested_at, graceSeconds)
  const records = references.map((reference_number) => ({
    reference_number,
    record_id: stored.get(reference_number) ?? -1,
  }))
  return storage.missing.markMissing({
    ...read,
    snapshotSeq: read.snapshotSeq,
    ...limits,
    since: READ_AT,
    records,
  })
}

/** A missing review, by default of 20 of 50 records. */
export function missingReview(
  { read }: TestRead,
  overrides: Partial<NewMissingReview> = {},
): NewMissingReview {
  const { platform_id, module_id, pull_id } = read
  const numbers = { missing: 20, records: 50, fingerprint: 'these', record_ids: [] }
  return { platform_id, module_id, pull_id, ...numbers, ...overrides }
}
