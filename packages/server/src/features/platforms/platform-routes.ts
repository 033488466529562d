import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ConnectionProbeRequest,
  ErrorResponse,
  Platform,
  PlatformChange,
  PlatformDetails,
  PlatformRename,
  ProbeResponse,
  RegisterRequest,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import {
  abortOnClose,
  acceptsNdjson,
  jsonOrLines,
  LINES,
  resultOf,
  sendLines,
  toLines,
} from '../../lib/net/ndjson.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { auditProbe } from './audit-probe.ts'
import { changePlatform } from './change-platform.ts'
import { registerPlatform } from './register-platform.ts'
import { renamePlatform } from './rename-platform.ts'
import { testConnection } from './test-connection.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const OnePlatform = Type.Object({ success: Type.Literal(true), platform: Platform })

/** Registers, lists and changes platforms. */
export function platformRoutes(deps: {
  platforms: PlatformStore
  connections: ConnectionStore
  activity: Pick<ActivityStore, 'appendAudit'>
  client: PlatformClient
  secrets: SecretBox
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { platforms, connections, client, clock, requesterOf } = deps
  return async (app) => {
    app.post(
      '/api/v1/platforms/probe',
      {
        schema: {
          summary: 'Test the connection to a platform and fetch its manifest',
          description: LINES,
          body: ConnectionProbeRequest,
          response: { 200: jsonOrLines(ProbeResponse), '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const {
          check_everything: checkEverything = false,
          only_ping: onlyPing = false,
          ...target
        } = request.body
        const { source_base_url } = target
        await auditProbe(deps, requesterOf(request), { platform_name: null, source_base_url })
        const options = {
          target,
          expected: null,
          recordTypes: null,
          correctUrl: true,
          checkEverything,
          onlyPing,
        }
        const steps = testConnection(client, options, abortOnClose(reply))
        if (!acceptsNdjson(request)) return reply.send(await resultOf(steps))
        const lines = toLines(steps, (result) => result)
        return sendLines(reply, lines)
      },
    )

    app.post(
      '/api/v1/platforms',
      {
        schema: {
          summary: 'Register a platform',
          body: RegisterRequest,
          response: {
            201: Type.Object({ ...OnePlatform.properties, hub_api_key: Type.String() }),
            '4xx': ErrorResponse,
            '5xx': ErrorResponse,
          },
        },
      },
      async (request, reply) => {
        const registered = await registerPlatform(deps, request.body, requesterOf(request))
        return reply.code(201).send({ success: true as const, ...registered })
      },
    )

    app.get(
      '/api/v1/platforms',
      {
        schema: {
          summary: 'List platforms',
          response: {
            200: Type.Object({ success: Type.Literal(true), platforms: Type.Array(Platform) }),
          },
        },
      },
      async () => ({ success: true as const, platforms: await platforms.listPlatforms() }),
    )

    app.get(
      '/api/v1/platforms/:id',
      {
        schema: {
          summary: 'Read a platform',
          params: PlatformId,
          response: {
            200: Type.Object({ success: Type.Literal(true), platform: PlatformDetails }),
            '4xx': ErrorResponse,
          },
        },
      },
      async (request) => {
        const { id } = request.params
        const platform = await platforms.readPlatform(id)
        if (!platform) throw new HubError('not_found', { what: 'platform' })
        const now = clock.now()
        const hub_keys = await connections.readHubKeys(id, now.toISOString())
        const pulls_paused_until = await platforms.readPauseEnd(id, now)
        return {
          success: true as const,
          platform: { ...platform, hub_keys, pulls_paused_until },
        }
      },
    )

    app.patch(
      '/api/v1/platforms/:id',
      {
        schema: {
          summary: 'Change the address or source key of a platform, its modules, or its status',
          description:
            'Changes everything that it contains, or nothing. A new address or key is tested before it is stored. An address with another scheme, host or port requires its source_api_key, because the hub sends the stored key to no other.',
          params: PlatformId,
          body: PlatformChange,
          response: { 200: OnePlatform, '4xx': ErrorResponse, '5xx': ErrorResponse },
        },
      },
      async (request) => {
        const record_types = request.body.record_types && [...new Set(request.body.record_types)]
        const change = { ...request.body, platform_id: request.params.id, record_types }
        const platform = await changePlatform(deps, change, requesterOf(request))
        return { success: true as const, platform }
      },
    )

    app.post(
      '/api/v1/platforms/:id/rename',
      {
        schema: {
          summary: 'Accept the new name of a platform that was renamed',
          description:
            'The manifest of the platform must have this name. Its id, records, history and keys stay. Filters, links and SQL views use the new name.',
          params: PlatformId,
          body: PlatformRename,
          response: { 200: OnePlatform, '4xx': ErrorResponse, '5xx': ErrorResponse },
        },
      },
      async (request) => {
        const { platform_name } = request.body
        const change = { platform_id: request.params.id, platform_name }
        const platform = await renamePlatform(deps, change, requesterOf(request))
        return { success: true as const, platform }
      },
    )
  }
}
