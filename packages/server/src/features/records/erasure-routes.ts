import {
  Erasure,
  ErasurePreview,
  ErasureRequest,
  NullableString,
  Tombstone,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { found } from '../../errors.ts'
import { Cursor, route } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { deleteTombstone, eraseRecord } from './erase-record.ts'

const PAGE = 50

const NOT_COVERED = [
  'Earlier backups and exports. They contain the record until they are deleted.',
  'Text that people have entered: saved views that search for the person, and reasons in the audit log.',
  'The platform. It still has the record, and can send it again once the tombstone is deleted.',
  'On PostgreSQL: its write-ahead log, its replicas, and deleted data that it has not yet overwritten in its files.',
]

/** Erasing records, and the tombstones of erased records. */
export function erasureRoutes(deps: Pick<FeatureDeps, 'records' | 'erasure'>) {
  const { erasure } = deps
  return [
    route('GET /api/v1/records/:record_id/erasure', {
      summary: 'Preview what erasing a record deletes',
      response: { erasure: ErasurePreview },
      async handle({ params: { record_id } }) {
        const preview = found('record', await erasure.previewErasure(record_id))
        return { erasure: { ...preview, not_covered: NOT_COVERED } }
      },
    }),

    route('POST /api/v1/records/:record_id/erase', {
      summary: 'Erase or anonymise a record permanently',
      body: ErasureRequest,
      response: { erasure: Erasure },
      async handle({ params: { record_id }, body: { mode, reason = null }, requester }) {
        return { erasure: await eraseRecord(deps, { record_id, mode, reason }, requester) }
      },
    }),

    route('GET /api/v1/tombstones', {
      summary: 'List the tombstones of erased records, newest first',
      query: { cursor: Cursor },
      response: { tombstones: Type.Array(Tombstone), next_cursor: NullableString },
      async handle({ query: { cursor: before = null } }) {
        const rows = await erasure.listTombstones({ limit: PAGE + 1, before })
        const { page, next_cursor } = paginate(rows, PAGE, ({ id }) => id)
        return { tombstones: page, next_cursor }
      },
    }),

    route('DELETE /api/v1/tombstones/:id', {
      summary: 'Delete a tombstone, so that the hub accepts the record again',
      async handle({ params: { id }, requester }) {
        await deleteTombstone(deps, id, requester)
        return {}
      },
    }),
  ]
}
