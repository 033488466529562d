import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  CompletenessPage,
  DriftResponse,
  ErrorResponse,
  ManifestRefreshResponse,
  ModuleChange,
  Platform,
  RequestText,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { ManifestStore } from '../../storage/port/manifest-store.ts'
import { type ManifestDeps, refreshManifest } from './refresh-manifest.ts'
import { setDriftPolicy } from './set-drift-policy.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const MAX_PAGE = 500

/** Manifests, drift and completeness. */
export function manifestRoutes(
  deps: Omit<ManifestDeps, 'manifests'> & {
    manifests: ManifestStore
    requesterOf: (request: FastifyRequest) => Requester
  },
): FastifyPluginAsyncTypebox {
  const { manifests, requesterOf } = deps
  return async (app) => {
    app.post(
      '/api/v1/platforms/:id/manifest/refresh',
      {
        schema: {
          summary: "Fetch and store a platform's manifest",
          params: PlatformId,
          response: { 200: ManifestRefreshResponse, '4xx': ErrorResponse, '5xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id } = request.params
        const refreshed = await refreshManifest(deps, id, requesterOf(request))
        return { success: true as const, ...refreshed }
      },
    )

    app.get(
      '/api/v1/platforms/:id/drift',
      {
        schema: {
          summary: 'Read the changes of the manifest and the records that do not match it',
          params: PlatformId,
          response: { 200: DriftResponse, '4xx': ErrorResponse },
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
          summary: 'Set whether records that do not match the manifest are stored or rejected',
          params: Type.Object({ ...PlatformId.properties, record_type: RequestText() }),
          body: ModuleChange,
          response: {
            200: Type.Object({ success: Type.Literal(true), platform: Platform }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { id, record_type } = request.params
        const change = { platform_id: id, record_type, ...request.body }
        const platform = await setDriftPolicy(deps, change, requesterOf(request))
        return { success: true as const, platform }
      },
    )

    app.get(
      '/api/v1/completeness',
      {
        schema: {
          summary: 'Read which registered modules are proved complete',
          querystring: Type.Object(
            {
              platform: Type.Optional(RequestText()),
              limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
              cursor: Type.Optional(Type.Integer({ minimum: 1 })),
            },
            { additionalProperties: false },
          ),
          response: { 200: CompletenessPage, '4xx': ErrorResponse },
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
