/** A platform of the demo, in a process of its own, built on the platform kit. Its parent process sends it messages. */
import { hash } from 'node:crypto'
import { createServer } from 'node:http'
import { createPlatformHandler, createPushClient, type PushClient } from '@recordhub/platform-kit'
import { toNodeListener } from '@recordhub/platform-kit/node'
import { type SampleRecord, samplePlatform } from './sample-data.ts'

/** What the demo tells a platform. */
export type DemoMessage =
  | { kind: 'connect'; hub: string; hubApiKey: string }
  /** Pushes a new or changed record, or `typos` new ones that name their module in the plural. */
  | { kind: 'push'; typos: number }
  | ({ kind: 'faults' } & Faults)
  /** Pushes by itself from now on. */
  | { kind: 'live' }
/** The message of a platform to the demo once it listens, and after each push. */
export type PlatformMessage = { port: number } | { pushed: true }

type Faults = {
  /** The server responds with 503. */
  isDown?: boolean
  /** How many of its records the first module does not list. */
  unlisted?: number
  /** How many of its records the first module lists twice. */
  doubled?: number
}

const PUSH_INTERVAL_MS = 1500
/** In the first five of ten minutes, a platform that was down at the start of the demo is down again. */
const CYCLE_MS = 600_000
const DOWN_MS = 300_000

const faults: Required<Faults> = { isDown: false, unlisted: 0, doubled: 0 }
let downSince: number | null = null

const [name = '', sourceKey = ''] = process.argv.slice(2)
const sample = samplePlatform(name)
const modules = sample.modules.map((module) => {
  const { module_name, record_type } = module
  const records = Array.from({ length: module.count }, (_, index) => module.make(index + 1))
  return { ...module, names: { module_name, record_type }, records }
})

const handler = createPlatformHandler({
  name: sample.platform_name,
  title: sample.platform_title,
  description: sample.platform_description,
  sourceKey,
  modules: modules.map(({ module_name, record_type, description, fields, records }, index) => ({
    name: module_name,
    recordType: record_type,
    description,
    fields,
    records: () =>
      index > 0
        ? records.map(withVersion)
        : [...records.slice(faults.unlisted), ...records.slice(0, faults.doubled)],
  })),
  search: (query) => {
    const term = query.toLowerCase()
    const matches = (record: SampleRecord) => JSON.stringify(record).toLowerCase().includes(term)
    return modules.flatMap(({ records }) => records.filter(matches))
  },
})

/** With versions, the hub compares digests. The first module has none, because its faults are in its list. */
function withVersion(record: SampleRecord): SampleRecord & { version: string } {
  return { ...record, version: hash('md5', JSON.stringify(record)) }
}

const listener = toNodeListener(handler)
const server = createServer((request, response) => {
  if (!isDown()) return listener(request, response)
  response.writeHead(503, { 'Content-Type': 'text/plain' }).end('Maintenance')
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object') tell({ port: address.port })
})

let client: PushClient | null = null

process.on('message', (message: DemoMessage) => {
  if (message.kind === 'connect') {
    client = createPushClient({ hubUrl: message.hub, hubApiKey: message.hubApiKey })
  } else if (message.kind === 'faults') {
    Object.assign(faults, message)
  } else if (message.kind === 'push') {
    void push(message.typos)
      .catch(report)
      .then(() => tell({ pushed: true }))
  } else {
    if (faults.isDown) downSince = Date.now()
    setInterval(() => void push(0).catch(report), PUSH_INTERVAL_MS)
  }
})
process.on('disconnect', () => process.exit())
// The reader of the demo's output may exit first.
process.stderr.on('error', () => undefined)

function tell(message: PlatformMessage): void {
  process.send?.(message)
}

function isDown(): boolean {
  return downSince === null ? faults.isDown : (Date.now() - downSince) % CYCLE_MS < DOWN_MS
}

async function push(typos: number): Promise<void> {
  if (!client) throw new Error('The platform does not know its hub')
  if (typos === 0) return pushRecord(client)
  const { names, records, make } = pick(modules.slice(-1))
  for (let count = 0; count < typos; count++) {
    const record = make(records.length + 1)
    records.push(record)
    // The hub rejects it, which the demo shows.
    await client.created({ ...names, record_type: `${names.record_type}s`, ...record })
  }
}

/** Pushes a new record in 30 % of the calls, otherwise a changed one. */
async function pushRecord(client: PushClient): Promise<void> {
  const { names, records, make, change } = pick(modules)
  if (Math.random() < 0.3) {
    const record = make(records.length + 1)
    records.push(record)
    return assertStored(await client.created({ ...names, ...record }))
  }
  const record = pick(records)
  const data = { ...change(record), updated_at: new Date().toISOString() }
  Object.assign(record.data, data)
  const { reference_number } = record
  return assertStored(await client.updated({ ...names, reference_number }, { data }))
}

function assertStored(result: { outcome: string }): void {
  if (result.outcome !== 'stored')
    throw new Error(`A push was not stored: ${JSON.stringify(result)}`)
}

function report(error: unknown): void {
  process.stderr.write(`${sample.platform_title}: ${String(error)}\n`)
}

function pick<Item>(items: readonly Item[]): Item {
  const item = items[Math.floor(Math.random() * items.length)]
  if (item === undefined) throw new Error('The list is empty')
  return item
}
