import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorResponse,
  ModuleRemovalPreview,
  ModuleRemovalRequest,
  PlatformRemovalPreview,
  PlatformRemovalRequest,
  RemovalPage,
  RemovalResponse,
  RequestText,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { RemovalStore } from '../../storage/port/removal-store.ts'
import type { DeletionWorker } from './deletion-worker.ts'
import { removeModuleRecords, removePlatform } from './request-removal.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const ModuleId = Type.Object({ ...PlatformId.properties, record_type: RequestText() })
const PAGE = 50

/** Removes platforms, and deletes the records of modules that are no longer registered. */
export function removalRoutes(deps: {
  platforms: PlatformStore
  removals: RemovalStore
  deletionWorker: DeletionWorker
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { removals, requesterOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/platforms/:id/removal',
      {
        schema: {
          summary: 'Preview the removal of a platform',
          params: PlatformId,
          response: {
            200: Type.Object({ success: Type.Literal(true), removal: PlatformRemovalPreview }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const removal = await removals.previewPlatform(request.params.id)
        if (!removal) throw new HubError('not_found', { what: 'platform' })
        return { success: true as const, removal }
      },
    )

    app.delete(
      '/api/v1/platforms/:id',
      {
        schema: {
          summary: 'Remove a platform: its keys immediately, its records in the background',
          params: PlatformId,
          body: PlatformRemovalRequest,
          response: { 202: RemovalResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { platform_name } = request.body
        const confirmed = { platform_id: request.params.id, platform_name }
        const removal = await removePlatform(deps, confirmed, requesterOf(request))
        return reply.code(202).send({ success: true, removal })
      },
    )

    app.get(
      '/api/v1/platforms/:id/modules/:record_type/records',
      {
        schema: {
          summary: 'Preview the deletion of the records of a module',
          params: ModuleId,
          response: {
            200: Type.Object({ success: Type.Literal(true), removal: ModuleRemovalPreview }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { id, record_type } = request.params
        const removal = await removals.previewModule({ platform_id: id, record_type })
        if (!removal) throw new HubError('not_found', { what: 'module' })
        return { success: true as const, removal }
      },
    )

    app.delete(
      '/api/v1/platforms/:id/modules/:record_type/records',
      {
        schema: {
          summary: 'Delete the records of a module that is not registered, in the background',
          params: ModuleId,
          body: ModuleRemovalRequest,
          response: { 202: RemovalResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const { id, record_type } = request.params
        const confirmed = { platform_id: id, record_type, typed: request.body.record_type }
        const removal = await removeModuleRecords(deps, confirmed, requesterOf(request))
        return reply.code(202).send({ success: true, removal })
      },
    )

    app.get(
      '/api/v1/removals',
      {
        schema: {
          summary: 'List current and past removals, newest first',
          querystring: Type.Object(
            {
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
              platform_id: Type.Optional(
                Type.Integer({ minimum: 1, description: 'Only the removal of this platform' }),
              ),
              platform: Type.Optional(
                RequestText({ description: 'Only removals of platforms with this name' }),
              ),
            },
            { additionalProperties: false },
          ),
          response: { 200: RemovalPage, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { cursor: before = null, platform_id: id, platform: name } = request.query
        const platform = id === undefined ? (name === undefined ? null : { name }) : { id }
        const found = await removals.listRemovals({ limit: PAGE + 1, before, platform })
        const { page, next_cursor } = paginate(found, PAGE, ({ id }) => id)
        return { success: true as const, removals: page, next_cursor }
      },
    )
  }
}
