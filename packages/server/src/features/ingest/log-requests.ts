/**
 * Logs the requests to the receiver and the responses to them. They wait in memory and are saved together about once a
 * second, so that a push neither waits for its line nor pays for a write of its own.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { HUB_KEY_HEADER, RECEIVER_PATH } from '@recordhub/protocol'
import { isJsonObject } from '@recordhub/protocol/lossless-json'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { maskUnknownKey } from '../../domain/activity/push-errors.ts'
import {
  decodeRequest,
  type EncodedRequest,
  encodeRequest,
  type LoggedRequest,
  REQUEST_LOG_LIMITS,
  type RequestDetails,
  redactHeaders,
} from '../../domain/activity/request-log.ts'
import { createRedactor } from '../../domain/platform/redact-keys.ts'
import { PushBody, recordTypeOf, referenceOf } from '../../domain/record/record-input.ts'
import { createRateLimit } from '../../lib/concurrency/rate-limit.ts'
import { clientSubnet } from '../../lib/net/client-subnet.ts'
import type { Clock, MonotonicClock } from '../../lib/time/clock.ts'
import type { RequestStore } from '../../storage/port/activity-store.ts'

/** What the receiver has found out about a request. */
export type ReceivedRequest = {
  key: string
  /** Null without a valid key. */
  platform_id: number | null
  /** The body as it was received; null if it was not read. */
  bytes: Buffer | null
  /** The accepted push. */
  accepted: {
    record_type: string
    reference_number: string
    record_id: number
    outcome: string
  } | null
}

/** An accepted push without details, or a request whose texts may contain keys, which are removed before it is saved. */
type WaitingRequest =
  | EncodedRequest
  | { at: number; line: Line; isAccepted: boolean; kept: Kept | null }

type Line = Omit<LoggedRequest, 'at' | 'details'>

/** Holds nothing of the request itself: many wait, each for up to a second. */
type Kept = {
  headers: IncomingHttpHeaders
  body: PushBody | Buffer | null
  response: string | null
  bytes: number
}

export type RequestLog = {
  /** Logs a request when its response is ready. */
  add: (
    request: FastifyRequest,
    reply: FastifyReply,
    response: unknown,
    received: ReceivedRequest,
  ) => void
  /** Saves what waits. If that fails, it waits for the next call. */
  flush: () => Promise<void>
}

/** Requests of one transaction, which takes a few milliseconds. */
const BATCH = 1000
/** Requests that could not be saved for this long are not logged. */
const MAX_AGE_MS = 600_000
const MAX_PATH_LENGTH = 200
/** A push of an erased record must not be stored, not even as a rejected one. */
const ERASED = 'record_erased'

