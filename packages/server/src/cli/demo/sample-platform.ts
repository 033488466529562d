/** A platform of the demo, in a process of its own, built on the platform kit. Its parent process sends it messages. */
import { createServer } from 'node:http'
import { createPlatformHandler, createPushClient, type PushClient } from '@recordhub/platform-kit'
import { toNodeListener } from '@recordhub/platform-kit/node'
import { type SampleRecord, samplePlatform } from './sample-data.ts'

/** The message of the demo to a platform: where to push. */
export type DemoMessage = { hub: string; hubApiKey: string }
/** The message of a platform to the demo once it listens. */
export type PlatformReady = { port: number }

const PUSH_INTERVAL_MS = 1500

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
  modules: modules.map(({ module_name, record_type, description, fields, records }) => ({
    name: module_name,
    recordType: record_type,
    description,
    fields,
    records: () => records,
  })),
  search: (query) => {
    const term = query.toLowerCase()
    const matches = (record: SampleRecord) => JSON.stringify(record).toLowerCase().includes(term)
    return modules.flatMap(({ records }) => records.filter(matches))
  },
})

const server = createServer(toNodeListener(handler))
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (address && typeof address === 'object')
    process.send?.({ port: address.port } satisfies PlatformReady)
})

process.on('message', ({ hub, hubApiKey }: DemoMessage) => {
  const client = createPushClient({ hubUrl: hub, hubApiKey })
  setInterval(() => void pushRecord(client).catch(report), PUSH_INTERVAL_MS)
})
process.on('disconnect', () => process.exit())
// The reader of the demo's output may exit first.
process.stderr.on('error', () => undefined)

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
