/**
 * Limits the memory for the bodies of requests in progress, those that are received and those that wait for a commit,
 * and reads them as JSON.
 */
import type { ServerResponse } from 'node:http'
import { type Readable, Transform } from 'node:stream'
import { HUB_KEY_HEADER, MAX_JSON_DEPTH } from '@recordhub/protocol'
import { findUnsafeJson, parseLossless } from '@recordhub/protocol/lossless-json'
import type { FastifyInstance, FastifyRequest, preParsingHookHandler } from 'fastify'
import { keyOfCaller } from '../domain/auth/caller.ts'
import { UNSAFE_MESSAGES } from '../domain/record/record-input.ts'
import { busy, HubError } from '../errors.ts'
import { type Admission, type Admitted, createAdmission } from '../lib/concurrency/admission.ts'
import { NOT_UTF8 } from '../lib/json/json-array-scanner.ts'
import type { MetricsRegistry } from '../lib/metrics/registry.ts'
import { clientSubnet } from '../lib/net/client-subnet.ts'
import { findCompression } from '../lib/net/http.ts'
import { ACCESS, type Access, requiresCaller, routeKeysOf } from './access.ts'
import { MAX_CONNECTIONS } from './connection-limit.ts'

/** Each has limits of its own, so that pushes do not stop the operators, and unauthenticated clients stop neither. */
const SENDERS = ['platform', 'caller', 'anyone'] as const
type Sender = (typeof SENDERS)[number]
export type BodyAdmissions = Readonly<Record<Sender, Admission>>

/**
 * Maximum number of bodies of each kind of sender. Any subnet may have as many incomplete sign-ins as there can be
 * connections, so that clients that send nothing do not prevent those of others behind the same address.
 */
const MAX_BODIES: Readonly<Record<Sender, number>> = {
  platform: 4000,
  caller: 4000,
  anyone: 4 * MAX_CONNECTIONS,
}
/** Maximum size of a body of an unauthenticated client: a sign-in, or the start of an account. */
const MAX_ANONYMOUS_BODY = 16 * 1024
/**
 * Maximum size of all bodies of a kind of sender; four times that of one body if it is more. Clients that hold back the
 * end of their bodies on every connection that the hub accepts do not reach that of unauthenticated clients.
 */
const MAX_BYTES: Readonly<Record<Sender, number>> = {
  platform: 32 * 1024 * 1024,
  caller: 8 * 1024 * 1024,
  anyone: MAX_BODIES.anyone * MAX_ANONYMOUS_BODY,
}
const RETRY_SECONDS = 1

declare module 'fastify' {
  interface FastifyRequest {
    /** Set from the admission of its body until its handler begins. */
    admittedBody: Admitted | null
  }
}

/**
 * Responds with 503 to a request whose body would exceed a limit, before the body is read. A body of unknown length,
 * and one of an unauthenticated client, which may announce more than it sends, is counted while it is received. A body
 * is counted until the handler of its request has ended, so a push until its commit. The body of a route without
 * authentication has a lower limit of its own. Call it before the routes are registered.
 */
export function limitBodies(app: FastifyInstance, bodyLimit: number): BodyAdmissions {
  const create = (sender: Sender) =>
    createAdmission({
      requests: MAX_BODIES[sender],
      bytes: Math.max(MAX_BYTES[sender], 4 * bodyLimit),
    })
  const admissions = {
    platform: create('platform'),
    caller: create('caller'),
    anyone: create('anyone'),
  }
  app.decorateRequest('admittedBody', null)
  app.addHook('onRoute', (route) => {
    const [key = ''] = routeKeysOf(route)
    if (key.startsWith('GET ')) return
    const sender = senderOf(ACCESS[key])
    if (sender === 'anyone') route.bodyLimit ??= Math.min(MAX_ANONYMOUS_BODY, bodyLimit)
    const { handler, preParsing = [] } = route
    const admit = createAdmitHook(sender, admissions[sender], route.bodyLimit ?? bodyLimit)
    // After the authentication.
    route.preParsing = [admit, ...[preParsing].flat()]
    route.handler = function (request, reply) {
      const { admittedBody } = request
      if (!admittedBody) return handler.call(this, request, reply)
      // The handler uses the body even after the client has closed the connection.
      request.admittedBody = null
      return releaseAfter(admittedBody, () => handler.call(this, request, reply))
    }
  })
  return admissions
}

function senderOf(access: Access | undefined): Sender {
  if (access === 'platform') return 'platform'
  return requiresCaller(access) ? 'caller' : 'anyone'
}

