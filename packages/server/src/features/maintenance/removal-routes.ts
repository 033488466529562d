import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorAnswer,
  ModuleRemovalPreview,
  ModuleRemovalRequest,
  PlatformRemovalPreview,
  PlatformRemovalRequest,
  RemovalAnswer,
  RemovalPage,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { RemovalStore } from '../../storage/port/removal-store.ts'
import type { DeletionWorker } from './deletion-worker.ts'
import { removeModuleRecords } from './remove-module-records.ts'
import { removePlatform } from './remove-platform.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const ModuleId = Type.Object({ ...PlatformId.properties, record_type: Type.String() })
const PAGE = 50

/** Removing platforms, and deleting the records of modules that are not registered any more. */
export function removalRoutes(parts: {
  platforms: PlatformStore
  removals: RemovalStore
  remover: DeletionWorker
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { removals, requesterOf } = parts
  return async (app) => {
    app.get(
      '/api/v1/platforms/:id/removal',
      {
        schema: {
          summary: 'What removing a platform would take',
          params: PlatformId,
          response: {
            200: Type.Object({ success: Type.Literal(true), removal: PlatformRemovalPreview }),
            '4xx': ErrorAnswer,
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
          summary: 'Remove a platform: its keys at once, its records in the background',
          params: PlatformId,
          body: PlatformRemovalRequest,
          response: { 202: RemovalAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const { platform_name } = request.body
        const named = { platform_id: request.params.id, platform_name }
        const removal = await removePlatform(parts, named, requesterOf(request))
        return reply.code(202).send({ success: true, removal })
      },
    )

    app.get(
      '/api/v1/platforms/:id/modules/:record_type/records',
      {
        schema: {
          summary: 'What deleting the records of a module would take',
          params: ModuleId,
          response: {
            200: Type.Object({ success: Type.Literal(true), removal: ModuleRemovalPreview }),
            '4xx': ErrorAnswer,
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
          response: { 202: RemovalAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const { id, record_type } = request.params
        const named = { platform_id: id, record_type, typed: request.body.record_type }
        const removal = await removeModuleRecords(parts, named, requesterOf(request))
        return reply.code(202).send({ success: true, removal })
      },
    )

    app.get(
      '/api/v1/removals',
      {
        schema: {
          summary: 'List what is being deleted and was, newest first',
          querystring: Type.Object(
            { cursor: Type.Optional(Type.Integer({ minimum: 1 })) },
            { additionalProperties: false },
          ),
          response: { 200: RemovalPage, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const before = request.query.cursor ?? null
        const found = await removals.listRemovals({ limit: PAGE + 1, before })
        const { page, next_cursor } = paginate(found, PAGE, ({ id }) => id)
        return { success: true as const, removals: page, next_cursor }
      },
    )
  }
}
