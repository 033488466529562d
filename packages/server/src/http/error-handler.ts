/** The only mapping from errors to responses. */
import { randomUUID } from 'node:crypto'
import { type IncomingHttpHeaders, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { HUB_KEY_HEADER } from '@recordhub/protocol'
import { html } from '@recordhub/protocol/html'
import type {
  ConnectionError,
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
} from 'fastify'
import { type ErrorBody, type FieldErrors, HubError } from '../errors.ts'
import { InvalidCursorError } from '../lib/collections/pagination.ts'
import { BASIC_ROUTES } from './access.ts'
import { ERROR_PAGE_POLICY } from './response-headers.ts'
import { createThrottledLog } from './throttled-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page: without a session, it redirects to the sign-in page. */
    page?: boolean
  }
}

export function handleErrors(app: FastifyInstance): void {
  const failures = createThrottledLog(app.log)
  // After the last connection has closed, there are no more of them.
  app.server.once('close', failures.flush)
  // For every response: the 401 responses of Better Auth bypass the error handler.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 401) reply.header('WWW-Authenticate', challengeFor(request))
    done(null, payload)
  })
  app.setErrorHandler<FastifyError | HubError | InvalidCursorError>((error, request, reply) => {
    const known = toHubError(error, request.routeOptions.bodyLimit)
    failures.record(known, request)
    return sendError(request, reply, known)
  })
}

/** The `Retry-After` of a temporary error that does not set it. */
const RETRY_SECONDS = 5

export function sendError(request: FastifyRequest, reply: FastifyReply, error: HubError) {
  reply.code(error.status)
  const isTemporary = error.status === 429 || error.status === 503
  const retryAfter = error.retryAfterSeconds ?? (isTemporary ? RETRY_SECONDS : undefined)
  if (retryAfter !== undefined) reply.header('Retry-After', retryAfter)
  reply.header('Cache-Control', 'no-store')
  if (error.code === 'not_signed_in' && request.routeOptions.config.page) {
    return reply.redirect(`/sign-in${nextPage(request.url)}`, 302)
  }
  if (acceptsHtml(request)) {
    reply.header('Content-Security-Policy', ERROR_PAGE_POLICY)
    return reply
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(errorPage(error, request.id))
  }
  const body: ErrorBody = {
    success: false,
    code: error.code,
    message: error.message,
    request_id: request.id,
    ...(error.errors ? { errors: error.errors } : {}),
  }
  return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(body)
}

/** After the sign-in, the browser continues to the requested page. */
function nextPage(url: string): string {
  return url === '/dashboard' ? '' : `?${new URLSearchParams({ next: url })}`
}

/** Whether the errors of a route that is no page may be pages: browsers submit forms to it. */
export function isFormTarget(method: string, url: string): boolean {
  return method !== 'GET' && !url.startsWith('/api/')
}

/** Whether the page sent the request, which no browser does by itself (specification 7). */
export function isSentByScript(headers: IncomingHttpHeaders): boolean {
  return String(headers['x-requested-with']).toLowerCase() === 'xmlhttprequest'
}

/** Whether a browser navigated to the URL or submitted a form. All other clients receive JSON. */
function acceptsHtml(request: FastifyRequest): boolean {
  const { url, config } = request.routeOptions
  const isNavigated = url === undefined ? !request.url.startsWith('/api/') : config.page
  if (!isNavigated && !isFormTarget(request.method, request.url)) return false
  if (isSentByScript(request.headers)) return false
  return /text\/html/.test(request.headers.accept ?? '')
}

function toHubError(
  error: FastifyError | HubError | InvalidCursorError,
  bodyLimit: number,
): HubError {
  if (error instanceof HubError) return error
  if (error instanceof InvalidCursorError) return toCursorError()
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new HubError('unsupported_media_type')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new HubError('body_too_large', { limit: bodyLimit })
    case 'FST_ERR_VALIDATION':
      return toValidationError(error)
    default:
      // The plugin that serves files responds with 403 for folders and for paths outside of its root folder.
      if (error.statusCode === 403) return new HubError('not_found', { what: 'file' })
      if (error.statusCode !== undefined && error.statusCode < 500) {
        return new HubError('invalid_request', { reason: error.message })
      }
      return new HubError('internal_error', {}, { cause: error })
  }
}

function toCursorError(): HubError {
  const reason = 'the cursor does not belong to this list; start again without it'
  const errors: FieldErrors = { cursor: ['does not belong to this list'] }
  return new HubError('invalid_request', { reason }, { errors })
}

function toValidationError(error: FastifyError): HubError {
  const found = new Map<string, string[]>()
  for (const { keyword, instancePath, message, params } of error.validation ?? []) {
    if (isRedundant(keyword, params)) continue
    const issue = ISSUES.get(keyword) ?? message ?? 'is not valid'
    const [, ...path] = instancePath.split('/')
    for (const member of membersIn(path, params)) {
      found.set(member, [...(found.get(member) ?? []), issue])
    }
  }
  const errors: FieldErrors = Object.fromEntries(found)
  const reason = [...found].map(([member, issues]) => `${member} ${issues.join(', ')}`).join('; ')
  return new HubError('invalid_request', { reason }, { errors })
}

