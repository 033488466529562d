/** A receiver for the check of pushes: it responds with the hub's own code, and injects faults. It stores nothing. */
import type {
  CheckedModule,
  FaultLimits,
  ObservedPush,
  PushValidator,
  TestReceiver,
} from '@recordhub/platform-checker'
import type { JsonValue } from '@recordhub/protocol/lossless-json'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import type { Config } from './config/settings.ts'
import { HUB_KEY_PREFIX, keyRejected } from './domain/platform/api-key.ts'
import { toManifestKeys } from './domain/record/drift.ts'
import { withText } from './domain/record/json-text.ts'
import { decidePush, type RecordState } from './domain/record/record.ts'
import { PushBody } from './domain/record/record-input.ts'
import { type ErrorCode, HubError } from './errors.ts'
import type { Ingest } from './features/ingest/ingest.ts'
import { pushRoutes } from './features/ingest/push-routes.ts'
import { createReceivePush, type PlatformAuthenticator } from './features/ingest/receive-push.ts'
import { CHECKER_RULES } from './features/platforms/checker-hub.ts'
import { acceptJsonBodies } from './http/request-bodies.ts'
import { createHttpServer } from './http/server.ts'
import { sameSecret } from './lib/crypto/hash.ts'
import { createRandomKey } from './lib/crypto/random-key.ts'
import { systemClock } from './lib/time/clock.ts'
import { formatRfc3339 } from './lib/time/rfc3339.ts'
import type { PushWrite } from './storage/port/record-store.ts'

export type ReceiverPlatform = { platform_name: string; display_title: string }

type Options = {
  config: Config
  platform: ReceiverPlatform
  modules: readonly CheckedModule[]
  validator: PushValidator
  /** The clock of the validator, in milliseconds. */
  now: () => number
  /** Called for each push when it is responded to or its connection is closed. */
  onPush: (line: string) => void
}

