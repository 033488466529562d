/** A simulated platform with records as JSON texts, which it sends unchanged. */
import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import type { Registration } from '../operator.ts'
import { respond, simulatedModule, simulatePlatform } from '../platform/platform.ts'

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

export type SimulatedPlatform = Registration & {
  platform_name: string
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
  options: { name: string; modules: SimulatedModule[]; keepAlive?: boolean },
): Promise<SimulatedPlatform> {
  const { name: platform_name, modules, keepAlive = true } = options
  const requestedTypes: string[] = []
  let pause: Pause | null = null
  const platform = await simulatePlatform({
    platform_name,
    source_api_key: `source key of ${platform_name}`,
    modules: modules.map(({ module_name, record_type, keys }) =>
      simulatedModule(record_type, { module_name, keys }),
    ),
    keepAlive,
  })
  t.after(() => platform[Symbol.asyncDispose]())
  const { source_base_url, source_api_key } = platform
  for (const module of modules) {
    platform.setResponse(`records/${module.record_type}`, (response, request) => {
      if (request.headers['x-platform-api-key'] !== source_api_key) {
        return respond.status(401)(response, request)
      }
      requestedTypes.push(module.record_type)
      void sendRecords(response, platform_name, module, pause)
      pause = null
    })
  }
  return {
    platform_name,
    source_base_url,
    source_api_key,
    record_types: modules.map((module) => module.record_type),
    requestedTypes,
    pauseNextResponse() {
      const half = Promise.withResolvers<void>()
      const rest = Promise.withResolvers<void>()
      pause = { onHalfSent: half.resolve, released: rest.promise }
      return { halfSent: half.promise, release: rest.resolve }
    },
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
