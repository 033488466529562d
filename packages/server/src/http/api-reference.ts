/**
 * The API reference (Scalar) over `/api/openapi.json`, for anyone. The hub serves all of its files, and its content
 * security policy allows no other host.
 */
import { gzipSync } from 'node:zlib'
import { html } from '@recordhub/protocol/html'
import fastify, { type FastifyPluginAsync } from 'fastify'
import { memoizeAsync } from '../lib/concurrency/memoize-async.ts'

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
    const { plain, gzipped } = await readReferenceScript()
    const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (acceptsGzip) reply.header('Content-Encoding', 'gzip')
    reply.header('Vary', 'Accept-Encoding').header('Cache-Control', CACHE_ONE_HOUR)
    return reply.type('text/javascript; charset=utf-8').send(acceptsGzip ? gzipped : plain)
  })
}

/**
 * The script of the API reference. It is large, so it is loaded when the first reader opens the reference, and cached in
 * both forms: compressing it for each request would let any client overload the hub.
 */
export const readReferenceScript: () => Promise<{ plain: Buffer; gzipped: Buffer }> =
  memoizeAsync(loadScript)

/** Scalar's package provides the script only through its route. */
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
