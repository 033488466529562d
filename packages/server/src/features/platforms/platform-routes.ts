import {
  ConnectionProbeRequest,
  ListedModule,
  NullableString,
  Platform,
  PlatformChange,
  PlatformDetails,
  PlatformRename,
  PlatformSummary,
  ProbeResponse,
  RegisterRequest,
  RequestText,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { found } from '../../errors.ts'
import { Cursor, route, special } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import {
  abortOnClose,
  acceptsNdjson,
  jsonOrLines,
  LINES,
  resultOf,
  sendLines,
  toLines,
} from '../../lib/net/ndjson.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { changePlatform, renamePlatform } from './change-platform.ts'
import { registerPlatform } from './register-platform.ts'
import { auditProbe, testConnection } from './test-connection.ts'

/** Each of the two takes about 10 ms of the main thread. */
const MAX_PLATFORMS = 100
const MAX_MODULES = 200

const pageLimit = (maximum: number) => Type.Optional(Type.Integer({ minimum: 1, maximum }))

/** Registers, lists and changes platforms. */
export function platformRoutes(
  deps: Pick<
    FeatureDeps,
    'platforms' | 'connections' | 'activity' | 'client' | 'secrets' | 'clock'
  >,
) {
  const { platforms, connections, client, clock } = deps
  return [
    special('POST /api/v1/platforms/probe', {
      summary: 'Test the connection to a platform and fetch its manifest',
      description: LINES,
      body: ConnectionProbeRequest,
      response: { 200: jsonOrLines(ProbeResponse) },
      async handle(request, reply) {
        const { check_everything = false, only_ping = false, ...target } = request.body
        const { source_base_url } = target
        await auditProbe(deps, request.requester, { platform_name: null, source_base_url })
        const options = {
          ...{ target, expected: null, recordTypes: null, correctUrl: true },
          checkEverything: check_everything,
          onlyPing: only_ping,
        }
        const steps = testConnection(client, options, abortOnClose(reply))
        if (!acceptsNdjson(request)) return reply.send(await resultOf(steps))
        const lines = toLines(steps, (result) => result)
        return sendLines(reply, lines)
      },
    }),

    route('POST /api/v1/platforms', {
      summary: 'Register a platform',
      body: RegisterRequest,
      status: 201,
      response: { platform: Platform, hub_api_key: Type.String() },
      handle: ({ body, requester }) => registerPlatform(deps, body, requester),
    }),

    route('GET /api/v1/platforms', {
      summary: 'List platforms, without their modules',
      query: { limit: pageLimit(MAX_PLATFORMS), cursor: Cursor },
      response: { platforms: Type.Array(PlatformSummary), next_cursor: NullableString },
      async handle({ query: { limit = MAX_PLATFORMS, cursor: after = 0 } }) {
        const rows = await platforms.listPlatforms({ limit: limit + 1, after })
        const { page, next_cursor } = paginate(rows, limit, ({ id }) => id)
        return { platforms: page, next_cursor }
      },
    }),

    route('GET /api/v1/modules', {
      summary: 'List the modules of a platform, or of all',
      query: {
        platform: Type.Optional(RequestText()),
        limit: pageLimit(MAX_MODULES),
        cursor: Cursor,
      },
      response: { modules: Type.Array(ListedModule), next_cursor: NullableString },
      async handle({ query: { platform = null, limit = MAX_MODULES, cursor: after = 0 } }) {
        const rows = await platforms.listModules({ platform, limit: limit + 1, after })
        const { page, next_cursor } = paginate(rows, limit, ({ module_id }) => module_id)
        return { modules: page.map(({ module_id: _, ...module }) => module), next_cursor }
      },
    }),

    route('GET /api/v1/platforms/:id', {
      summary: 'Read a platform',
      response: { platform: PlatformDetails },
      async handle({ params: { id } }) {
        const platform = found('platform', await platforms.readPlatform(id))
        const now = clock.now()
        const hub_keys = await connections.readHubKeys(id, now.toISOString())
        const pulls_paused_until = await platforms.readPauseEnd(id, now)
        return { platform: { ...platform, hub_keys, pulls_paused_until } }
      },
    }),

    route('PATCH /api/v1/platforms/:id', {
      summary: 'Change the address or source key of a platform, its modules, or its status',
      description:
        'Changes everything that it contains, or nothing. A new address or key is tested before it is stored. An address with another scheme, host or port requires its source_api_key, because the hub sends the stored key to no other.',
      body: PlatformChange,
      response: { platform: Platform },
      async handle({ params: { id: platform_id }, body, requester }) {
        const record_types = body.record_types && [...new Set(body.record_types)]
        const change = { ...body, platform_id, record_types }
        return { platform: await changePlatform(deps, change, requester) }
      },
    }),

    route('POST /api/v1/platforms/:id/rename', {
      summary: 'Accept the new name of a platform that was renamed',
      description:
        'The manifest of the platform must have this name. Its id, records, history and keys stay. Filters, links and SQL views use the new name.',
      body: PlatformRename,
      response: { platform: Platform },
      async handle({ params: { id: platform_id }, body: { platform_name }, requester }) {
        const change = { platform_id, platform_name }
        return { platform: await renamePlatform(deps, change, requester) }
      },
    }),
  ]
}
