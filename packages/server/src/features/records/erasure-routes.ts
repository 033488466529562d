import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  Erasure,
  ErasurePreview,
  ErasureRequest,
  ErrorResponse,
  TombstonePage,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { ErasureStore } from '../../storage/port/erasure-store.ts'
import type { RecordStore } from '../../storage/port/record-store.ts'
import { deleteTombstone, eraseRecord } from './erase-record.ts'

const RecordId = Type.Object({ record_id: Type.Integer({ minimum: 1 }) })
const TombstoneId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const PAGE = 50

const NOT_COVERED = [
  'Earlier backups and exports. They contain the record until they are deleted.',
  'Text that people have entered: saved views that search for the person, and reasons in the audit log.',
  'The platform. It still has the record, and can send it again once the tombstone is deleted.',
  'On PostgreSQL: its write-ahead log, its replicas, and deleted data that it has not yet overwritten in its files.',
]

/** Erasing records, and the tombstones of erased records. */
export function erasureRoutes(deps: {
  records: Pick<RecordStore, 'readRecord'>
  erasure: ErasureStore
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { erasure, requesterOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/records/:record_id/erasure',
      {
        schema: {
          summary: 'Preview what erasing a record deletes',
          params: RecordId,
          response: {
            200: Type.Object({ success: Type.Literal(true), erasure: ErasurePreview }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const preview = await erasure.previewErasure(request.params.record_id)
        if (!preview) throw new HubError('not_found', { what: 'record' })
        return { success: true as const, erasure: { ...preview, not_covered: NOT_COVERED } }
      },
    )

    app.post(
      '/api/v1/records/:record_id/erase',
      {
        schema: {
          summary: 'Erase or anonymise a record permanently',
          params: RecordId,
          body: ErasureRequest,
          response: {
            200: Type.Object({ success: Type.Literal(true), erasure: Erasure }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { mode, reason = null } = request.body
        const { record_id } = request.params
        const requested = { record_id, mode, reason }
        return {
          success: true as const,
          erasure: await eraseRecord(deps, requested, requesterOf(request)),
        }
      },
    )

    app.get(
      '/api/v1/tombstones',
      {
        schema: {
          summary: 'List the tombstones of erased records, newest first',
          querystring: Type.Object(
            { cursor: Type.Optional(Type.Integer({ minimum: 1 })) },
            { additionalProperties: false },
          ),
          response: { 200: TombstonePage, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const before = request.query.cursor ?? null
        const found = await erasure.listTombstones({ limit: PAGE + 1, before })
        const { page, next_cursor } = paginate(found, PAGE, ({ id }) => id)
        return { success: true as const, tombstones: page, next_cursor }
      },
    )

    app.delete(
      '/api/v1/tombstones/:id',
      {
        schema: {
          summary: 'Delete a tombstone, so that the hub accepts the record again',
          params: TombstoneId,
          response: { 200: Type.Object({ success: Type.Literal(true) }), '4xx': ErrorResponse },
        },
      },
      async (request) => {
        await deleteTombstone(deps, request.params.id, requesterOf(request))
        return { success: true as const }
      },
    )
  }
}
