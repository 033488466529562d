/** What operators and programs ask of a hub, over any transport: `inject` for a hub in this process, otherwise `fetch`. */
import assert from 'node:assert/strict'
import {
  ActivityEntry,
  HistoryEntry,
  ListedModule,
  Platform,
  PlatformSummary,
  Pull,
  PullTask,
  type RecordPage,
  RejectedPush,
  type Removal,
  Snapshot,
  StartPullResponse,
  type StoredRecord,
} from '@recordhub/protocol'
import Type from 'typebox'
import { DOCUMENT_URL, expectDescribed, provideDocument } from './hub/described-responses.ts'
import { expectBody, type TestResponse } from './hub/response.ts'
import { until, untilTrue } from './time/until.ts'

const { Object: object, Array: array, String: string, Union: union } = Type

export type HubRequest = {
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
  url: string
  headers?: Record<string, string>
  /** Strings and buffers are sent unchanged, other values as JSON. */
  body?: unknown
}

/** Sends a request to a hub, without credentials of its own. */
export type Send = (request: HubRequest) => Promise<TestResponse>

/** The connection data that a registration sends, and the record types of the modules to register. */
export type Registration = {
  source_base_url: string
  source_api_key: string
  record_types: readonly string[]
}
export type RegisteredPlatform = { id: number; hub_api_key: string; platform: Platform }

const RegistrationResponse = object({ platform: Platform, hub_api_key: string() })
const PlatformResponse = object({ platform: Platform })
const ModuleList = object({ modules: array(ListedModule) })
const PlatformList = object({ platforms: array(PlatformSummary) })
const PullPage = object({
  pull: Pull,
  tasks: array(PullTask),
  next_cursor: union([string(), Type.Null()]),
})
export type PullWithTasks = { pull: Pull; tasks: PullTask[]; next_cursor: string | null }

/** In the pull, which is before its tasks. */
const UNFINISHED = /^[^[]*"finished_at":null/

export type Operator = ReturnType<typeof createOperator>

/** @param send adds the credentials of the operator to each request. */
export function createOperator(send: Send) {
  /** Sends a request and returns its response, whatever its status. */
  function call(
    method: HubRequest['method'] & string,
    url: string,
    body?: unknown,
  ): Promise<TestResponse> {
    return send({ method, url, ...(body === undefined ? {} : { body }) })
  }

  /** Sends a request that must succeed. @returns the text of the response. */
  async function request(...args: Parameters<typeof call>): Promise<string> {
    const { status, text } = await call(...args)
    assert.ok(status < 300, `${args[0]} ${args[1]} returned ${status}: ${text}`)
    return text
  }

  async function readPull(id: number): Promise<PullWithTasks> {
    return expectBody(await call('GET', `/api/v1/pulls/${id}`), 200, PullPage)
  }

  async function startPull(body?: object): Promise<Pull> {
    return expectBody(await call('POST', '/api/v1/pulls', body), 202, StartPullResponse).pull
  }

  async function untilPullEnds(id: number): Promise<PullWithTasks> {
    // Only the last response is checked against the schema, which takes long for many tasks.
    const response = await until(async () => {
      const read = await call('GET', `/api/v1/pulls/${id}`)
      return read.status === 200 && UNFINISHED.test(read.text) ? null : read
    }, `pull ${id} ends`)
    return expectBody(response, 200, PullPage)
  }

  /** All records of a query, such as `q=ann&sort=full_name`. */
  async function findRecords(query: string): Promise<StoredRecord[]> {
    const records: StoredRecord[] = []
    for await (const text of recordPages(query)) {
      const page: RecordPage = JSON.parse(text)
      records.push(...page.records)
    }
    return records
  }

  /** The pages of a list of records, as texts. */
  async function* recordPages(query: string): AsyncGenerator<string> {
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: string = cursor && `&cursor=${cursor}`
      const text: string = await request('GET', `/api/v1/records?limit=500&${query}${page}`)
      yield text
      const { next_cursor }: { next_cursor: string | null } = JSON.parse(text)
      cursor = next_cursor
    }
  }

  return {
    call,
    request,
    readPull,
    startPull,
    untilPullEnds,
    recordPages,
    findRecords,
    /** Requests a pull. The status is 409 if a pull is already running. */
    async requestPull(body?: object): Promise<{ status: number; pull: Pull }> {
      const { status, text } = await call('POST', '/api/v1/pulls', body)
      const { pull }: { pull: Pull } = JSON.parse(text)
      return { status, pull }
    },
    /** @param registration may have other members, such as those of a simulated platform. */
    async registerModules(registration: Registration): Promise<RegisteredPlatform> {
      const { source_base_url, source_api_key, record_types } = registration
      const body = { source_base_url, source_api_key, record_types }
      const response = await call('POST', '/api/v1/platforms', body)
      const { platform, hub_api_key } = expectBody(response, 201, RegistrationResponse)
      return { id: platform.id, platform, hub_api_key }
    },
    /** The modules of a platform. */
    async modules(platform: string): Promise<ListedModule[]> {
      const path = `/api/v1/modules?${new URLSearchParams({ platform })}`
      return expectBody(await call('GET', path), 200, ModuleList).modules
    },
    /** The first page. */
    async platforms(): Promise<PlatformSummary[]> {
      return expectBody(await call('GET', '/api/v1/platforms'), 200, PlatformList).platforms
    },
    async setStatus(id: number, status: string): Promise<Platform> {
      const response = await call('PATCH', `/api/v1/platforms/${id}`, { status })
      return expectBody(response, 200, PlatformResponse).platform
    },
    /** All records of a platform, or of all platforms, oldest first. */
    records(platform?: string): Promise<StoredRecord[]> {
      const filter = platform === undefined ? '' : `&platform=${encodeURIComponent(platform)}`
      return findRecords(`sort=record_id${filter}`)
    },
    async history(recordId: number): Promise<HistoryEntry[]> {
      const response = await call('GET', `/api/v1/records/${recordId}/history`)
      return expectBody(response, 200, object({ history: array(HistoryEntry) })).history
    },
    /** The newest rejected pushes of a platform. */
    async rejected(platform: string): Promise<RejectedPush[]> {
      const url = `/api/v1/rejected-pushes?platform=${encodeURIComponent(platform)}`
      const schema = object({ rejected_pushes: array(RejectedPush) })
      return expectBody(await call('GET', url), 200, schema).rejected_pushes
    },
    /** The newest entries of the activity. */
    async activity(): Promise<ActivityEntry[]> {
      const response = await call('GET', '/api/v1/activity?limit=500')
      return expectBody(response, 200, object({ activity: array(ActivityEntry) })).activity
    },
    /** The snapshot of the page, for an operator with a session. */
    async snapshot(): Promise<Snapshot> {
      return expectBody(await call('GET', '/dashboard/realtime'), 200, Snapshot)
    },
    /** Runs a pull of all registered modules. */
    async pullAll(body?: object): Promise<PullWithTasks> {
      return untilPullEnds((await startPull(body)).id)
    },
    /** Waits until the data of all removed platforms and modules is deleted. */
    async untilRemovalsEnd(): Promise<void> {
      await untilTrue('the removals end', async () => {
        const text = await request('GET', '/api/v1/removals')
        const { removals }: { removals: Removal[] } = JSON.parse(text)
        return removals.every(({ finished_at }) => finished_at !== null)
      })
    },
  }
}

