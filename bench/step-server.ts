/**
 * A part of the hub's push path, for `push-steps.ts`. Each step adds a layer to the previous one:
 * - `fastify`: Fastify with its defaults and a constant response.
 * - `http`: the hub's HTTP server, with its headers, hooks, JSON parser and schemas, and a constant response.
 * - `receiver`: the receiver on a storage that stores nothing.
 * - `statements`: the receiver on SQLite, with a rollback instead of each commit.
 * - `commit`: the receiver on SQLite. Only the background jobs of the hub are left out.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NewRecordPush, PushResponse, RECEIVER_PATH } from '@recordhub/protocol'
import fastify, { type FastifyInstance, type RouteHandlerMethod } from 'fastify'
import { pino } from 'pino'
import { createIngestFeature } from '../packages/server/src/features/ingest/create-ingest-feature.ts'
import { acceptJsonBodies } from '../packages/server/src/http/request-bodies.ts'
import { createHttpServer } from '../packages/server/src/http/server.ts'
import { sha256 } from '../packages/server/src/lib/crypto/hash.ts'
import { createSecretBox } from '../packages/server/src/lib/crypto/secret-box.ts'
import { createMetricsRegistry } from '../packages/server/src/lib/metrics/registry.ts'
import { createDayOf, systemClock } from '../packages/server/src/lib/time/clock.ts'
import { openStorage } from '../packages/server/src/storage/open.ts'
import type { WriteBatch } from '../packages/server/src/storage/port/record-store.ts'
import { listen } from './listen.ts'
import { isDataName, RECORD_DATA } from './records-data.ts'

const [step = '', data = '', key = ''] = process.argv.slice(2)
const logger = pino({ level: 'warn' })
const RESPONSE = {
  success: true as const,
  message: 'New record received from Bench.',
  method: 'POST' as const,
  platform_name: 'bench',
  module_name: 'Items',
  record_id: 123456,
  outcome: 'created' as const,
}

const SCHEMA = { body: NewRecordPush, response: { 201: PushResponse } }
const respond: RouteHandlerMethod = async (_request, reply) => {
  reply.code(201)
  return RESPONSE
}

const app = await createApp()
await app.ready()
await listen(app.server)

async function createApp(): Promise<FastifyInstance> {
  const app = step === 'fastify' ? fastify() : await createServer()
  if (step === 'fastify') app.post(RECEIVER_PATH, respond)
  else if (step === 'http') app.post(RECEIVER_PATH, { schema: SCHEMA }, respond)
  else await addReceiver(app)
  return app
}

async function createServer(): Promise<FastifyInstance> {
  const settings = {
    ...{ logger, bodyLimit: 1_048_576, trustProxy: false as const },
    ...{ isBehindTls: false, publicUrl: '', rejectionReason: () => null },
  }
  const nobody = { findOperator: async () => null, findProgram: async () => null }
  return (await createHttpServer(settings, nobody, () => '')).app
}

async function addReceiver(app: FastifyInstance): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const removeData = () => rmSync(dataDir, { recursive: true, force: true })
  process.once('SIGTERM', () => process.exit())
  process.once('exit', removeData)
  const storage = await openStorage({
    ...{ url: '', dataDir, asHub: true, timeZone: 'UTC', warn: () => undefined },
    hashReference: () => '',
  })
  const fields = isDataName(data) ? RECORD_DATA[data].fields : []
  const item = { record_type: 'item-1', module_name: 'Items', description: '', fields }
  await storage.platforms.registerPlatform(
    {
      ...{ platform_name: 'bench', display_title: 'Bench', platform_description: '' },
      ...{ source_base_url: 'http://127.0.0.1', encrypted_source_key: '' },
      hub_key: { key_hash: sha256(key), hint: '', ciphertext: '' },
      modules: [{ ...item, registered: true }],
      at: systemClock.now().toISOString(),
    },
    {
      activity: { level: 'info', kind: 'platform.registered', message: '' },
      audit: { actor: 'bench', address: null, action: 'platform.register', target: null },
    },
  )
  const { applyWrites, tryWrites } = storage.records
  const store = { receiver: storeNothing, statements: tryWrites, commit: applyWrites }[step]
  if (!store) throw new Error(`Unknown step: ${step}`)
  const ingest = createIngestFeature({
    ...{ ...storage, records: { ...storage.records, applyWrites: store } },
    ...{ clock: systemClock, monotonicClock: performance, dayOf: createDayOf('UTC') },
    secrets: createSecretBox('a secret for benchmarks only'),
    config: { HUB_RATE_LIMIT: 0, HUB_MAX_RECORD_KEYS: 5000, HUB_REQUEST_LOG_BYTES: 1e8 },
    ...{ metrics: createMetricsRegistry(), tracer: null, acceptJsonBodies, readGuideOf: null },
    ...{ flushIntervalMs: 5000, requestLogMs: 1000 },
    reportJobFailure: (job, error) => logger.error({ err: error, job }),
  })
  await app.register(ingest.receiverRoutes)
}

async function storeNothing({ writes }: WriteBatch) {
  return writes.map(() => ({ outcome: 'created' as const, record_id: 1, module_name: 'Items' }))
}
