import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorAnswer,
  Platform,
  PlatformChange,
  ProbeAnswer,
  ProbeRequest,
  RegisterRequest,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/clock.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import type { PlatformClient } from '../../outgoing/platform-client.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { changeModules } from './change-modules.ts'
import { changePlatformStatus } from './change-platform.ts'
import { probePlatform } from './probe-platform.ts'
import { type Requester, registerPlatform } from './register-platform.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const OnePlatform = Type.Object({ success: Type.Literal(true), platform: Platform })

/** Registering and looking after platforms. */
export function platformRoutes(parts: {
  platforms: PlatformStore
  client: PlatformClient
  secrets: SecretBox
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { platforms, client, requesterOf } = parts
  return async (app) => {
    app.post(
      '/api/v1/platforms/probe',
      {
        schema: {
          summary: 'Test the connection to a platform and fetch its manifest',
          body: ProbeRequest,
          response: { 200: ProbeAnswer, '4xx': ErrorAnswer },
        },
      },
      (request) => probePlatform(client, request.body),
    )

    app.post(
      '/api/v1/platforms',
      {
        schema: {
          summary: 'Register a platform',
          body: RegisterRequest,
          response: {
            201: Type.Object({ ...OnePlatform.properties, hub_api_key: Type.String() }),
            '4xx': ErrorAnswer,
            '5xx': ErrorAnswer,
          },
        },
      },
      async (request, reply) => {
        const registered = await registerPlatform(parts, request.body, requesterOf(request))
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
          response: { 200: OnePlatform, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const platform = await platforms.readPlatform(request.params.id)
        if (!platform) throw new HubError('not_found', { what: 'platform' })
        return { success: true as const, platform }
      },
    )

    app.patch(
      '/api/v1/platforms/:id',
      {
        schema: {
          summary: 'Activate or deactivate a platform, and choose its modules',
          params: PlatformId,
          body: PlatformChange,
          response: { 200: OnePlatform, '4xx': ErrorAnswer },
        },
      },
      async (request) => {
        const { status, record_types } = request.body
        const platform_id = request.params.id
        const requester = requesterOf(request)
        if (record_types) await changeModules(parts, { platform_id, record_types }, requester)
        if (status) await changePlatformStatus(parts, { platform_id, status }, requester)
        const platform = await platforms.readPlatform(platform_id)
        if (!platform) throw new HubError('not_found', { what: 'platform' })
        return { success: true as const, platform }
      },
    )
  }
}
