import type { StoredRecord } from '@recordhub/protocol'
import { textOfValue, writeLossless } from '../../lib/lossless-json.ts'
import type { Column } from './columns.ts'

const encoder = new TextEncoder()
const bytesOf = (text: string) => encoder.encode(text).length

/**
 * Estimates the size of an export before compression, from the records of the current page; null if it cannot be
 * estimated.
 */
export function estimateBytes(
  format: string,
  {
    records,
    total,
    columns,
  }: { records: readonly StoredRecord[]; total: number; columns: readonly Column[] | null },
): number | null {
  if (records.length === 0) return total === 0 ? 0 : null
  const sizes: Record<string, ((record: StoredRecord) => number) | undefined> = {
    ndjson: (record) => bytesOf(writeLossless(record, '')) + 1,
    json: (record) => bytesOf(writeLossless(record, '')) + 1,
    csv: (record) =>
      columns
        ? columns.reduce(
            (sum, column) => sum + bytesOf(textOfValue(column.valueOf(record)) ?? '') + 1,
            1,
          )
        : bytesOf(
            Object.values({ ...record, ...record.data, data: '' })
              .map((value) => textOfValue(value) ?? '')
              .join(','),
          ) + 2,
  }
  const sizeOf = sizes[format]
  if (!sizeOf) return null
  const sum = records.reduce((bytes, record) => bytes + sizeOf(record), 0)
  return Math.round((sum / records.length) * total)
}
