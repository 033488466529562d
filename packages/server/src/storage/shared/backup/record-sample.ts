import { createHash } from 'node:crypto'
import type { Row } from '../schema/columns.ts'
import type { RecordSample } from './backup-header.ts'

/** Maximum number of records in a sample. */
const SAMPLE = 1000

/** Returns record ids that are evenly distributed between the lowest and the highest one. */
export function sampleIds(lowest: number, highest: number): number[] {
  const count = Math.min(SAMPLE, highest - lowest + 1)
  const step = count > 1 ? (highest - lowest) / (count - 1) : 0
  return Array.from({ length: count }, (_, index) => Math.round(lowest + index * step))
}

/** Hashes rows, whatever the order of their columns. */
export function hashRows(rows: Iterable<Row>): RecordSample {
  const hash = createHash('sha256')
  let records = 0
  for (const row of rows) {
    hash.update(rowText(row))
    records += 1
  }
  return { records, sha256: hash.digest('base64url') }
}

export function rowText(row: Row): string {
  return `${JSON.stringify(Object.entries(row).toSorted(([one], [other]) => (one < other ? -1 : 1)))}\n`
}