function createAdmitHook(
  sender: Sender,
  admission: Admission,
  bodyLimit: number,
): preParsingHookHandler {
  return (request, reply, payload, done) => {
    const { 'content-type': type, 'content-length': length } = request.headers
    // A body without a type is not read, nor one that is too large for any request.
    const isRead = type !== undefined && length !== '0' && !(Number(length) > bodyLimit)
    // A client may have disconnected during its authentication. Its response is closed only once.
    if (!isRead || reply.raw.closed) return done(null, payload)
    const admitted = admission.admit(ownerOf(request, sender))
    if (!admitted) return done(busy(RETRY_SECONDS))
    request.admittedBody = admitted
    reply.raw.once('close', () => request.admittedBody?.release())
    if (sender === 'anyone' || length === undefined)
      return done(null, countBytes(payload, admitted, reply.raw))
    if (admitted.add(Number(length))) done(null, payload)
    else done(busy(RETRY_SECONDS))
  }
}

/** The hub API key, the operator or program, or the subnet of the client. */
function ownerOf(request: FastifyRequest, sender: Sender): string {
  if (request.caller) return keyOfCaller(request.caller)
  if (sender === 'platform') return String(request.headers[HUB_KEY_HEADER.toLowerCase()])
  return clientSubnet(request.ip)
}

async function releaseAfter(admitted: Admitted, handle: () => unknown): Promise<unknown> {
  try {
    return await handle()
  } finally {
    admitted.release()
  }
}

/**
 * Passes a body on, and ends it with an error when it exceeds a limit. Discards what arrives after the response, such as
 * that to a body of a type that the hub does not read.
 */
function countBytes(body: Readable, admitted: Admitted, response: ServerResponse): Readable {
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (response.writableEnded) done()
      else if (admitted.add(chunk.length)) done(null, chunk)
      else done(busy(RETRY_SECONDS))
    },
  })
  // Nobody else listens if the body is not read.
  counted.on('error', () => undefined)
  // Not `pipeline`, which would close the connection instead of responding.
  body.once('error', (error) => counted.destroy(error))
  return body.pipe(counted)
}

/** Reports the bodies in progress and their limits. */
export function collectBodyMetrics(registry: MetricsRegistry, admissions: BodyAdmissions): void {
  const gauge = (name: string, help: string, read: (admission: Admission) => number) => ({
    ...{ name, help, type: 'gauge' as const },
    samples: SENDERS.map((sender) => ({ labels: { sender }, value: read(admissions[sender]) })),
  })
  registry.collect(() => [
    gauge(
      'recordhub_bodies',
      'Requests whose body is received, validated or waits for its commit.',
      ({ occupied }) => occupied.requests,
    ),
    gauge(
      'recordhub_bodies_limit',
      'Number of these requests at which further ones get 503; one sender can have a quarter.',
      ({ limit }) => limit.requests,
    ),
    gauge('recordhub_bodies_bytes', 'Size of their bodies.', ({ occupied }) => occupied.bytes),
    gauge(
      'recordhub_bodies_limit_bytes',
      'Size of the bodies at which further ones get 503; one sender can have a quarter.',
      ({ limit }) => limit.bytes,
    ),
  ])
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Reads the body of a request. @param parse parses it as lossless JSON. @throws HubError `invalid_json` */
type ReadBody = (
  bytes: Buffer,
  parse: (bytes: Buffer) => unknown,
  request: FastifyRequest,
) => unknown

/** Accepts only JSON bodies. By default they are parsed. */
export function acceptJsonBodies(
  app: FastifyInstance,
  read: ReadBody = (bytes, parse) => parse(bytes),
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i,
    { parseAs: 'buffer' },
    (
      request: FastifyRequest,
      body: Buffer,
      done: (error: Error | null, body?: unknown) => void,
    ) => {
      try {
        rejectEncoding(request)
        // Some clients send the type with every request.
        if (body.length === 0 && isBodyOptional(request)) return done(null, null)
        done(null, read(body, parseBody, request))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  )
}

function isBodyOptional({ routeOptions }: FastifyRequest): boolean {
  const { anyOf = [] }: { anyOf?: { type?: string }[] } = Object(routeOptions.schema?.body)
  return anyOf.some(({ type }) => type === 'null')
}

/** Rejects compressed bodies: a proxy that decompresses them would read another body than the hub. */
function rejectEncoding({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new HubError('unsupported_media_type')
}

function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw new HubError('invalid_json', { reason: 'it is empty' })
  const compression = findCompression(body)
  if (compression !== null) {
    const reason = `it is compressed (${compression}); send it uncompressed`
    throw new HubError('invalid_json', { reason })
  }
  const value = parse(decode(body))
  const unsafe = findUnsafeJson(value, MAX_JSON_DEPTH)
  if (unsafe !== null)
    throw new HubError('invalid_json', { reason: `it ${UNSAFE_MESSAGES[unsafe]}` })
  return value
}

function decode(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch {
    throw new HubError('invalid_json', { reason: `it ${NOT_UTF8}` })
  }
}

function parse(text: string): unknown {
  try {
    return parseLossless(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it cannot be parsed'
    throw new HubError('invalid_json', { reason: reason.slice(0, 200) })
  }
}
