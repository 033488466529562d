/**
 * A platform in a separate process that serves one document of many records for each of its modules
 * (`item-1`, …): `node document-server.ts <small | museum> <records> [modules] [platforms]`.
 * With a number of platforms, `records` are those of all modules together (`spread-records.ts`). After a `POST`, every museum
 * record has two other values, of which one is nested.
 */
import type { ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import { createPlatforms, type ModuleRef } from './platforms.ts'
import { isDataName, RECORD_DATA } from './records-data.ts'
import { rangeOfModule } from './spread-records.ts'

const RECORDS_PER_CHUNK = 200

const [name = '', ...numbers] = process.argv.slice(2)
const [count = 0, modules = 1, platforms = 0] = numbers.map(Number)
if (!isDataName(name)) throw new Error(`Unknown records: ${name}`)
const { fields, record } = RECORD_DATA[name]
let isChanged = false
const server = createPlatforms(
  modules,
  fields,
  (module, response) => void sendDocument(module, response),
)
server.prependListener('request', ({ method }) => {
  if (method === 'POST') isChanged = true
})
await listen(server)

function readRecord(number: number): string {
  const text = record(number)
  if (!isChanged) return text
  return text
    .replace('"building":"Main"', '"building":"Annex"')
    .replace('"copyright":null', '"copyright":"none"')
}

async function sendDocument(module: ModuleRef, response: ServerResponse): Promise<void> {
  const { first, end } =
    platforms === 0
      ? { first: 0, end: count }
      : rangeOfModule(module, { records: count, modules, platforms })
  const head = { success: true, ...module, total: end - first }
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  for (let from = first; from < end; from += RECORDS_PER_CHUNK) {
    const to = Math.min(from + RECORDS_PER_CHUNK, end)
    const records = Array.from({ length: to - from }, (_, index) => readRecord(from + index))
    const chunk = `${from === first ? '' : ','}${records.join(',')}`
    if (!response.write(chunk))
      await new Promise<void>((resolve) => response.once('drain', resolve))
    if (response.destroyed) return
  }
  response.end(']}')
}
