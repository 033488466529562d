import type { RecordStore } from '../port/record-store.ts'
import type { Databases } from './databases.ts'
import { selectRecords, toRecordRow } from './record-rows.ts'

export function createRecordReads({
  reader,
}: Pick<Databases, 'reader'>): Pick<RecordStore, 'readRecord' | 'listHistory'> {
  return {
    async readRecord(recordId) {
      const row = await selectRecords(reader).where('r.record_id', '=', recordId).executeTakeFirst()
      return row ? toRecordRow(row) : null
    },

    async listHistory({ record_id, limit, before }) {
      const record = await reader
        .selectFrom('records')
        .select('platform_id')
        .where('record_id', '=', record_id)
        .executeTakeFirst()
      if (!record) return []
      let select = reader
        .selectFrom('record_history')
        .select(['change_seq', 'at', 'source', 'changes', 'pull_id', 'request_id'])
        .where('platform_id', '=', record.platform_id)
        .where('record_id', '=', record_id)
      if (before !== null) select = select.where('change_seq', '<', before)
      return select.orderBy('change_seq', 'desc').limit(limit).execute()
    },
  }
}
