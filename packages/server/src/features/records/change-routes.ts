import { ChangesResponse, type RecordChangeLine, RequestText } from '@recordhub/protocol'
import { Type } from 'typebox'
import { HubError } from '../../errors.ts'
import { Limit, route } from '../../http/route.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/pagination.ts'
import type { ChangeRow } from '../../storage/port/record-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { toStoredRecord } from './list-records.ts'

const DEFAULT_LIMIT = 100

/** The feed of changes, which programs follow to maintain a copy of the records. */
export function changeRoutes({ changes }: Pick<FeatureDeps, 'changes'>) {
  return [
    route('GET /api/v1/changes', {
      summary: 'Follow changes: each record once, in the order of its newest change',
      description:
        'Start without `since` to read every record once, then pass `next_cursor` as `since` in each following request. A page of large records has fewer than `limit` entries; `has_more` tells whether more follow. The feed neither skips nor repeats a change. Replace your copy of the `record_id` if the record was created or updated, and delete it if the record was deleted.',
      query: {
        since: Type.Optional(Type.Integer({ minimum: 0 })),
        platform: Type.Optional(RequestText()),
        record_type: Type.Optional(RequestText()),
        limit: Limit,
      },
      response: ChangesResponse.properties,
      async handle({ query }) {
        const { since = 0, platform = null, record_type = null, limit = DEFAULT_LIMIT } = query
        const list = { platform, record_type, after: since, limit, maxBytes: MAX_PAGE_BYTES }
        const page = await changes.listChanges(list)
        if (page.outcome === 'beyond') throw new HubError('cursor_beyond')
        return {
          changes: page.changes.map(toLine),
          next_cursor: String(page.through),
          has_more: page.has_more,
        }
      },
    }),
  ]
}

function toLine(row: ChangeRow): RecordChangeLine {
  const line = { cursor: String(row.change_seq), change: row.change, at: row.at }
  if (row.change === 'deleted') {
    const { record_id, platform_name, record_type } = row
    return { ...line, record_id, platform_name, record_type }
  }
  const record = toStoredRecord(row.record)
  const { revert_id } = row
  const revert = revert_id === null ? {} : { source: 'revert' as const, revert_id }
  const { record_id, platform_name, record_type } = record
  return { ...line, record_id, platform_name, record_type, ...revert, record }
}
