/** A platform as in specification 4.2, on loopback, with records as JSON text. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'

export type SimulatedModule = {
  module_name: string
  record_type: string
  /** The keys of the fields in the manifest. */
  keys: string[]
  /** The records as JSON texts, sent unchanged. */
  records: string[]
  /** The ETag of the records responses; by default, there is none. */
  etag?: string
}

export type SimulatedPlatform = {
  name: string
  address: string
  sourceKey: string
  recordTypes: string[]
  /** The record types of all received records requests. */
  requestedTypes: readonly string[]
  /** Sends half of the next records response, and the rest when `release` is called. */
  pauseNextResponse: () => { halfSent: Promise<void>; release: () => void }
}

type Pause = { onHalfSent: () => void; released: Promise<void> }

/** A module with this number of generated records of at least 100 bytes. */
export function generateModule(record_type: string, count: number): SimulatedModule {
  const records = Array.from({ length: count }, (_, index) => {
    const data = { number: index, note: 'x'.repeat(100) }
    const reference_number = `${record_type}-${index}`
    return JSON.stringify({ reference_number, full_name: `Number ${index}`, data })
  })
  return { module_name: record_type, record_type, keys: ['number', 'note'], records }
}

export async function startPlatform(
  t: Pick<TestContext, 'after'>,
  {
    name,
    modules,
    keepAlive = true,
  }: { name: string; modules: SimulatedModule[]; keepAlive?: boolean },
): Promise<SimulatedPlatform> {
  const sourceKey = `source key of ${name}`
  const requestedTypes: string[] = []
  let pause: Pause | null = null

  const server = createServer((request, response) => {
    if (request.headers['x-platform-api-key'] !== sourceKey) {
      return sendJson(response, 401, { success: false, message: 'The key is wrong.' })
    }
    const [, endpoint, recordType = ''] = (request.url ?? '').split('/api/hub')[1]?.split('/') ?? []
    if (request.method !== 'GET') return sendJson(response, 405, { success: false })
    if (endpoint === 'ping') {
      return sendJson(response, 200, { success: true, message: 'Online', platform_name: name })
    }
    if (endpoint === 'manifest') return sendJson(response, 200, manifestOf(name, modules))
    const module = modules.find((one) => one.record_type === decodeURIComponent(recordType))
    if (endpoint !== 'records' || !module) return sendJson(response, 404, { success: false })
    requestedTypes.push(module.record_type)
    const current = pause
    pause = null
    return void sendRecords(response, name, module, current)
  })
  if (!keepAlive) server.maxRequestsPerSocket = 1
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('The platform has no port')

  return {
    name,
    sourceKey,
    requestedTypes,
    address: `http://127.0.0.1:${bound.port}`,
    recordTypes: modules.map((module) => module.record_type),
    pauseNextResponse() {
      const half = Promise.withResolvers<void>()
      const rest = Promise.withResolvers<void>()
      pause = { onHalfSent: half.resolve, released: rest.promise }
      return { halfSent: half.promise, release: rest.resolve }
    },
  }
}

function manifestOf(name: string, modules: SimulatedModule[]): unknown {
  return {
    success: true,
    platform_name: name,
    platform_title: `The ${name}`,
    platform_description: 'Simulated',
    modules: modules.map(({ module_name, record_type, keys }) => ({
      module_name,
      record_type,
      description: module_name,
      fields: keys.map((key) => ({ key, label: key, type: 'string', required: false })),
    })),
  }
}

async function sendRecords(
  response: ServerResponse,
  platform_name: string,
  { module_name, record_type, records, etag }: SimulatedModule,
  pause: Pause | null,
): Promise<void> {
  const members = { success: true, platform_name, module_name, record_type, total: records.length }
  const half = Math.ceil(records.length / 2)
  const validator = etag === undefined ? {} : { ETag: etag }
  response.writeHead(200, { 'Content-Type': 'application/json', ...validator })
  response.write(`${JSON.stringify(members).slice(0, -1)},"records":[`)
  response.write(records.slice(0, half).join(','))
  if (pause) {
    pause.onHalfSent()
    await pause.released
  }
  response.end(`${half < records.length ? ',' : ''}${records.slice(half).join(',')}]}`)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
