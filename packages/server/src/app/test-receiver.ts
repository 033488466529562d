/** A receiver that judges pushes: it answers as a hub does, with a hub's own parts, and keeps nothing. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { pino } from 'pino'
import type { Config } from '../config/settings.ts'
import type { JudgedModule } from '../domain/conformance/judge-manifest.ts'
import {
  CODES_BY_STATUS,
  type PushJudge,
  type PushSighting,
} from '../domain/conformance/judge-pushes.ts'
import { HUB_KEY_PREFIX } from '../domain/platform/api-key.ts'
import { manifestKeysOf } from '../domain/record/drift.ts'
import { decidePush, type RecordState } from '../domain/record/record.ts'
import { HubError } from '../errors.ts'
import type { PlatformAuthenticator } from '../features/ingest/authenticate-platform.ts'
import type { Ingest } from '../features/ingest/ingest.ts'
import { pushRoutes } from '../features/ingest/push-routes.ts'
import { createReceivePush } from '../features/ingest/receive-push.ts'
import { createHttpServer } from '../http/server.ts'
import { sameSecret } from '../lib/crypto/hash.ts'
import { createRandomKey } from '../lib/crypto/random-key.ts'
import type { JsonValue } from '../lib/json/lossless-json.ts'
import { systemClock } from '../lib/time/clock.ts'
import { formatRfc3339 } from '../lib/time/rfc3339.ts'
import type { PushWrite } from '../storage/port/record-store.ts'

export type TestReceiver = { address: string; hubApiKey: string; close: () => Promise<void> }

type Options = {
  config: Config
  version: string
  platform: { platform_name: string; display_title: string }
  modules: readonly JudgedModule[]
  judge: PushJudge
  /** The time by which it is judged, in milliseconds. */
  now: () => number
  /** Told of each push as it is answered, or as its connection is cut. */
  onPush: (words: string) => void
}

/** @throws Error where its port is taken. */
export async function openTestReceiver(options: Options): Promise<TestReceiver> {
  const { config, version } = options
  const hubApiKey = createRandomKey(HUB_KEY_PREFIX)
  const { app } = await createHttpServer(
    {
      logger: pino({ level: 'silent' }),
      bodyLimit: config.HUB_MAX_BODY_BYTES,
      trustProxy: false,
      isBehindTls: false,
      publicUrl: '',
      version,
      rejectionReason: () => null,
    },
    { findOperator: async () => null, findProgram: async () => null },
    () => '',
  )
  watch(app, options)
  const receivers = findOnly(hubApiKey, options)
  const keeper = { keep: async () => undefined }
  const ingest = createScratchIngest(options.modules)
  const receivePush = createReceivePush({ ingest, keeper, receivers, clock: systemClock })
  // The judge sees each request itself.
  const counter = { countError: () => undefined, recordAddress: () => undefined }
  await app.register(
    pushRoutes({ receivers, receivePush, counter, ratePerSecond: 0, monotonicClock: performance }),
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

/** Shows each push to the judge, and makes the troubles that it asks for. */
function watch(app: FastifyInstance, { judge, now, onPush }: Options): void {
  const sightings = new WeakMap<FastifyRequest, PushSighting>()
  const troubled = new WeakSet<FastifyRequest>()
  const errors = new WeakMap<FastifyRequest, HubError>()
  const say = (request: FastifyRequest, outcome: string) => {
    const { body } = sightings.get(request) ?? {}
    const { record_type = '', reference_number = '' } = Object(body)
    onPush(`${request.method} ${record_type} ${reference_number}: ${outcome}`)
  }

  app.addHook('preHandler', async (request, reply) => {
    const method = methodOf(request)
    if (method === null) return
    const header = (name: string) => String(request.headers[name] ?? '')
    const sighting = { method, body: toJson(request.body), header }
    sightings.set(request, sighting)
    const reception = judge.receive(sighting, now())
    if (reception.trouble === null) return
    troubled.add(request)
    const seconds = reception.retryAfterSeconds
    if (reception.trouble === 'dropped') {
      say(request, 'its connection is cut on purpose')
      reply.hijack()
      request.raw.socket.destroy()
      return
    }
    say(request, `refused on purpose (${reception.trouble})`)
    if (reception.trouble === 'unavailable') {
      throw new HubError('busy', { seconds }, { retryAfterSeconds: seconds })
    }
    if (reception.trouble === 'unauthorized') throw new HubError('api_key_invalid')
    const reason = 'the check refuses this one on purpose'
    throw new HubError('invalid_record', { reason }, { errors: { record: [reason] } })
  })
  app.addHook('onError', async (request, _reply, error) => {
    if (error instanceof HubError) errors.set(request, error)
  })
  app.addHook('onSend', async (request, reply, payload) => {
    const sighting = sightings.get(request)
    if (sighting && reply.statusCode < 300 && typeof payload === 'string') {
      const { warnings = [] }: { warnings?: string[] } = JSON.parse(payload)
      for (const words of warnings) judge.warned(words, sighting.body)
    }
    return payload
  })
  app.addHook('onResponse', async (request, reply) => {
    if (troubled.has(request) || request.method === 'GET') return
    const status = reply.statusCode
    const sighting = sightings.get(request)
    say(request, String(status))
    if (status < 300 && sighting) return judge.taken(sighting)
    const code = CODES_BY_STATUS[status]
    const error =
      errors.get(request) ?? (code && new HubError(code, { reason: 'it was refused', limit: '' }))
    if (error) judge.refused(error, sighting?.body, now())
  })
}

/** Null for what is no push. */
function methodOf({ method }: FastifyRequest): 'POST' | 'PATCH' | null {
  return method === 'POST' || method === 'PATCH' ? method : null
}

/** What the hub's parser gives is JSON. */
function toJson(body: unknown): JsonValue {
  return isJson(body) ? body : null
}

function isJson(body: unknown): body is JsonValue {
  return body !== undefined
}

function findOnly(hubApiKey: string, { platform, modules }: Options): PlatformAuthenticator {
  const receiver = {
    ...platform,
    ...{ hub_key_id: 1, expires_at: null, platform_id: 1 },
    modules: modules.map(({ record_type, module_name, fields }) => ({
      ...{ record_type, module_name, drift_policy: 'accept' as const },
      manifest_keys: manifestKeysOf(fields),
    })),
  }
  const find = async (key: string) => (sameSecret(key, hubApiKey) ? receiver : null)
  return { find, refresh: find }
}

/** Decides as the hub does what each push comes to; what it makes of a record is held in memory. */
function createScratchIngest(modules: readonly JudgedModule[]): Pick<Ingest, 'push'> {
  const records = new Map<string, { record_id: number; state: RecordState }>()
  const names = new Map(modules.map((module) => [module.record_type, module.module_name]))
  let seq = 0
  return {
    async push({ record_type, reference_number, content }: PushWrite) {
      const key = JSON.stringify([record_type, reference_number])
      const known = records.get(key)
      const context = { seq: ++seq, at: formatRfc3339(systemClock.now()), lastRead: null }
      const decision = decidePush(known?.state ?? null, content, context)
      const record_id = known?.record_id ?? records.size + 1
      if ('next' in decision && decision.next) records.set(key, { record_id, state: decision.next })
      return { outcome: decision.outcome, record_id, module_name: names.get(record_type) ?? '' }
    },
  }
}
