/**
 * The API reference (Scalar) over `/api/openapi.json`, for anyone. All of it comes from the hub, and its
 * policy lets the page ask nobody else.
 */

import { html } from '@recordhub/protocol/html'
import type { FastifyPluginAsync } from 'fastify'
import { readReferenceScript } from './reference-script.ts'

const SCRIPT_PATH = '/docs/scalar.js'
const FOR_A_WHILE = 'public, max-age=3600'

/** Quiet texts and the colours of methods that are read without effort: 4.5:1 and more. */
const COLOURS = `
.light-mode { --scalar-color-2: #495057; --scalar-color-3: #5c636a; --scalar-color-accent: #0b7285;
  --scalar-color-green: #05683f; --scalar-color-yellow: #7a5200; --scalar-color-blue: #0b5cad;
  --scalar-color-orange: #a63c00; --scalar-color-red: #b02525; --scalar-color-purple: #6741d9 }
.dark-mode { --scalar-color-2: #c1c2c5; --scalar-color-3: #a6a7ab; --scalar-color-accent: #4dadc2;
  --scalar-color-red: #ff8787 }`

const CONFIGURATION = {
  url: '/api/openapi.json',
  telemetry: false,
  withDefaultFonts: false,
  customCss: COLOURS,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
}

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  // Scalar makes style elements and attributes as it runs, without a nonce.
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
    const { plain, packed } = await readReferenceScript()
    const takesGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
    if (takesGzip) reply.header('Content-Encoding', 'gzip')
    reply.header('Vary', 'Accept-Encoding').header('Cache-Control', FOR_A_WHILE)
    return reply.type('text/javascript; charset=utf-8').send(takesGzip ? packed : plain)
  })
}
