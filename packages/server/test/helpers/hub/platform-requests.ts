/** Methods of a test hub: platforms, their pushes, and replays of rejected pushes. */
import assert from 'node:assert/strict'
import { type RejectedPush, RepairableGroup, ReplayResponse } from '@recordhub/protocol'
import Type from 'typebox'
import type { Operator, RegisteredPlatform } from '../operator.ts'
import {
  type PlatformOptions,
  type SimulatedPlatform,
  simulatedModule,
  simulatePlatform,
} from '../platform/platform.ts'
import type { HubCore } from './hub.ts'
import { expectBody, type TestResponse } from './response.ts'

const Groups = Type.Object({ groups: Type.Array(RepairableGroup) })

export type TestPlatform = RegisteredPlatform & {
  platform_name: string
  post: (body: unknown) => Promise<TestResponse>
  patch: (body: unknown) => Promise<TestResponse>
}
export type CreatedPlatform = SimulatedPlatform & TestPlatform & { title: string }

export type PlatformRequests = ReturnType<typeof createPlatformRequests>

export function createPlatformRequests(hub: HubCore, operator: Operator) {
  const registrationOf = ({ source_base_url, source_api_key, modules }: SimulatedPlatform) => ({
    source_base_url,
    source_api_key,
    record_types: modules.map((module) => module.record_type),
  })

  function push(
    hubApiKey: string,
    body: unknown,
    method: 'POST' | 'PATCH' = 'POST',
  ): Promise<TestResponse> {
    const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
    const headers = pushHeaders(hubApiKey)
    return hub.send({ method, url: '/api/webhook/receive', headers, body: payload })
  }

  /** Registers a simulated platform with all of its modules. */
  async function register(
    simulated: SimulatedPlatform,
    overrides: Record<string, unknown> = {},
  ): Promise<TestPlatform> {
    const registration = { ...registrationOf(simulated), ...overrides }
    const registered = await operator.registerModules(registration)
    const { hub_api_key } = registered
    return {
      ...registered,
      platform_name: simulated.platform_name,
      post: (body) => push(hub_api_key, body),
      patch: (body) => push(hub_api_key, body, 'PATCH'),
    }
  }

  /** Deactivates the platform, and closes it even if that fails: an open server would keep the process of the test running. */
  async function retire({ id }: { id: number }, simulated: AsyncDisposable): Promise<void> {
    await using _ = simulated
    await operator.setStatus(id, 'inactive')
  }

  function sendRejectedPushRequest(path: string, body: unknown): Promise<TestResponse> {
    return hub.send({
      method: 'POST',
      url: `/api/v1/rejected-pushes${path}`,
      headers: {
        authorization: hub.authorization('operator'),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
    })
  }

  return {
    push,
    register,
    retire,
    sendRejectedPushRequest,
    sendRegistration(
      simulated: SimulatedPlatform,
      overrides: Record<string, unknown> = {},
    ): Promise<TestResponse> {
      const registration = { ...registrationOf(simulated), ...overrides }
      return operator.call('POST', '/api/v1/platforms', registration)
    },
    /** Registers a platform for tests that only push, and stops its server. */
    async registerPushing(options: PlatformOptions = {}): Promise<TestPlatform> {
      await using simulated = await simulatePlatform(options)
      return await register(simulated)
    },
    /**
     * Registers a platform for one test with this number of modules, the first of which is `cases`. Disposing of it
     * stops its server and its pulls, so that other tests can share the hub.
     */
    async createPlatform({
      modules = 1,
      ...options
    }: Omit<PlatformOptions, 'modules'> & { modules?: number } = {}): Promise<CreatedPlatform> {
      const types = Array.from({ length: modules }, (_, index) =>
        index ? `module_${index + 1}` : 'cases',
      )
      const simulated = await simulatePlatform({
        ...options,
        modules: types.map((record_type) => simulatedModule(record_type)),
      })
      const registered = await register(simulated)
      return {
        ...simulated,
        ...registered,
        title: registered.platform.display_title,
        [Symbol.asyncDispose]: () => retire(registered, simulated),
      }
    },
    /** Sends a push that is rejected, and returns the rejected push. */
    async sendRejectedPush(
      { hub_api_key, platform_name }: Pick<TestPlatform, 'hub_api_key' | 'platform_name'>,
      body: unknown,
    ): Promise<RejectedPush> {
      assert.equal((await push(hub_api_key, body)).status, 422)
      const [newest] = await operator.rejected(platform_name)
      assert.ok(newest)
      return newest
    },
    sendReplay: (id: number, body: unknown) => sendRejectedPushRequest(`/${id}/replay`, body),
    async replay(id: number, body: unknown) {
      const response = await sendRejectedPushRequest(`/${id}/replay`, body)
      return expectBody(response, 200, ReplayResponse).replay
    },
    async rejectedGroups(platform: string): Promise<RepairableGroup[]> {
      const url = `/api/v1/rejected-pushes/groups?platform=${platform}`
      return expectBody(await operator.call('GET', url), 200, Groups).groups
    },
    /** Runs a pull in the same way as the schedule. */
    async pullOnSchedule() {
      const { pulls, pullDispatcher, processName } = hub.storage
      const lease = { owner: processName, seconds: 20 }
      const request = { trigger: 'schedule', requested_by: null, lease, only: null } as const
      const { outcome, pull } = await pulls.requestPull(request)
      assert.equal(outcome, 'queued')
      await pullDispatcher.dispatch(pull.id)
      return operator.untilPullEnds(pull.id)
    },
  }
}

/** The headers that a push requires (specification 4.1). */
export function pushHeaders(hubApiKey: string): Record<string, string> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'x-api-key': hubApiKey,
    'ngrok-skip-browser-warning': 'true',
  }
}

/** A complete record of the module `cases`. */
export function newRecord(reference_number: string, overrides: Record<string, unknown> = {}) {
  return {
    module_name: 'Module cases',
    record_type: 'cases',
    reference_number,
    full_name: 'Ann Example',
    data: { status: 'open' },
    ...overrides,
  }
}