/** @throws Error if the port is in use. */
export async function openTestReceiver(options: Options): Promise<TestReceiver> {
  const { config } = options
  const hubApiKey = createRandomKey(HUB_KEY_PREFIX)
  const { app } = await createHttpServer(
    {
      logger: pino({ level: 'silent' }),
      bodyLimit: config.HUB_MAX_BODY_BYTES,
      trustProxy: false,
      isBehindTls: false,
      publicUrl: '',
      rejectionReason: () => null,
    },
    { findOperator: async () => null, findProgram: async () => null },
    () => '',
  )
  addHooks(app, options)
  const authenticator = createAuthenticator(hubApiKey, options)
  const rejectedPushSaver = { save: async () => true }
  const ingest = createMemoryIngest(options.modules, config.HUB_MAX_RECORD_KEYS)
  const receivePush = createReceivePush({
    ingest,
    rejectedPushSaver,
    authenticator,
    clock: systemClock,
  })
  // The validator counts errors itself.
  const counter = { countError: () => undefined, recordAddress: () => undefined }
  await app.register(
    pushRoutes({
      authenticator,
      receivePush,
      acceptJsonBodies,
      counter,
      requestLog: { add: () => undefined, flush: async () => undefined },
      ...{ pushMetrics: NO_METRICS, tracer: null, config: { ...config, HUB_RATE_LIMIT: 0 } },
      monotonicClock: performance,
      readGuideOf: null,
    }),
  )
  const address = await app.listen({ port: config.PORT, host: config.HOST })
  return {
    address: config.HUB_PUBLIC_URL || address,
    hubApiKey,
    async close() {
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

const NO_METRICS = { countAccepted: () => undefined, countError: () => undefined }

/** Passes each push and its response to the validator, and injects the faults that the validator returns. */
function addHooks(app: FastifyInstance, { validator, now, onPush }: Options): void {
  const pushes = new WeakMap<FastifyRequest, ObservedPush>()
  const withFault = new WeakSet<FastifyRequest>()
  const errors = new WeakMap<FastifyRequest, HubError>()
  const log = (request: FastifyRequest, result: string) => {
    const { body } = pushes.get(request) ?? {}
    const { record_type = '', reference_number = '' } = Object(body)
    onPush(`${request.method} ${record_type} ${reference_number}: ${result}`)
  }

  app.addHook('preHandler', async (request, reply) => {
    const method = pushMethodOf(request)
    if (method === null) return
    const header = (name: string) => String(request.headers[name] ?? '')
    const push = { method, body: toJson(request.body), header }
    pushes.set(request, push)
    const fault = validator.receive(push, now())
    if (fault === null) return
    withFault.add(request)
    if (fault === 'disconnected') {
      log(request, 'connection closed on purpose')
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    log(request, `rejected on purpose (${fault})`)
    throw toFaultError(fault, validator.limits)
  })
  app.addHook('onError', async (request, _reply, error) => {
    if (error instanceof HubError) errors.set(request, error)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const push = pushes.get(request)
    if (push && reply.statusCode < 300 && typeof payload === 'string') {
      const { warnings = [] }: { warnings?: string[] } = JSON.parse(payload)
      for (const warning of warnings) validator.warned(warning, push.body)
    }
    return payload
  })
  app.addHook('onResponse', async (request, reply) => {
    if (withFault.has(request) || request.method === 'GET') return
    const status = reply.statusCode
    const push = pushes.get(request)
    log(request, String(status))
    if (status < 300 && push) return validator.accepted(push)
    const error = CHECKER_RULES.toPlatformError(errors.get(request) ?? errorOfStatus(status))
    if (error) validator.rejected(error, push?.body, now())
  })
}

function toFaultError(
  fault: 'unavailable' | 'rejected' | 'unauthorized',
  { retryAfterSeconds }: FaultLimits,
): HubError {
  switch (fault) {
    case 'unavailable':
      return new HubError('busy', { seconds: retryAfterSeconds }, { retryAfterSeconds })
    case 'unauthorized':
      return new HubError('api_key_invalid')
    case 'rejected': {
      const reason = 'the check rejects this push on purpose'
      return new HubError('invalid_record', { reason }, { errors: { record: [reason] } })
    }
  }
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_json',
  413: 'body_too_large',
  415: 'unsupported_media_type',
}

/** The error of a response that was not thrown as a HubError; null for other statuses. */
function errorOfStatus(status: number): HubError | null {
  const code = CODE_OF_STATUS[status]
  return code ? new HubError(code, { reason: 'it was rejected', limit: '' }) : null
}

/** Returns null for requests that are not pushes. */
function pushMethodOf({ method }: FastifyRequest): 'POST' | 'PATCH' | null {
  return method === 'POST' || method === 'PATCH' ? method : null
}

/** The hub's parser returns JSON. */
function toJson(body: unknown): JsonValue {
  const value = body instanceof PushBody ? body.value : body
  return isJson(value) ? value : null
}

function isJson(body: unknown): body is JsonValue {
  return body !== undefined
}

function createAuthenticator(
  hubApiKey: string,
  { platform, modules }: Options,
): PlatformAuthenticator {
  const receiver = {
    ...platform,
    ...{ hub_key_id: 1, expires_at: null, platform_id: 1 },
    modules: modules.map(({ record_type, module_name, fields }) => ({
      ...{ record_type, module_name, drift_policy: 'accept' as const },
      manifest_keys: toManifestKeys(fields),
    })),
  }
  const find = async (key: string) => (sameSecret(key, hubApiKey) ? receiver : null)
  const reject = async (key: string, hasAuthorization?: boolean) =>
    keyRejected(key, null, hasAuthorization)
  return { findCached: () => null, find, refresh: find, reject }
}

/** Decides the outcome of each push as the hub does, on records in memory. */
function createMemoryIngest(
  modules: readonly CheckedModule[],
  maxRecordKeys: number,
): Pick<Ingest, 'push' | 'maxRecordKeys'> {
  const records = new Map<string, { record_id: number; state: RecordState }>()
  const names = new Map(modules.map((module) => [module.record_type, module.module_name]))
  let seq = 0
  return {
    maxRecordKeys,
    async push({ record_type, reference_number, content }: PushWrite) {
      const key = JSON.stringify([record_type, reference_number])
      const stored = records.get(key)
      const context = { seq: ++seq, at: formatRfc3339(systemClock.now()), lastRead: null }
      const decision = decidePush(stored?.state ?? null, content, context)
      const record_id = stored?.record_id ?? records.size + 1
      if ('next' in decision && decision.next)
        records.set(key, { record_id, state: withText(decision.next) })
      const result = { outcome: decision.outcome, record_id }
      const newer = 'newer' in decision ? { newer: decision.newer } : {}
      return { ...result, module_name: names.get(record_type) ?? '', ...newer }
    },
  }
}
