import {
  type ConnectionCheck,
  ConnectionTest,
  ConnectionTestRequest,
  DoneResponse,
  HubKeyResponse,
  RevealRequest,
  RotateRequest,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { ConfirmedAction } from '../../domain/auth/caller.ts'
import { found } from '../../errors.ts'
import { route, special } from '../../http/route.ts'
import {
  abortOnClose,
  acceptsNdjson,
  jsonOrLines,
  LINES,
  sendLines,
  toLines,
} from '../../lib/net/ndjson.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { endOldHubKeys, revealHubKey, rotateHubKey } from './hub-key.ts'
import { auditProbe, readTarget, testRegistered } from './test-connection.ts'

/** @throws HubError if the caller may not do the action, such as reveal keys. */
export type ConfirmAction = (request: FastifyRequest, action: ConfirmedAction) => Promise<void>

/** Tests the connection to a platform, and shows and rotates its hub API key. */
export function connectionRoutes(
  deps: Pick<
    FeatureDeps,
    'platforms' | 'connections' | 'activity' | 'client' | 'secrets' | 'clock'
  > & { confirmAction: ConfirmAction },
) {
  const { confirmAction } = deps

  /** Verifies that the caller may see a hub API key. @throws HubError */
  async function confirmKey(
    request: FastifyRequest,
    platformId: number,
    confirmation: Pick<ConfirmedAction, 'action' | 'password'>,
  ): Promise<void> {
    const platform = found('platform', await deps.platforms.readPlatform(platformId))
    const { action, password } = confirmation
    const target = platform.platform_name
    await confirmAction(request, { action, target, scope: 'hub_keys', password })
  }

  return [
    special('POST /api/v1/platforms/:id/test', {
      summary:
        'Test the connection to a registered platform and, if requested, all of its endpoints',
      description: LINES,
      body: Type.Union([ConnectionTestRequest, Type.Null()]),
      response: { 200: jsonOrLines(ConnectionTest) },
      async handle(request, reply) {
        const { platform, target } = await readTarget(deps, request.params.id)
        const { id: platform_id, platform_name } = platform
        const { source_base_url } = target
        await auditProbe(deps, request.requester, { platform_name, source_base_url })
        const registered = platform.modules.filter((module) => module.registered)
        const options = {
          ...{ platform_id, target, expected: platform_name, correctUrl: false },
          checkEverything: request.body?.check_everything ?? false,
          recordTypes: registered.map((module) => module.record_type),
        }
        const steps = testRegistered(deps, options, abortOnClose(reply))
        if (acceptsNdjson(request)) {
          const last = (_: unknown, checks: ConnectionCheck[]) => toResponse(checks)
          return sendLines(reply, toLines(steps, last))
        }
        return reply.send(toResponse(await Array.fromAsync(steps)))
      },
    }),

    route('POST /api/v1/platforms/:id/hub-key/reveal', {
      summary: 'Show the hub API key of a platform after the operator confirms the password',
      description: 'A token needs the scope hub_keys.',
      body: RevealRequest,
      response: HubKeyResponse.properties,
      async handle(request, reply) {
        const { params, body, requester } = request
        const confirmation = { action: 'hub_key.reveal' as const, password: body.password }
        await confirmKey(request, params.id, confirmation)
        const hub_api_key = await revealHubKey(deps, params.id, requester)
        reply.header('Cache-Control', 'no-store')
        return { hub_api_key }
      },
    }),

    route('POST /api/v1/platforms/:id/hub-key/rotate', {
      summary:
        'Create a new hub API key for a platform; the old one remains valid for a grace period',
      description: 'A token needs the scope hub_keys.',
      body: RotateRequest,
      response: HubKeyResponse.properties,
      async handle(request, reply) {
        const { params, body, requester } = request
        const { password, grace_seconds } = body
        await confirmKey(request, params.id, { action: 'hub_key.rotate', password })
        const rotation = { platform_id: params.id, grace_seconds }
        const hub_api_key = await rotateHubKey(deps, rotation, requester)
        reply.header('Cache-Control', 'no-store')
        return { hub_api_key }
      },
    }),

    route('DELETE /api/v1/platforms/:id/hub-key/previous', {
      summary: 'End the old hub API key of a platform before its grace period ends',
      response: DoneResponse.properties,
      async handle({ params: { id }, requester }) {
        await endOldHubKeys(deps, id, requester)
        return { message: 'The old hub API key is no longer valid.' }
      },
    }),
  ]
}

function toResponse(checks: ConnectionCheck[]): ConnectionTest {
  return { success: checks.every((one) => one.ok), checks }
}
