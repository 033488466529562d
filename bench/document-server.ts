/**
 * A platform in a separate process that serves one document of many records for each of its modules
 * (`item-1`, …): `node document-server.ts <small | museum> <records> [modules]`.
 */
import type { ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import { createPlatforms, type ModuleRef } from './platforms.ts'
import { isDataName, RECORD_DATA } from './records-data.ts'

const RECORDS_PER_CHUNK = 200

const [name = '', ...numbers] = process.argv.slice(2)
const [count = 0, modules = 1] = numbers.map(Number)
if (!isDataName(name)) throw new Error(`Unknown records: ${name}`)
const { fields, record } = RECORD_DATA[name]
await listen(
  createPlatforms(modules, fields, (module, response) => void sendDocument(module, response)),
)

async function sendDocument(
  { platform_name, record_type }: ModuleRef,
  response: ServerResponse,
): Promise<void> {
  const head = { success: true, platform_name, record_type, total: count }
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  for (let from = 0; from < count; from += RECORDS_PER_CHUNK) {
    const to = Math.min(from + RECORDS_PER_CHUNK, count)
    const records = Array.from({ length: to - from }, (_, index) => record(from + index))
    const chunk = `${from === 0 ? '' : ','}${records.join(',')}`
    if (!response.write(chunk))
      await new Promise<void>((resolve) => response.once('drain', resolve))
    if (response.destroyed) return
  }
  response.end(']}')
}
