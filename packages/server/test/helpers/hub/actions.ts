/** Requests of operators, programs and platforms to a hub, with defaults for what a test does not specify. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import {
  ActivityEntry,
  HistoryEntry,
  Platform,
  Pull,
  PullTask,
  RecordPage,
  RejectedPush,
  Snapshot,
  StartPullResponse,
  type StoredRecord,
} from '@recordhub/protocol'
import Type from 'typebox'
import {
  type PlatformOptions,
  type SimulatedPlatform,
  simulatedModule,
  simulatePlatform,
} from '../platform/platform.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { countRows, runSql } from '../storage/sql.ts'
import { until } from '../time/until.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub, type TestHubOptions } from './hub.ts'
import { expectBody, type TestResponse } from './response.ts'

const { Object: object, Array: array, String: string, Literal: literal, Union: union } = Type
const nullable = union([string(), Type.Null()])

/** A hub that the tests of a `describe` share. */
export function shareHub(engine: StorageEngine, options: TestHubOptions = {}): () => TestHub {
  let hub: TestHub | null = null
  before(async () => {
    hub = await startTestHub(engine, options)
  })
  after(async () => hub?.[Symbol.asyncDispose]())
  return () => {
    assert.ok(hub)
    return hub
  }
}

export type Session = { cookie: string; csrf: string; headers: Record<string, string> }

/** Signs in the hub's operator. `headers` are those that the dashboard sends. */
export async function signIn(hub: TestHub): Promise<Session> {
  const response = await hub.send({
    method: 'POST',
    url: '/api/auth/sign-in/email',
    body: { email: EMAIL, password: PASSWORD },
  })
  assert.equal(response.status, 200, response.text)
  const cookie = cookieOf(response)
  const page = await hub.send({ url: '/dashboard', headers: { cookie, accept: 'text/html' } })
  assert.equal(page.status, 200)
  const csrf = /<meta name="csrf-token" content="([^"]+)">/.exec(page.text)?.[1]
  assert.ok(csrf)
  const headers = {
    cookie,
    'x-csrf-token': csrf,
    accept: 'application/json',
    'x-requested-with': 'XMLHttpRequest',
  }
  return { cookie, csrf, headers }
}

export function cookieOf(response: TestResponse): string {
  return response.cookies.map((cookie) => cookie.split(';')[0] ?? '').join('; ')
}

export type RegisteredPlatform = { id: number; hub_api_key: string; platform: Platform }

export function sendRegistration(
  hub: TestHub,
  platform: SimulatedPlatform,
  overrides: Record<string, unknown> = {},
): Promise<TestResponse> {
  const { source_base_url, source_api_key, modules } = platform
  return hub.send({
    method: 'POST',
    url: '/api/v1/platforms',
    headers: { authorization: hub.authorization('operator') },
    body: {
      source_base_url,
      source_api_key,
      record_types: modules.map((module) => module.record_type),
      ...overrides,
    },
  })
}

/** Registers a simulated platform with all of its modules. */
export async function registerPlatform(
  hub: TestHub,
  simulated: SimulatedPlatform,
  overrides: Record<string, unknown> = {},
): Promise<RegisteredPlatform> {
  const schema = object({ success: literal(true), platform: Platform, hub_api_key: string() })
  const response = await sendRegistration(hub, simulated, overrides)
  const { platform, hub_api_key } = expectBody(response, 201, schema)
  return { id: platform.id, platform, hub_api_key }
}

/** Registers a platform for tests that only push, and stops its server. */
export async function registerPushingPlatform(
  hub: TestHub,
  options: PlatformOptions = {},
): Promise<RegisteredPlatform & { platform_name: string }> {
  await using simulated = await simulatePlatform(options)
  const registered = await registerPlatform(hub, simulated)
  return { ...registered, platform_name: simulated.platform_name }
}

export type CreatedPlatform = SimulatedPlatform & { id: number; hub_api_key: string; title: string }

/**
 * Registers a platform for one test with this number of modules, the first of which is `cases`. Disposing of it stops
 * its server and its pulls, so that other tests can share the hub.
 */
export async function createPlatform(
  hub: TestHub,
  { modules = 1, ...options }: Omit<PlatformOptions, 'modules'> & { modules?: number } = {},
): Promise<CreatedPlatform> {
  const types = Array.from({ length: modules }, (_, index) =>
    index ? `module_${index + 1}` : 'cases',
  )
  const simulated = await simulatePlatform({
    ...options,
    modules: types.map((record_type) => simulatedModule(record_type)),
  })
  const { id, hub_api_key, platform } = await registerPlatform(hub, simulated)
  return {
    ...simulated,
    id,
    hub_api_key,
    title: platform.display_title,
    async [Symbol.asyncDispose]() {
      await setStatus(hub, id, 'inactive')
      await simulated[Symbol.asyncDispose]()
    },
  }
}

