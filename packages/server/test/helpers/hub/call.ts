/** Typed requests of ordinary routes: `hub.call('PATCH /api/v1/views/:id', { params: { id }, body: { name } })`. */
import assert from 'node:assert/strict'
import type { accountRoutes } from '../../../src/features/auth/account-routes.ts'
import type { passkeyRoutes } from '../../../src/features/auth/passkey-routes.ts'
import type { secondFactorRoutes } from '../../../src/features/auth/second-factor-routes.ts'
import type { sessionRoutes } from '../../../src/features/auth/session-routes.ts'
import type { signInRoutes } from '../../../src/features/auth/sign-in-routes.ts'
import type { singleSignOnRoutes } from '../../../src/features/auth/single-sign-on-routes.ts'
import type { removalRoutes } from '../../../src/features/maintenance/removal-routes.ts'
import type { invitationRoutes } from '../../../src/features/operators/invitation-routes.ts'
import type { operatorRoutes } from '../../../src/features/operators/operator-routes.ts'
import type { tokenRoutes } from '../../../src/features/operators/token-routes.ts'
import type { changeRoutes } from '../../../src/features/records/change-routes.ts'
import type { erasureRoutes } from '../../../src/features/records/erasure-routes.ts'
import type { historyRoutes } from '../../../src/features/records/history-routes.ts'
import type { recordListRoutes } from '../../../src/features/records/list-records.ts'
import type { viewRoutes } from '../../../src/features/records/view-routes.ts'
import type { searchIndexRoutes } from '../../../src/features/search/search-index-routes.ts'
import type { healthRoutes } from '../../../src/http/health.ts'
import type { HubRequest, Session } from '../operator.ts'
import type { HubCore } from './hub.ts'
import type { TestResponse } from './response.ts'

type AnyRoute = ReturnType<
  | typeof accountRoutes
  | typeof changeRoutes
  | typeof erasureRoutes
  | typeof healthRoutes
  | typeof historyRoutes
  | typeof invitationRoutes
  | typeof operatorRoutes
  | typeof passkeyRoutes
  | typeof recordListRoutes
  | typeof removalRoutes
  | typeof searchIndexRoutes
  | typeof secondFactorRoutes
  | typeof sessionRoutes
  | typeof signInRoutes
  | typeof singleSignOnRoutes
  | typeof tokenRoutes
  | typeof viewRoutes
>[number]

type None = Record<never, never>
type TypesOf<R> = R extends { types?: infer Types } ? Types : never

/** The ordinary routes by their keys: `Api['DELETE /api/v1/platforms/:id']['response']`. */
type Api = {
  [R in AnyRoute as unknown extends TypesOf<R> ? never : R['key']]: TypesOf<R>
}

type KeysOf<Value> = Value extends unknown ? keyof Value : never
/** A part of a request: left out if the route has none, and optional if all of its members are. */
type PartOf<Types, Name extends string> =
  Types extends Record<Name, infer Part>
    ? unknown extends Part
      ? None
      : [KeysOf<Part>] extends [never]
        ? None
        : None extends Part
          ? { [K in Name]?: Part }
          : { [K in Name]: Part }
    : None
type RequestOf<Types> = PartOf<Types, 'params'> & PartOf<Types, 'query'> & PartOf<Types, 'body'>

/** A session, or the role or scope of a token. */
export type Caller = Pick<Session, 'headers'> | Parameters<HubCore['authorization']>[0]

type Given = {
  params?: object
  query?: object
  body?: unknown
  /** A token of the role admin by default. */
  as?: Caller
}
type Arguments<Types> =
  None extends RequestOf<Types>
    ? [given?: RequestOf<Types> & Given]
    : [given: RequestOf<Types> & Given]

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export function createCalls(hub: Pick<HubCore, 'send' | 'authorization'>) {
  /** Sends a request, and returns its response, whatever its status. */
  function callAs(
    caller: Caller,
    method: HubRequest['method'] & string,
    url: string,
    body?: unknown,
  ): Promise<TestResponse> {
    const headers =
      typeof caller === 'string' ? { authorization: hub.authorization(caller) } : caller.headers
    return hub.send({ method, url, headers, ...(body === undefined ? {} : { body }) })
  }

  /** Sends a request that must succeed. @returns the body, which `send` has checked against the API description. */
  async function call<Key extends keyof Api>(
    key: Key,
    ...args: Arguments<Api[Key]>
  ): Promise<Api[Key]['response']> {
    const [given = {}]: [Given?] = args
    const { params = {}, query = {}, body, as: caller = 'admin' } = given
    const [name, path = ''] = key.split(' ')
    const method = METHODS.find((one) => one === name) ?? 'GET'
    const values: Record<string, unknown> = { ...params }
    const url = path.replace(/:(\w+)/g, (_, part: string) => encodeURIComponent(`${values[part]}`))
    const search = new URLSearchParams(
      Object.entries(query).map(([k, v]): [string, string] => [k, String(v)]),
    )
    const response = await callAs(caller, method, search.size > 0 ? `${url}?${search}` : url, body)
    assert.ok(response.status < 300, `${key} returned ${response.status}: ${response.text}`)
    return JSON.parse(response.text)
  }

  return { call, callAs }
}