/** The transport over a socket. */
export function fetchFrom(address: string): Send {
  return async ({ method = 'GET', url, headers = {}, body }) => {
    const { type, payload } = encodeBody(body)
    const response = await fetch(`${address}${url}`, {
      method,
      headers: { ...type, ...headers },
      redirect: 'manual',
      ...(payload === undefined ? {} : { body: payload }),
    })
    const { status } = response
    const text = await response.text()
    const header = (name: string) => response.headers.get(name) ?? ''
    await provideDocument(() => fetchDocument(address))
    expectDescribed({ method, url, status, contentType: header('content-type'), text })
    return { status, header, cookies: response.headers.getSetCookie(), text }
  }
}

/** The published document of a hub; null if it does not respond, such as after a fault. */
async function fetchDocument(address: string): Promise<string | null> {
  const response = await fetch(`${address}${DOCUMENT_URL}`).catch(() => null)
  return response?.ok ? response.text() : null
}

/** Adds headers, such as credentials, to each request. */
export function withHeaders(send: Send, headers: () => Record<string, string>): Send {
  return (request) => send({ ...request, headers: { ...headers(), ...request.headers } })
}

/** The payload of a request and its content type: values are sent as JSON. */
export function encodeBody(body: unknown) {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
    return { type: {}, payload: body }
  }
  return { type: { 'content-type': 'application/json' }, payload: JSON.stringify(body) }
}

export type Session = { cookie: string; csrf: string; headers: Record<string, string> }

/** Signs in with a password. `headers` are those that the page sends. */
export async function signInWith(
  send: Send,
  credentials: { email: string; password: string },
): Promise<Session> {
  const response = await send({
    method: 'POST',
    url: '/api/auth/sign-in/email',
    body: credentials,
  })
  assert.equal(response.status, 200, response.text)
  return readSession(send, cookieOf(response))
}

/** The session of a cookie, with its CSRF token. */
export async function readSession(send: Send, cookie: string): Promise<Session> {
  const response = await send({ url: '/api/v1/session', headers: { cookie } })
  const { csrf_token: csrf } = expectBody(response, 200, object({ csrf_token: string() }))
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