export async function setStatus(hub: TestHub, id: number, status: string): Promise<Platform> {
  const response = await hub.send({
    method: 'PATCH',
    url: `/api/v1/platforms/${id}`,
    headers: { authorization: hub.authorization('operator') },
    body: { status },
  })
  return expectBody(response, 200, object({ success: literal(true), platform: Platform })).platform
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

export function push(
  hub: TestHub,
  hubApiKey: string,
  body: unknown,
  method: 'POST' | 'PATCH' = 'POST',
): Promise<TestResponse> {
  const payload = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body)
  const headers = pushHeaders(hubApiKey)
  return hub.send({ method, url: '/api/webhook/receive', headers, body: payload })
}

/** All records of a platform, oldest first. */
export async function recordsOf(hub: TestHub, platform: string): Promise<StoredRecord[]> {
  const url = `/api/v1/records?sort=record_id&limit=500&platform=${encodeURIComponent(platform)}`
  const page = expectBody(await hub.get(url), 200, RecordPage)
  assert.equal(page.next_cursor, null, 'The records exceed one page')
  return page.records
}

export async function historyOf(hub: TestHub, recordId: number): Promise<HistoryEntry[]> {
  const response = await hub.get(`/api/v1/records/${recordId}/history`)
  return expectBody(response, 200, object({ history: array(HistoryEntry) })).history
}

export async function rejectedOf(hub: TestHub, platform: string): Promise<RejectedPush[]> {
  const response = await hub.get(`/api/v1/rejected-pushes?platform=${encodeURIComponent(platform)}`)
  return expectBody(response, 200, object({ rejected_pushes: array(RejectedPush) })).rejected_pushes
}

export async function activityOf(hub: TestHub): Promise<ActivityEntry[]> {
  const response = await hub.get('/api/v1/activity?limit=500')
  return expectBody(response, 200, object({ activity: array(ActivityEntry) })).activity
}

export async function readSnapshot(hub: TestHub): Promise<Snapshot> {
  const response = await hub.send({
    url: '/dashboard/realtime',
    headers: (await signIn(hub)).headers,
  })
  return expectBody(response, 200, Snapshot)
}

const PullPage = object({ pull: Pull, tasks: array(PullTask), next_cursor: nullable })
export type PullWithTasks = { pull: Pull; tasks: PullTask[]; next_cursor: string | null }

export async function startPull(hub: TestHub): Promise<Pull> {
  const headers = { authorization: hub.authorization('operator') }
  const response = await hub.send({ method: 'POST', url: '/api/v1/pulls', headers })
  return expectBody(response, 202, StartPullResponse).pull
}

export async function readPull(hub: TestHub, id: number): Promise<PullWithTasks> {
  return expectBody(await hub.get(`/api/v1/pulls/${id}`), 200, PullPage)
}

export function untilPullEnds(hub: TestHub, id: number): Promise<PullWithTasks> {
  return until(async () => {
    const read = await readPull(hub, id)
    return read.pull.finished_at === null ? null : read
  }, `pull ${id} ends`)
}

/** Runs a pull of all registered modules. */
export async function pullAll(hub: TestHub): Promise<PullWithTasks> {
  return untilPullEnds(hub, (await startPull(hub)).id)
}

/** Runs a pull in the same way as the schedule. */
export async function pullOnSchedule(hub: TestHub): Promise<PullWithTasks> {
  const { pulls, pullDispatcher, processName } = hub.storage
  const lease = { owner: processName, seconds: 20 }
  const request = { trigger: 'schedule', requested_by: null, lease, only: null } as const
  const { outcome, pull } = await pulls.requestPull(request)
  assert.equal(outcome, 'queued')
  await pullDispatcher.dispatch(pull.id)
  return untilPullEnds(hub, pull.id)
}

/** The number of rows in each table, and the counters, to compare before and after a request. */
export async function countStoredRows(hub: TestHub): Promise<Record<string, unknown>> {
  const rows: Record<string, unknown> = {}
  for (const table of ['records', 'record_history', 'rejected_pushes', 'activity', 'pulls']) {
    rows[table] = await countRows(hub.storage, table)
  }
  const counters = await runSql(hub.storage, 'SELECT * FROM hourly_counters ORDER BY platform_id')
  return { ...rows, counters }
}
