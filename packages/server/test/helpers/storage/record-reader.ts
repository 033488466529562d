import type { RecordReader } from '../../../src/storage/shared/record-list/record-scan.ts'

/** Records in memory, one at each position. `onRead` gets the size of the data that is read at once. */
export function createReader(
  options: { sizeOf?: (id: number) => number; onRead?: (bytes: number) => void } = {},
): RecordReader {
  const { sizeOf = () => 2, onRead } = options
  return {
    measure: async (positions) =>
      positions.map((position) => ({ position, bytes: sizeOf(position.record_id) })),
    async read(positions) {
      onRead?.(positions.reduce((sum, { record_id }) => sum + sizeOf(record_id), 0))
      return positions.map((position) => ({ row: toRow(position.record_id), position }))
    },
  }
}

const toRow = (record_id: number) => ({
  ...{ record_id, platform_name: '', module_name: '', record_type: '', reference_number: '' },
  ...{ full_name: '', data: '{}', incomplete: 0, missing_since: null, taken_back: 0 },
  ...{ created_at: '', updated_at: '', change_seq: record_id },
})
