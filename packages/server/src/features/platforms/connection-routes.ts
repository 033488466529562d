import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  type ConnectionCheck,
  ConnectionTest,
  ConnectionTestRequest,
  ErrorAnswer,
  HubKeyAnswer,
  RevealRequest,
  RotateRequest,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { CheckingClient } from './check-connection.ts'
import { answerOrLines, endOf, LINES, sendLines, toLines, wantsLines } from './ndjson-stream.ts'
import { readTarget } from './read-target.ts'
import { revealHubKey } from './reveal-hub-key.ts'
import { rotateHubKey } from './rotate-hub-key.ts'
import { type Tested, testRegistered } from './test-connection.ts'

const PlatformId = Type.Object({ id: Type.Integer({ minimum: 1 }) })

/** Whether a platform and the hub reach each other, and the key by which the platform does. */
export function connectionRoutes(parts: {
  platforms: PlatformStore
  connections: ConnectionStore
  activity: ActivityStore
  client: CheckingClient
  secrets: SecretBox
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
  /** @throws HubError where nobody with a password asks, it is not theirs, or may not be tried now. */
  reauthenticate: (request: FastifyRequest, password: string) => Promise<void>
}): FastifyPluginAsyncTypebox {
  const { requesterOf, reauthenticate } = parts

  async function findTested(
    platformId: number,
    checkEverything: boolean,
  ): Promise<Tested & { platform_id: number }> {
    const { platform, target } = await readTarget(parts, platformId)
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
            'Test the connection to a registered platform, and each of its endpoints where requested',
          description: LINES,
          params: PlatformId,
          body: Type.Union([ConnectionTestRequest, Type.Null()]),
          response: { 200: answerOrLines(ConnectionTest), '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const tested = await findTested(request.params.id, request.body?.check_everything ?? false)
        const steps = testRegistered(parts, tested, endOf(reply))
        if (wantsLines(request)) {
          const last = (_: unknown, checks: ConnectionCheck[]) => toAnswer(checks)
          return sendLines(reply, toLines(steps, last))
        }
        return reply.send(toAnswer(await Array.fromAsync(steps)))
      },
    )

    app.post(
      '/api/v1/platforms/:id/hub-key/reveal',
      {
        schema: {
          summary: 'Show the hub API key of a platform to an operator who gives the password again',
          params: PlatformId,
          body: RevealRequest,
          response: { 200: HubKeyAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const wanted = {
          platform_id: request.params.id,
          reauthenticate: () => reauthenticate(request, request.body.password ?? ''),
        }
        const hub_api_key = await revealHubKey(parts, wanted, requesterOf(request))
        reply.header('Cache-Control', 'no-store')
        return { success: true as const, hub_api_key }
      },
    )

    app.post(
      '/api/v1/platforms/:id/hub-key/rotate',
      {
        schema: {
          summary: 'Give a platform a new hub API key; the one before stays valid for a while',
          params: PlatformId,
          body: RotateRequest,
          response: { 200: HubKeyAnswer, '4xx': ErrorAnswer },
        },
      },
      async (request, reply) => {
        const wanted = { platform_id: request.params.id, ...request.body }
        const hub_api_key = await rotateHubKey(parts, wanted, requesterOf(request))
        reply.header('Cache-Control', 'no-store')
        return { success: true as const, hub_api_key }
      },
    )
  }
}

function toAnswer(checks: ConnectionCheck[]): ConnectionTest {
  return { success: checks.every((one) => one.ok), checks }
}
