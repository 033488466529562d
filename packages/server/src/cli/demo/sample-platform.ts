/**
 * A platform of the demo, in a process of its own: serves the four endpoints of the specification and
 * pushes new and changed records. Talks with its parent by messages.
 */
import { createServer, type ServerResponse } from 'node:http'
import { RECEIVER_PATH } from '@recordhub/protocol'
import { type SampleModule, type SampleRecord, samplePlatform } from './sample-data.ts'

/** What the demo tells a platform. */
export type DemoMessage = { hub: string; hubApiKey: string }
/** What a platform tells the demo once it listens. */
export type PlatformReady = { port: number }

const PUSH_EVERY_MS = 1500

const [name = '', sourceKey = ''] = process.argv.slice(2)
const platform = samplePlatform(name)
const { modules, ...about } = platform
const records = new Map(
  modules.map((module) => [
    module.record_type,
    Array.from({ length: module.count }, (_, index) => module.make(index + 1)),
  ]),
)

const server = createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://platform')
  if (request.headers['x-platform-api-key'] !== sourceKey) {
    return answer(response, 401, { success: false, message: 'The source API key is wrong.' })
  }
  const [, path = '', recordType = ''] =
    /^\/api\/hub\/(ping|manifest|search|records\/(.+))$/.exec(url.pathname) ?? []
  if (path === 'ping') {
    return answer(response, 200, {
      success: true,
      message: `${platform.platform_title} is online.`,
      platform_name: platform.platform_name,
    })
  }
  if (path === 'manifest') {
    const described = modules.map(({ make: _, change: __, count: ___, ...module }) => module)
    return answer(response, 200, { success: true, ...about, modules: described })
  }
  if (path === 'search') return answer(response, 200, search(url.searchParams.get('query') ?? ''))
  const module = modules.find((one) => one.record_type === decodeURIComponent(recordType))
  if (!module) return answer(response, 404, { success: false, message: 'There is nothing here.' })
  const list = records.get(module.record_type) ?? []
  return answer(response, 200, {
    success: true,
    platform_name: platform.platform_name,
    module_name: module.module_name,
    record_type: module.record_type,
    total: list.length,
    records: list,
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    process.send?.({ port: address.port } satisfies PlatformReady)
})

process.on('message', (message: DemoMessage) => {
  setInterval(() => void pushSomething(message).catch(report), PUSH_EVERY_MS)
})
process.on('disconnect', () => process.exit())

/** A new record now and then, a changed one mostly. */
async function pushSomething(to: DemoMessage): Promise<void> {
  const module = pick(modules)
  const list = records.get(module.record_type) ?? []
  if (Math.random() < 0.3) {
    const record = module.make(list.length + 1)
    list.push(record)
    return push(to, 'POST', module, record)
  }
  const record = pick(list)
  const data = { ...module.change(record), updated_at: new Date().toISOString() }
  Object.assign(record.data, data)
  return push(to, 'PATCH', module, { ...record, data })
}

async function push(
  to: DemoMessage,
  method: 'POST' | 'PATCH',
  module: SampleModule,
  record: SampleRecord,
): Promise<void> {
  const response = await fetch(`${to.hub}${RECEIVER_PATH}`, {
    method,
    headers: {
      Accept: 'application/json',
      'Content-Type': 'application/json',
      'X-API-KEY': to.hubApiKey,
      'ngrok-skip-browser-warning': 'true',
    },
    body: JSON.stringify({
      module_name: module.module_name,
      record_type: module.record_type,
      ...record,
    }),
  })
  if (!response.ok) throw new Error(`the hub answered ${response.status}: ${await response.text()}`)
}

function report(error: unknown): void {
  process.stderr.write(`${platform.platform_title}: ${String(error)}\n`)
}

function search(query: string) {
  const wanted = query.toLowerCase()
  const found = [...records.values()]
    .flat()
    .filter((record) => JSON.stringify(record).toLowerCase().includes(wanted))
  return { success: true, platform_name: platform.platform_name, records: found.slice(0, 50) }
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)]
  if (item === undefined) throw new Error('There is nothing to pick from')
  return item
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
