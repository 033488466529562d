/**
 * Routes of the API as values: schemas, and a handler whose types follow from them. `success`, the schema of errors and the
 * schemas of the parameters in the path are added here.
 */
import { ErrorResponse, RequestText } from '@recordhub/protocol'
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
  RouteOptions,
} from 'fastify'
import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox'
import { requireMember } from '../errors.ts'
import { parseTimestamp, TIMESTAMP_RULE } from '../lib/time/rfc3339.ts'

/** The schemas of the parameters in paths. A route whose parameter has another schema sets `params`. */
const PARAMS = {
  id: Type.Integer({ minimum: 1 }),
  record_id: Type.Integer({ minimum: 1 }),
  record_type: RequestText(),
  session_id: RequestText(),
}
/** Reads a time of a query; null if it is left out. @throws HubError `invalid_request` */
export function readTime(name: string, text: string | undefined): string | null {
  return text === undefined ? null : requireMember(parseTimestamp(text), name, TIMESTAMP_RULE)
}

/** The names of the parameters in a path: `'id' | 'record_type'` of `…/:id/modules/:record_type/records`. */
type NamesIn<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never
type ParamsIn<Path> = Pick<typeof PARAMS, NamesIn<Path> & keyof typeof PARAMS>

/** The `cursor` of a list whose cursors are numbers. */
export const Cursor = Type.Optional(Type.Integer({ minimum: 1 }))
/** The `limit` of a list: the maximum number of elements of a page. */
export const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 500 }))

/** The method and the path, as in the table of access: `DELETE /api/v1/platforms/:id`. */
type RouteKey = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
type None = Record<never, never>
/** The value of an object with these members. */
type Members<Properties extends TProperties> = Static<TObject<Properties>>
type ResponseMembers<Properties extends TProperties> = Members<Omit<Properties, 'success'>>

export type Route<Key extends RouteKey = RouteKey, Types = unknown> = {
  key: Key
  register: (app: FastifyInstance) => void | Promise<void>
  /** What the route accepts and returns, for the types of clients. Never set. */
  types?: Types
}

/**
 * A route with one successful status, whose response is JSON. `handle` receives Fastify's request and reply, and returns
 * the members of the response without `success`.
 */
export function route<
  Key extends RouteKey,
  Response extends TProperties = None,
  Query extends TProperties = None,
  Body extends TSchema = TSchema,
  Params extends TProperties = ParamsIn<Key>,
>(
  key: Key,
  options: {
    summary: string
    description?: string
    params?: Params
    query?: Query
    /** The schema of query parameters with other names. By default they are rejected. */
    otherQuery?: TSchema
    body?: Body
    /** 200 by default. */
    status?: 200 | 201 | 202
    /** The members of the response. `success` is added. */
    response?: Response
    handle: (
      request: FastifyRequest<{
        Params: Members<Params>
        Querystring: Members<Query>
        Body: Static<Body>
      }>,
      reply: FastifyReply,
    ) => ResponseMembers<Response> | Promise<ResponseMembers<Response>>
  },
): Route<
  Key,
  {
    params: Members<Params>
    query: Members<Query>
    body: Static<Body>
    response: ResponseMembers<Response>
  }
> {
  const { summary, description, query, otherQuery = false, body, response, handle } = options
  const { status = 200 } = options
  const [method = '', url = ''] = key.split(' ')
  const params = options.params ?? paramsIn(url)
  const schema = {
    summary,
    ...(description ? { description } : {}),
    ...(Object.keys(params).length > 0 ? { params: Type.Object(params) } : {}),
    ...(query ? { querystring: Type.Object(query, { additionalProperties: otherQuery }) } : {}),
    ...(body ? { body } : {}),
    response: {
      [status]: Type.Object({ success: Type.Literal(true), ...response }),
      '4xx': ErrorResponse,
    },
  }
  return {
    key,
    register(app) {
      app.route<{ Params: Members<Params>; Querystring: Members<Query>; Body: Static<Body> }>({
        ...{ method, url, schema },
        async handler(request, reply) {
          const members = await handle(request, reply)
          reply.code(status)
          return { success: true, ...members }
        },
      })
    },
  }
}

function paramsIn(url: string): TProperties {
  const parts = url.split('/')
  return Object.fromEntries(Object.entries(PARAMS).filter(([name]) => parts.includes(`:${name}`)))
}

/**
 * A route with several statuses, a stream or a file. `handle` sends the response, as a handler of Fastify does.
 * `response` has the schemas by status.
 */
export function special<
  Key extends RouteKey,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Params extends TProperties = ParamsIn<Key>,
>(
  key: Key,
  {
    summary,
    description,
    params,
    query,
    body,
    headers,
    response,
    handle,
    ...options
  }: Pick<RouteOptions, 'bodyLimit' | 'compress' | 'exposeHeadRoute' | 'onRequest'> & {
    summary: string
    description?: string
    params?: Params
    query?: Query
    body?: Body
    headers?: TSchema
    response: Record<number, TSchema | { description?: string; content: object }>
    handle: (
      request: FastifyRequest<{
        Params: Members<Params>
        Querystring: Static<Query>
        Body: Static<Body>
      }>,
      reply: FastifyReply,
    ) => unknown
  },
): Route<Key> {
  const [method = '', url = ''] = key.split(' ')
  const inPath = params ?? paramsIn(url)
  const schema = {
    summary,
    ...(description ? { description } : {}),
    ...(Object.keys(inPath).length > 0 ? { params: Type.Object(inPath) } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body } : {}),
    ...(headers ? { headers } : {}),
    response: { '4xx': ErrorResponse, ...response },
  }
  return {
    key,
    register(app) {
      app.route<{ Params: Members<Params>; Querystring: Static<Query>; Body: Static<Body> }>({
        ...{ ...options, method, url, schema },
        handler: async (request, reply) => handle(request, reply),
      })
    },
  }
}

/** A route in a scope of its own: what `prepare` adds, such as a parser of bodies, does not apply to other routes. */
export function scoped<Key extends RouteKey>(
  prepare: (scope: FastifyInstance) => void,
  { key, register }: Route<Key>,
): Route<Key> {
  return {
    key,
    async register(app) {
      await app.register(async (scope) => {
        prepare(scope)
        await register(scope)
      })
    },
  }
}

/** Registers routes in their order. */
export function toPlugin(routes: readonly Route[]): FastifyPluginAsync {
  return async function routesOfFeature(app) {
    for (const { register } of routes) await register(app)
  }
}
