/**
 * A platform in a separate process that serves one document of many records for each of its modules
 * (`item-1`, …): `node document-server.ts <records> [modules]`.
 */
import type { ServerResponse } from 'node:http'
import { listen } from './listen.ts'
import { createPlatforms } from './platforms.ts'
import { recordText } from './record-text.ts'

const RECORDS_A_CHUNK = 200

const count = Number(process.argv[2])
const modules = Number(process.argv[3] ?? 1)
await listen(createPlatforms(modules, (module, response) => void sendDocument(module, response)))

async function sendDocument(
  { platform_name, record_type }: { platform_name: string; record_type: string },
  response: ServerResponse,
): Promise<void> {
  const head = { success: true, platform_name, record_type, total: count }
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write(`${JSON.stringify(head).slice(0, -1)},"records":[`)
  for (let from = 0; from < count; from += RECORDS_A_CHUNK) {
    const to = Math.min(from + RECORDS_A_CHUNK, count)
    const records = Array.from({ length: to - from }, (_, index) => recordText(from + index))
    const chunk = `${from === 0 ? '' : ','}${records.join(',')}`
    if (!response.write(chunk))
      await new Promise<void>((resolve) => response.once('drain', resolve))
    if (response.destroyed) return
  }
  response.end(']}')
}
