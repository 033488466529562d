/** Typed requests of ordinary routes: `hub.call('PATCH /api/v1/views/:id', { params: { id }, body: { name } })`. */
import assert from 'node:assert/strict'
import type { accountRoutes } from '../../../src/features/auth/account-routes.ts'
import type { passkeyRoutes } from '../../../src/features/auth/passkey-routes.ts'
import type { secondFactorRoutes } from '../../../src/features/auth/second-factor-routes.ts'
import type { sessionRoutes } from '../../../src/features/auth/session-routes.ts'
import type { signInRoutes } from '../../../src/features/auth/sign-in-routes.ts'
import type { singleSignOnRoutes } from '../../../src/features/auth/single-sign-on-routes.ts'
import type { backupRoutes } from '../../../src/features/backups/backup-routes.ts'
import type { inboxRoutes } from '../../../src/features/inbox/inbox-routes.ts'
import type { pushErrorRoutes } from '../../../src/features/ingest/push-error-routes.ts'
import type { rejectedPushRoutes } from '../../../src/features/ingest/rejected-push-routes.ts'
import type { removalRoutes } from '../../../src/features/maintenance/removal-routes.ts'
import type { aboutRoutes } from '../../../src/features/monitoring/about-routes.ts'
import type { activityRoutes } from '../../../src/features/monitoring/activity-routes.ts'
import type { alertRoutes } from '../../../src/features/monitoring/alert-routes.ts'
import type { auditRoutes } from '../../../src/features/monitoring/audit-routes.ts'
import type { statisticsRoutes } from '../../../src/features/monitoring/statistics-routes.ts'
import type { invitationRoutes } from '../../../src/features/operators/invitation-routes.ts'
import type { operatorRoutes } from '../../../src/features/operators/operator-routes.ts'
import type { tokenRoutes } from '../../../src/features/operators/token-routes.ts'
import type { connectionRoutes } from '../../../src/features/platforms/connection-routes.ts'
import type { manifestRoutes } from '../../../src/features/platforms/manifest-routes.ts'
import type { platformRoutes } from '../../../src/features/platforms/platform-routes.ts'
import type { completenessRoutes } from '../../../src/features/pulls/completeness-routes.ts'
import type { missingReviewRoutes } from '../../../src/features/pulls/missing-review-routes.ts'
import type { pullRoutes } from '../../../src/features/pulls/pull-routes.ts'
import type { scheduleRoutes } from '../../../src/features/pulls/schedule-routes.ts'
import type { changeRoutes } from '../../../src/features/records/change-routes.ts'
import type { erasureRoutes } from '../../../src/features/records/erasure-routes.ts'
import type { historyRoutes } from '../../../src/features/records/history-routes.ts'
import type { recordListRoutes } from '../../../src/features/records/list-records.ts'
import type { valueRoutes } from '../../../src/features/records/value-routes.ts'
import type { viewRoutes } from '../../../src/features/records/view-routes.ts'
import type { holdRoutes } from '../../../src/features/reverts/hold-routes.ts'
import type { revertRoutes } from '../../../src/features/reverts/revert-routes.ts'
import type { searchIndexRoutes } from '../../../src/features/search/search-index-routes.ts'
import type { settingsRoutes } from '../../../src/features/settings/settings-routes.ts'
import type { healthRoutes } from '../../../src/http/health.ts'
import type { HubRequest, Session } from '../operator.ts'
import type { HubCore } from './hub.ts'
import type { TestResponse } from './response.ts'

type AnyRoute = ReturnType<
  | typeof aboutRoutes
  | typeof accountRoutes
  | typeof activityRoutes
  | typeof alertRoutes
  | typeof auditRoutes
  | typeof backupRoutes
  | typeof changeRoutes
  | typeof completenessRoutes
  | typeof connectionRoutes
  | typeof erasureRoutes
  | typeof healthRoutes
  | typeof historyRoutes
  | typeof holdRoutes
  | typeof inboxRoutes
  | typeof invitationRoutes
  | typeof manifestRoutes
  | typeof missingReviewRoutes
  | typeof operatorRoutes
  | typeof passkeyRoutes
  | typeof platformRoutes
  | typeof pullRoutes
  | typeof pushErrorRoutes
  | typeof recordListRoutes
  | typeof rejectedPushRoutes
  | typeof removalRoutes
  | typeof revertRoutes
  | typeof scheduleRoutes
  | typeof searchIndexRoutes
  | typeof secondFactorRoutes
  | typeof sessionRoutes
  | typeof signInRoutes
  | typeof singleSignOnRoutes
  | typeof settingsRoutes
  | typeof statisticsRoutes
  | typeof tokenRoutes
  | typeof valueRoutes
  | typeof viewRoutes
>[number]

/** A session, or the role or scope of a token. */
export type Caller = Pick<Session, 'headers'> | Parameters<HubCore['authorization']>[0]
/** A token of the role admin by default. */
type By = { as?: Caller }
type Given = By & { params?: object; query?: object; body?: unknown }

type None = Record<never, never>
type KeysOf<Value> = Value extends unknown ? keyof Value : never
/** A part of a request: left out if the route has none, and optional if all of its members are. */
type PartOf<Name extends string, Part> = unknown extends Part
  ? None
  : [KeysOf<Part>] extends [never]
    ? None
    : None extends Part
      ? { [K in Name]?: Part }
      : { [K in Name]: Part }
type ArgumentsOf<Parts> = None extends Parts ? [given?: Parts & By] : [given: Parts & By]

type EndpointOf<R> = R extends {
  types?: { params: infer Params; query: infer Query; body: infer Body; response: infer Response }
}
  ? {
      arguments: ArgumentsOf<
        PartOf<'params', Params> & PartOf<'query', Query> & PartOf<'body', Body>
      >
      response: Response
    }
  : never

/**
 * The ordinary routes by their keys. Each is resolved on its own: a type of the parts of a request that depends on a type
 * parameter for the route would be resolved for all combinations of the parts of all routes.
 */
type Api = {
  [R in AnyRoute as EndpointOf<R> extends never ? never : R['key']]: EndpointOf<R>
}

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
    ...args: Api[Key]['arguments']
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
