/** The OpenAPI document, generated from the schemas of the routes and the table of access. */

import { gzipSync } from 'node:zlib'
import { ErrorResponse } from '@recordhub/protocol'
import { html } from '@recordhub/protocol/html'
import type { FastifyInstance, FastifyPluginAsync, FastifySchema, RouteOptions } from 'fastify'
import fastify from 'fastify'
import { memoizeAsync } from '../lib/concurrency/memoize-async.ts'
import { sendCompressed } from '../lib/net/http.ts'
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

const SECURITY: Record<'anyone' | 'platform' | 'scraper' | 'role', Record<string, string[]>[]> = {
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
    // The noun of the path: `records` of /api/v1/records/{record_id}.
    tags: schema.tags ?? [/^\/(?:api\/)?(?:v1\/)?([\w-]+)/.exec(url)?.[1] ?? 'hub'],
    security: SECURITY[requiresCaller(access) ? 'role' : access],
    ...(description === '' ? {} : { description }),
    response: { ...Object(schema.response), '4xx': errors, '5xx': errors },
  }
}

const SCRIPT_PATH = '/docs/scalar.js'
const CACHE_ONE_HOUR = 'public, max-age=3600'

/** Colours of secondary text and of HTTP methods with a contrast of at least 4.5:1. */
const CUSTOM_CSS = `
.light-mode { --scalar-color-2: #495057; --scalar-color-3: #5c636a; --scalar-color-accent: #0b7285;
  --scalar-color-green: #05683f; --scalar-color-yellow: #7a5200; --scalar-color-blue: #0b5cad;
  --scalar-color-orange: #a63c00; --scalar-color-red: #b02525; --scalar-color-purple: #6741d9 }
.dark-mode { --scalar-color-2: #c1c2c5; --scalar-color-3: #a6a7ab; --scalar-color-accent: #4dadc2;
  --scalar-color-red: #ff8787 }`

const CONFIGURATION = {
  url: '/api/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  customCss: CUSTOM_CSS,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
}

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // Scalar creates style elements and attributes at run time, without a nonce.
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  objectSrc: ["'none'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}

const PAGE = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>API reference · Recordhub</title>
<link rel="icon" type="image/svg+xml" href="/assets/icon.svg">
</head>
<body>
<div id="api-reference" data-configuration="${JSON.stringify(CONFIGURATION)}"></div>
<noscript>The API reference needs JavaScript. The document itself is at /api/openapi.json.</noscript>
<script src="${SCRIPT_PATH}"></script>
</body>
</html>
`.text

export const apiReferenceRoutes: FastifyPluginAsync = async (app) => {
  const hide = { hide: true }
  const helmet = {
    enableCSPNonces: false,
    contentSecurityPolicy: { useDefaults: false, directives: CONTENT_SECURITY_POLICY },
  }
  app.get('/docs', { schema: hide, helmet }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(PAGE),
  )

  app.get(SCRIPT_PATH, { schema: hide, compress: false }, async (request, reply) => {
    reply.header('Cache-Control', CACHE_ONE_HOUR).type('text/javascript; charset=utf-8')
    return sendCompressed(request, reply, await readReferenceScript())
  })
}

/**
 * The script of the API reference. It is large, so it is loaded when the first reader opens the reference, and cached in
 * both forms: compressing it for each request would let any client overload the hub.
 */
export const readReferenceScript: () => Promise<{ plain: Buffer; gzipped: Buffer }> =
  memoizeAsync(loadScript)

/**
 * The API reference (Scalar) over `/api/openapi.json`, for anyone. The hub serves all of its files, and its content
 * security policy allows no other host. Scalar's package provides the script only through its route.
 */
async function loadScript(): Promise<{ plain: Buffer; gzipped: Buffer }> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  await using inner = fastify()
  await inner.register(scalar, {
    routePrefix: '/docs',
    configuration: { url: '/api/openapi.json' },
  })
  const { rawPayload: plain } = await inner.inject('/docs/js/scalar.js')
  return { plain, gzipped: gzipSync(plain) }
}
