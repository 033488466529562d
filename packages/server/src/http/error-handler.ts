/** The one place where errors become answers. */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorBody, type FieldErrors, HubError } from '../errors.ts'
import { challengeFor } from './authentication-challenge.ts'
import { errorPage } from './error-page.ts'
import { ERROR_PAGE_POLICY } from './response-headers.ts'
import { createThrottledLog } from './throttled-log.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A page for people: without a session it leads to the sign-in. */
    page?: boolean
  }
}

export function handleErrors(app: FastifyInstance, bodyLimit: number): void {
  const refusals = createThrottledLog(app.log)
  // After the last connection: until then there may be more.
  app.server.once('close', refusals.end)
  // For every response: the 401 responses of Better Auth bypass the error handler.
  app.addHook('onSend', (request, reply, payload, done) => {
    if (reply.statusCode === 401) reply.header('WWW-Authenticate', challengeFor(request))
    done(null, payload)
  })
  app.setErrorHandler<FastifyError | HubError>((error, request, reply) => {
    const known = toHubError(error, bodyLimit)
    if (isRefusal(known)) refusals.tell(known, request)
    else if (known.status >= 500) {
      request.log.error({ err: error, request_id: request.id }, 'request failed')
    }
    return sendError(request, reply, known)
  })
}

/** The `Retry-After` of a temporary error that has none of its own. */
const RETRY_SECONDS = 5

/** What somebody who looks for an attack, or for why nothing arrives, wants to see in the log. */
const REFUSALS: readonly number[] = [401, 403, 413, 419, 429, 503]

function isRefusal({ status }: HubError): boolean {
  return REFUSALS.includes(status)
}

export function sendError(request: FastifyRequest, reply: FastifyReply, error: HubError) {
  reply.code(error.status)
  const isTemporary = error.status === 429 || error.status === 503
  const retryAfter = error.retryAfterSeconds ?? (isTemporary ? RETRY_SECONDS : undefined)
  if (retryAfter !== undefined) reply.header('Retry-After', retryAfter)
  reply.header('Cache-Control', 'no-store')
  if (error.code === 'not_signed_in' && request.routeOptions.config.page) {
    return reply.redirect(`/sign-in${nextPage(request.url)}`, 302)
  }
  if (wantsPage(request)) {
    reply.header('Content-Security-Policy', ERROR_PAGE_POLICY)
    return reply
      .type('text/html; charset=utf-8')
      .serializer(String)
      .send(errorPage(error, request.id))
  }
  const answer: ErrorBody = {
    success: false,
    code: error.code,
    message: error.message,
    request_id: request.id,
    ...(error.errors ? { errors: error.errors } : {}),
  }
  return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send(answer)
}

/** Where somebody was going is where the sign-in leads. */
function nextPage(url: string): string {
  return url === '/dashboard' ? '' : `?${new URLSearchParams({ next: url })}`
}

/** A person's browser gets a page, where it went there or sent a form; all else gets JSON. */
function wantsPage(request: FastifyRequest): boolean {
  if (request.url.startsWith('/api/')) return false
  const { url, config } = request.routeOptions
  if (request.method === 'GET' && url !== undefined && !config.page) return false
  if (request.headers['x-requested-with'] === 'XMLHttpRequest') return false
  return /text\/html/.test(request.headers.accept ?? '')
}

function toHubError(error: FastifyError | HubError, bodyLimit: number): HubError {
  if (error instanceof HubError) return error
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new HubError('unsupported_media_type')
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new HubError('body_too_large', { limit: bodyLimit })
    case 'FST_ERR_VALIDATION':
      return toValidationError(error)
    default:
      if (error.statusCode !== undefined && error.statusCode < 500) {
        return new HubError('invalid_request', { reason: error.message })
      }
      return new HubError('internal_error', {}, { cause: error })
  }
}

function toValidationError(error: FastifyError): HubError {
  const found = new Map<string, string[]>()
  for (const { keyword, instancePath, message, params } of error.validation ?? []) {
    if (isToldOtherwise(keyword, params)) continue
    const member = instancePath.split('/')[1] ?? namedIn(params) ?? 'request'
    const fault = FAULTS.get(keyword) ?? message ?? 'is not valid'
    found.set(member, [...(found.get(member) ?? []), fault])
  }
  const errors: FieldErrors = Object.fromEntries(found)
  const reason = [...found].map(([member, faults]) => `${member} ${faults.join(', ')}`).join('; ')
  return new HubError('invalid_request', { reason }, { errors })
}

/**
 * An unknown member also meets the schema `false`; that none of several forms fits is said by what is wrong with each;
 * and that nothing at all would have done helps nobody who has sent something.
 */
function isToldOtherwise(keyword: string, params: Record<string, unknown>): boolean {
  return keyword === 'boolean' || keyword === 'anyOf' || params['type'] === 'null'
}

const FAULTS: ReadonlyMap<string, string> = new Map([
  ['required', 'is required'],
  ['additionalProperties', 'is not known here'],
])

/** The member that a schema error is about where its path does not say. */
function namedIn(params: Record<string, unknown>): string | undefined {
  const names = params['requiredProperties'] ?? params['additionalProperties']
  return Array.isArray(names) ? names.join(', ') : undefined
}