/**
 * Whether another error describes the issue better: an unknown member also violates the schema `false`, a union also
 * reports the issues of each of its schemas, and a nullable member reports the issue of its other type.
 */
function isRedundant(keyword: string, params: Record<string, unknown>): boolean {
  return keyword === 'boolean' || keyword === 'anyOf' || params['type'] === 'null'
}

const ISSUES: ReadonlyMap<string, string> = new Map([
  ['required', 'is required'],
  ['additionalProperties', 'is not a known member'],
])

/** The members that a schema error is about, each with its path. */
function membersIn(path: readonly string[], params: Record<string, unknown>): string[] {
  const names: unknown = params['requiredProperties'] ?? params['additionalProperties']
  if (Array.isArray(names)) return names.map((name) => [...path, name].join('.'))
  return [path[0] ?? 'request']
}

function errorPage(error: HubError, requestId: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${error.status} · Recordhub</title>
<link rel="stylesheet" href="/assets/error-page.css">
</head>
<body>
<main>
<h1>${error.status}</h1>
<p>${error.message}</p>
<p><a href="/dashboard">Dashboard</a> · <a href="/sign-in">Sign in</a></p>
<p class="quiet">Request ${requestId}</p>
</main>
</body>
</html>
`.text
}

const INVALID_HTTP = { status: 400, reason: 'it is not valid HTTP' }
const REASONS: ReadonlyMap<string | undefined, typeof INVALID_HTTP> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, reason: 'it was not received in time' }],
  ['HPE_HEADER_OVERFLOW', { status: 431, reason: 'its headers are too large' }],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', { status: 413, reason: 'its chunk extensions are too large' }],
])

/**
 * Responds to bytes that are not a valid HTTP request, with the headers of every response, and closes the connection.
 * Nothing is logged: the bytes may contain a key, and a client could flood the log.
 */
export function createClientErrorHandler(headers: Readonly<Record<string, string>>) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (error: ConnectionError, socket: Socket): void => respond(error, socket, lines.join(''))
}

function respond({ code }: ConnectionError, socket: Socket, headers: string): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, reason } = REASONS.get(code) ?? INVALID_HTTP
  const { message } = new HubError('invalid_request', { reason })
  const request_id = randomUUID()
  const error: ErrorBody = { success: false, code: 'invalid_request', message, request_id }
  const body = JSON.stringify(error)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${request_id}\r\n${headers}` +
      'Content-Type: application/json; charset=utf-8\r\nConnection: close\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

const REALM = 'realm="recordhub"'

/**
 * The `WWW-Authenticate` header of a 401 response (RFC 9110, section 11.6.1): the credentials that the path accepts. It
 * is `Basic` only for the routes that feed readers call, because browsers would open a dialog.
 */
function challengeFor(request: FastifyRequest): string {
  if (routeOf(request).startsWith('/api/webhook/')) {
    return `ApiKey ${REALM}, header="${HUB_KEY_HEADER}"`
  }
  if (acceptsBasic(request)) return `Basic ${REALM}, charset="UTF-8"`
  if (!isApiPath(request) && routeOf(request) !== '/metrics')
    return `Cookie ${REALM}, form-action="/sign-in"`
  // RFC 6750, section 3.1: a request without a token gets no error code.
  const error = tokenOf(request) === undefined ? '' : ', error="invalid_token"'
  return `Bearer ${REALM}${error}`
}

/** Whether a path accepts bearer tokens beside sessions. */
export function isApiPath(request: FastifyRequest): boolean {
  return routeOf(request).startsWith('/api/v1/')
}

/**
 * The pattern of the route that a request matches; empty for an unknown path. The URL itself may be spelled in
 * other ways: with an authority (RFC 9112, section 3.2.2) or percent-encoded.
 */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? ''
}

/** The token that a request carries in `Authorization`: with `Bearer`, or as the password of `Basic` where it is accepted. */
export function tokenOf(request: FastifyRequest): string | undefined {
  const [, scheme = '', credentials = ''] =
    /^(Bearer|Basic) +([^ ].*)$/i.exec(request.headers.authorization ?? '') ?? []
  if (scheme.toLowerCase() === 'bearer') return credentials.trim()
  if (scheme === '' || !acceptsBasic(request)) return undefined
  // RFC 7617: the user name contains no colon. Any user name is accepted.
  return /^[^:]*:(.*)$/s.exec(Buffer.from(credentials, 'base64').toString())?.[1] ?? ''
}

function acceptsBasic(request: FastifyRequest): boolean {
  return BASIC_ROUTES.includes(routeOf(request))
}
