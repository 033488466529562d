import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  type ConnectionCheck,
  ConnectionTest,
  ConnectionTestRequest,
  ErrorResponse,
  HubKeyResponse,
  RevealRequest,
  RotateRequest,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import type { ConfirmedAction } from '../../domain/auth/confirmed-action.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import {
  abortOnClose,
  acceptsNdjson,
  jsonOrLines,
  LINES,
  sendLines,
  toLines,
} from '../../lib/net/ndjson.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { auditProbe } from './audit-probe.ts'
import type { ConnectionTestClient } from './check-connection.ts'
import { revealHubKey, rotateHubKey } from './hub-key.ts'
import { readTarget } from './read-target.ts'
import { type ConnectionTestOptions, testRegistered } from './test-connection.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })

/** Tests the connection to a platform, and shows and rotates its hub API key. */
export function connectionRoutes(deps: {
  platforms: PlatformStore
  connections: ConnectionStore
  activity: ActivityStore
  client: ConnectionTestClient
  secrets: SecretBox
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
  /** @throws HubError if the caller may not reveal keys. */
  confirmAction: (request: FastifyRequest, action: ConfirmedAction) => Promise<void>
}): FastifyPluginAsyncTypebox {
  const { requesterOf, confirmAction } = deps

  /** Verifies that the caller may see a hub API key. @throws HubError */
  async function confirmKey(
    request: FastifyRequest<{ Params: { id: number }; Body: { password?: string } }>,
    action: string,
  ): Promise<void> {
    const platform = await deps.platforms.readPlatform(request.params.id)
    if (!platform) throw new HubError('not_found', { what: 'platform' })
    const { password } = request.body
    const target = platform.platform_name
    await confirmAction(request, { action, target, scope: 'hub_keys', password })
  }

  async function toTestOptions(
    platformId: number,
    checkEverything: boolean,
  ): Promise<ConnectionTestOptions & { platform_id: number }> {
    const { platform, target } = await readTarget(deps, platformId)
    const registered = platform.modules.filter((module) => module.registered)
    return {
      platform_id: platformId,
      target,
      expected: platform.platform_name,
      correctUrl: false,
      checkEverything,
      recordTypes: registered.map((module) => module.record_type),
    }
  }

  return async (app) => {
    app.post(
      '/api/v1/platforms/:id/test',
      {
        schema: {
          summary:
            'Test the connection to a registered platform and, if requested, all of its endpoints',
          description: LINES,
          params: PlatformId,
          body: Type.Union([ConnectionTestRequest, Type.Null()]),
          response: { 200: jsonOrLines(ConnectionTest), '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const checkEverything = request.body?.check_everything ?? false
        const options = await toTestOptions(request.params.id, checkEverything)
        const { source_base_url } = options.target
        const platform_name = options.expected
        await auditProbe(deps, requesterOf(request), { platform_name, source_base_url })
        const steps = testRegistered(deps, options, abortOnClose(reply))
        if (acceptsNdjson(request)) {
          const last = (_: unknown, checks: ConnectionCheck[]) => toResponse(checks)
          return sendLines(reply, toLines(steps, last))
        }
        return reply.send(toResponse(await Array.fromAsync(steps)))
      },
    )

    app.post(
      '/api/v1/platforms/:id/hub-key/reveal',
      {
        schema: {
          summary: 'Show the hub API key of a platform after the operator confirms the password',
          description: 'A token needs the scope hub_keys.',
          params: PlatformId,
          body: RevealRequest,
          response: { 200: HubKeyResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        await confirmKey(request, 'hub_key.reveal')
        const hub_api_key = await revealHubKey(deps, request.params.id, requesterOf(request))
        reply.header('Cache-Control', 'no-store')
        return { success: true as const, hub_api_key }
      },
    )

    app.post(
      '/api/v1/platforms/:id/hub-key/rotate',
      {
        schema: {
          summary:
            'Create a new hub API key for a platform; the old one remains valid for a grace period',
          description: 'A token needs the scope hub_keys.',
          params: PlatformId,
          body: RotateRequest,
          response: { 200: HubKeyResponse, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        await confirmKey(request, 'hub_key.rotate')
        const { grace_seconds } = request.body
        const rotation = { platform_id: request.params.id, grace_seconds }
        const hub_api_key = await rotateHubKey(deps, rotation, requesterOf(request))
        reply.header('Cache-Control', 'no-store')
        return { success: true as const, hub_api_key }
      },
    )
  }
}

function toResponse(checks: ConnectionCheck[]): ConnectionTest {
  return { success: checks.every((one) => one.ok), checks }
}
