/** The OpenAPI document, generated from the schemas of the routes and the table of access. */
import { ErrorResponse } from '@recordhub/protocol'
import fastify, { type FastifyInstance, type FastifySchema, type RouteOptions } from 'fastify'
import { memoizeAsync } from '../lib/concurrency/memoize-async.ts'
import { ACCESS, type Access, requiresCaller } from './access.ts'
import { isFormTarget } from './error-handler.ts'

type DescribedRoute = Pick<RouteOptions, 'method' | 'url' | 'schema'>

/** Serves the document. It is generated for the first request, since few hubs are asked for it. */
export function describeApi(app: FastifyInstance, version: string): void {
  const routes: DescribedRoute[] = []
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (method !== 'HEAD') routes.push({ method, url, ...(schema ? { schema } : {}) })
  })
  const readDocument = memoizeAsync(() => generateDocument(routes, version))
  app.get('/api/openapi.json', { schema: { hide: true } }, () => readDocument())
}

/** Registers the routes, without their handlers, in an instance with the generator. */
async function generateDocument(routes: readonly DescribedRoute[], version: string) {
  const { default: swagger } = await import('@fastify/swagger')
  await using inner = fastify()
  inner.setValidatorCompiler(() => () => true)
  inner.setSerializerCompiler(() => JSON.stringify)
  await inner.register(swagger, {
    openapi: {
      // Version 3.0 has no null: a value that may be null and is one of a list would need its own form.
      openapi: '3.1.1',
      info: { title: 'Recordhub', version, description: ABOUT },
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'recordhub.session_token' },
          token: { type: 'http', scheme: 'bearer' },
          hubKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
          metricsToken: { type: 'http', scheme: 'bearer' },
        },
      },
    },
    transform({ schema, url, route }) {
      const method = Array.isArray(route.method) ? route.method[0] : route.method
      const access = ACCESS[`${method} ${url}`] ?? 'admin'
      const errors = isFormTarget(String(method), url) ? ERROR_OR_PAGE : ErrorResponse
      return { url, schema: complete(schema, { url, access, errors }) }
    },
  })
  for (const route of routes) inner.route({ ...route, handler: () => undefined })
  await inner.ready()
  return inner.swagger()
}

const ABOUT = `Programs send a token (\`Authorization: Bearer rht_…\`), which \`recordhub token create\` creates. The
dashboard uses its session cookie, and sends \`X-CSRF-TOKEN\` with every request other than GET. Platforms push with
their hub API key in \`X-API-KEY\`. A 401 response names the credentials that its path accepts in \`WWW-Authenticate\`:
\`Bearer\`, \`Cookie\` (the session) or \`ApiKey\`. Every error is \`{success: false, code, message, request_id}\`. Numbers
in \`data\` keep all of their digits.`

const SECURITY: Record<
  'anyone' | 'platform' | 'scraper' | 'role',
  { [scheme: string]: string[] }[]
> = {
  anyone: [],
  platform: [{ hubKey: [] }],
  scraper: [{ metricsToken: [] }],
  role: [{ token: [] }, { session: [] }],
}

/** An error of a route to which browsers also submit forms. */
const ERROR_OR_PAGE = {
  description: 'The error; a page for a browser that submits a form',
  content: {
    'application/json': { schema: ErrorResponse },
    'text/html; charset=utf-8': { schema: { type: 'string' } },
  },
}

function complete(
  given: FastifySchema | undefined,
  { url, access, errors }: { url: string; access: Access; errors: object },
): FastifySchema {
  const schema = given ?? {}
  const role = requiresCaller(access) ? [`Requires the role ${access}.`] : []
  const description = [...(schema.description ? [schema.description] : []), ...role].join(' ')
  return {
    ...schema,
    tags: schema.tags ?? [tagOf(url)],
    security: SECURITY[requiresCaller(access) ? 'role' : access],
    ...(description === '' ? {} : { description }),
    response: { ...Object(schema.response), '4xx': errors, '5xx': errors },
  }
}

/** The noun of a path: `records` of /api/v1/records/{record_id}. */
function tagOf(url: string): string {
  return /^\/(?:api\/)?(?:v1\/)?([\w-]+)/.exec(url)?.[1] ?? 'hub'
}
