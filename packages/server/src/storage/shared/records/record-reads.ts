import { sql } from 'kysely'
import { takeWithinBytes } from '../../../lib/collections/take-within-bytes.ts'
import type { RecordStore } from '../../port/record-store.ts'
import type { Databases } from '../schema/databases.ts'
import { selectRecords, toRecordRow } from './record-rows.ts'
import { isVisible } from './visible-modules.ts'

export function createRecordReads({
  reader,
}: Pick<Databases, 'reader'>): Pick<RecordStore, 'readRecord' | 'listHistory'> {
  return {
    async readRecord(recordId) {
      const row = await selectRecords(reader)
        .where('r.record_id', '=', recordId)
        .where(isVisible('r'))
        .executeTakeFirst()
      return row ? toRecordRow(row) : null
    },

    async listHistory({ record_id, limit, maxBytes, before }) {
      const record = await reader
        .selectFrom('records as r')
        .select('r.platform_id')
        .where('r.record_id', '=', record_id)
        .where(isVisible('r'))
        .executeTakeFirst()
      if (!record) return { entries: [], has_more: false }
      const ofRecord = reader
        .selectFrom('record_history')
        .where('platform_id', '=', record.platform_id)
        .where('record_id', '=', record_id)
        .orderBy('change_seq', 'desc')
      // The size of the page is limited before any changes are read.
      const located = await (before === null ? ofRecord : ofRecord.where('change_seq', '<', before))
        .select(['change_seq', sql<number>`octet_length(changes)`.as('bytes')])
        .limit(limit + 1)
        .execute()
      const page = takeWithinBytes(located.slice(0, limit), maxBytes)
      const [first, last] = [page[0], page.at(-1)]
      if (!first || !last) return { entries: [], has_more: false }
      const entries = await ofRecord
        .select(['change_seq', 'at', 'source', 'changes', 'pull_id', 'request_id'])
        .where('change_seq', '<=', first.change_seq)
        .where('change_seq', '>=', last.change_seq)
        .execute()
      return { entries, has_more: located.length > page.length }
    },
  }
}