export function createRequestLog(deps: {
  requests: Pick<RequestStore, 'saveRequests'>
  /** Returns the source API key of a platform; "" if it has none. */
  readSourceKey: (platformId: number) => Promise<string>
  clock: Clock
  monotonicClock: MonotonicClock
  maxBytes: number
  onError: (error: unknown) => void
}): RequestLog {
  const { requests, readSourceKey, clock, monotonicClock, maxBytes, onError } = deps
  const limits = REQUEST_LOG_LIMITS
  const unknown = createRateLimit(limits.unknownPerSecond, monotonicClock)
  const acceptedBodies = createRateLimit(limits.acceptedBodiesPerSecond, monotonicClock)
  const rejectedBodies = createRateLimit(limits.rejectedBodiesPerSecond, monotonicClock)
  let waiting: WaitingRequest[] = []
  /** The size of the headers, bodies and responses that wait. */
  let waitingBytes = 0
  let skipped = 0
  let saving: Promise<void> | null = null
  let hasFailed = false
  let hints = memoize(maskUnknownKey)
  let addresses = memoize(clientSubnet)

  /** Saves batches until fewer than `atLeast` requests wait. */
  function save(atLeast: number): Promise<void> {
    saving ??= saveBatches(atLeast).finally(() => {
      saving = null
    })
    return saving
  }

  async function saveBatches(atLeast: number): Promise<void> {
    while (waiting.length >= atLeast) {
      const oldest = clock.now().getTime() - MAX_AGE_MS
      const batch = waiting.splice(0, BATCH)
      const bytes = bytesOf(batch)
      waitingBytes -= bytes
      hints = memoize(maskUnknownKey)
      addresses = memoize(clientSubnet)
      try {
        const current = hasFailed ? batch.filter((one) => timeOf(one) >= oldest) : batch
        await requests.saveRequests(await toLogged(current, readSourceKey), maxBytes)
        hasFailed = false
      } catch (error) {
        hasFailed = true
        waiting = [...batch, ...waiting]
        waitingBytes += bytes
        throw error
      }
    }
  }

  return {
    add(request, reply, response, { key, platform_id, bytes, accepted }) {
      const isFull = waiting.length >= limits.waiting
      if (maxBytes === 0 || isFull || (platform_id === null && unknown.take('') > 0)) {
        skipped += 1
        return
      }
      const { elapsedTime, statusCode: status } = reply
      const at = clock.now().getTime() - elapsedTime
      const code = status < 400 ? null : codeOf(response)
      const kept = isKept(platform_id, status, code) ? keep(request, response, bytes) : null
      waitingBytes += kept?.bytes ?? 0
      const line: Line = {
        platform_id,
        method: request.method,
        path: accepted ? RECEIVER_PATH : pathOf(request),
        status,
        latency_us: Math.round(elapsedTime * 1000),
        size: bytes?.length ?? announcedLength(request),
        record_type: accepted?.record_type ?? null,
        reference_number: accepted?.reference_number ?? null,
        outcome: accepted?.outcome ?? code,
        record_id: accepted?.record_id ?? null,
        request_id: request.id,
        key_hint: hints(key),
        address: addresses(request.ip),
        skipped,
      }
      const isAccepted = accepted !== null
      // Most requests are pushes that nothing is kept of, so they take the least memory.
      waiting.push(isAccepted && !kept ? encodeRequest(line, at) : { at, line, isAccepted, kept })
      skipped = 0
      // Between two periodic saves, only whole batches are worth a transaction.
      if (waiting.length === BATCH) save(BATCH).catch(onError)
    },

    async flush() {
      await saving?.catch(() => undefined)
      await save(1)
    },
  }

  function isKept(platform_id: number | null, status: number, code: string | null): boolean {
    if (code === ERASED || waitingBytes >= limits.waitingBytes) return false
    if (platform_id === null) return true
    return status < 400
      ? acceptedBodies.take('') === 0
      : rejectedBodies.take(String(platform_id)) === 0
  }
}

/** Logs the requests to unknown paths and methods under the path of the receiver, which no route of it receives. */
export function logUnknownPaths(app: FastifyInstance, log: RequestLog): void {
  const [prefix] = RECEIVER_PATH.split('/receive')
  app.addHook('onSend', (request, reply, payload, done) => {
    if (request.is404 && request.url.startsWith(`${prefix}/`)) {
      const received = { key: keyOf(request), platform_id: null, bytes: null, accepted: null }
      log.add(request, reply, payload, received)
    }
    done(null, payload)
  })
}

/** The code in the body of an error response. */
function codeOf(response: unknown): string | null {
  try {
    const body: unknown = JSON.parse(String(response))
    return isJsonObject(body) && typeof body['code'] === 'string' ? body['code'] : null
  } catch {
    return null
  }
}

function bytesOf(waiting: WaitingRequest[]): number {
  return waiting.reduce(
    (sum, one) => sum + (typeof one === 'string' ? 0 : (one.kept?.bytes ?? 0)),
    0,
  )
}

function timeOf(one: WaitingRequest): number {
  return typeof one === 'string' ? Date.parse(decodeRequest(JSON.parse(one)).at) : one.at
}

