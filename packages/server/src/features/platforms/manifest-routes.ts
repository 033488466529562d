import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  CompletenessPage,
  DriftAnswer,
  ErrorAnswer,
  ManifestRefreshAnswer,
  ModuleChange,
  Platform,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { ManifestStore } from '../../storage/port/manifest-store.ts'
import { changeDriftPolicy } from './change-module.ts'
import { type ManifestParts, refreshManifest } from './refresh-manifest.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const MAX_PAGE = 500

/** Manifests, what differs from them, and whether all records are here. */
export function manifestRoutes(
  parts: Omit<ManifestParts, 'manifests'> & {
    manifests: ManifestStore
    requesterOf: (request: FastifyRequest) => Requester
  },
): FastifyPluginAsyncTypebox {
  const { manifests, requesterOf } = parts
  return async (app) => {
    app.post(
      '/api/v1/platforms/:id/manifest/refresh',
      {
        schema: {
          summary: "Fetch a platform's manifest and take it over",
          params: PlatformId,
          response: { 200: ManifestRefreshAnswer, '4xx': ErrorAnswer, '5xx': ErrorAnswer },
        },
      },
      async (request) => {
        const { id } = request.params
        const refreshed = await refreshManifest(parts, id, requesterOf(request))
        return { success: true as const, ...refreshed }
      },
    )

    app.get(
      '/api/v1/platforms/:id/drift',
      {
        schema: {
          summary: 'How the manifest has changed, and what of the records does not go with it',
          params: PlatformId,
          response: { 200: DriftAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const drift = await manifests.readDrift(request.params.id)
        if (!drift) throw new HubError('not_found', { what: 'platform' })
        return { success: true as const, ...drift }
      },
    )

    app.patch(
      '/api/v1/platforms/:id/modules/:record_type',
      {
        schema: {
          summary: 'Say what becomes of records that do not go with the manifest',
          params: Type.Object({ ...PlatformId.properties, record_type: Type.String() }),
          body: ModuleChange,
          response: {
            200: Type.Object({ success: Type.Literal(true), platform: Platform }),
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request) => {
        const { id, record_type } = request.params
        const change = { platform_id: id, record_type, ...request.body }
        const platform = await changeDriftPolicy(parts, change, requesterOf(request))
        return { success: true as const, platform }
      },
    )

    app.get(
      '/api/v1/completeness',
      {
        schema: {
          summary: 'Whether the records of the registered modules are all here',
          querystring: Type.Object(
            {
              platform: Type.Optional(Type.String()),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: CompletenessPage, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const { platform = null, limit = MAX_PAGE, cursor = null } = request.query
        const query = { platform, limit: limit + 1, after: cursor }
        const found = await manifests.listCompleteness(query)
        const { page, next_cursor } = paginate(found, limit, ({ module_id }) => module_id)
        return { success: true as const, modules: page, next_cursor }
      },
    )
  }
}