function pathOf({ routeOptions, url }: FastifyRequest): string {
  return routeOptions.url ?? url.split('?', 1)[0] ?? ''
}

/** The hub API key of a request; "" without one. */
export function keyOf({ headers }: FastifyRequest): string {
  const header = headers[HUB_KEY_HEADER.toLowerCase()]
  return typeof header === 'string' ? header : ''
}

function announcedLength({ headers }: FastifyRequest): number | null {
  const length = Number(headers['content-length'])
  return Number.isSafeInteger(length) && length > 0 ? length : null
}

function keep({ headers, body }: FastifyRequest, response: unknown, bytes: Buffer | null): Kept {
  const isShort = (text: string | Buffer) => text.length <= REQUEST_LOG_LIMITS.textBytes
  const keptBytes = bytes !== null && isShort(bytes) ? bytes : null
  const keptResponse = typeof response === 'string' && isShort(response) ? response : null
  const texts = [Object.entries(headers).join(), keptBytes ?? '', keptResponse ?? '']
  return {
    headers,
    body: keptBytes && body instanceof PushBody ? body : keptBytes,
    response: keptResponse,
    bytes: texts.reduce((sum, { length }) => sum + length, 0),
  }
}

async function toLogged(
  waiting: WaitingRequest[],
  readSourceKey: (platformId: number) => Promise<string>,
): Promise<(LoggedRequest | EncodedRequest)[]> {
  const redactors = new Map<number | null, Redactor>([[null, createRedactor([])]])
  const logged: (LoggedRequest | EncodedRequest)[] = []
  for (const one of waiting) {
    if (typeof one === 'string') {
      logged.push(one)
      continue
    }
    const { at, line, isAccepted, kept } = one
    const { platform_id } = line
    const redactor =
      redactors.get(platform_id) ?? createRedactor([await readSourceKey(platform_id ?? 0)])
    redactors.set(platform_id, redactor)
    const path = redactor.redactText(line.path).slice(0, MAX_PATH_LENGTH)
    const record = isAccepted ? null : findRecord(kept?.body ?? null, redactor)
    logged.push({
      ...line,
      ...record,
      path,
      at: new Date(at).toISOString(),
      details: kept && toDetails(kept, redactor),
    })
  }
  return logged
}

type Redactor = ReturnType<typeof createRedactor>

function toDetails(
  { headers, body, response }: Kept,
  { redactText, redactBody }: Redactor,
): RequestDetails {
  const toText = (text: string) => toStorable(redactBody(text))
  return {
    headers: redactHeaders(headers, redactText),
    body: body === null ? null : toText(textOf(body)),
    response: response === null ? null : toText(response),
  }
}

/** A body that was read is saved in the stored form, in which an erasure finds references. */
function textOf(body: PushBody | Buffer): string {
  if (body instanceof PushBody) {
    return body.scanned ? body.bytes.toString() : (JSON.stringify(body.value) ?? '')
  }
  return body.toString()
}

/** PostgreSQL stores no U+0000, which a body that is not JSON may contain. */
function toStorable(text: string): string {
  return text.replaceAll('\u0000', '\ufffd').toWellFormed()
}

/** The record of a push that was not accepted. */
function findRecord(body: PushBody | Buffer | null, { redactText }: Redactor) {
  if (!(body instanceof PushBody) || !isJsonObject(body.value)) return null
  const [type, reference] = [recordTypeOf(body.value), referenceOf(body.value)]
  return {
    record_type: type === null ? null : redactText(type),
    reference_number: reference === null ? null : redactText(reference),
  }
}

function memoize<Given, Result>(compute: (given: Given) => Result): (given: Given) => Result {
  const known = new Map<Given, Result>()
  return (given) => {
    const found = known.get(given)
    if (found !== undefined) return found
    const result = compute(given)
    known.set(given, result)
    return result
  }
}
