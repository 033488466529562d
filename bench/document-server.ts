/** A platform in a process of its own that serves one document of many records: `node document-server.ts <records>`. */
import type { ServerResponse } from 'node:http'
import { startPlatform } from './hub.ts'

const RECORDS_A_CHUNK = 200

const count = Number(process.argv[2])
const platform = await startPlatform((_request, response) => void sendDocument(response))
process.stdout.write(`listens at http://127.0.0.1:${platform.port}\n`)

async function sendDocument(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write(
    `{"success":true,"platform_name":"bench","module_name":"Items","record_type":"item","total":${count},"records":[`,
  )
  for (let from = 0; from < count; from += RECORDS_A_CHUNK) {
    const to = Math.min(from + RECORDS_A_CHUNK, count)
    const records = Array.from({ length: to - from }, (_, index) => recordOf(from + index))
    const chunk = `${from === 0 ? '' : ','}${records.join(',')}`
    if (!response.write(chunk))
      await new Promise<void>((resolve) => response.once('drain', resolve))
    if (response.destroyed) return
  }
  response.end(']}')
}

/** About 350 bytes. */
function recordOf(number: number): string {
  const digits = String(number).padStart(8, '0')
  return JSON.stringify({
    reference_number: `ITEM-${digits}`,
    full_name: `Person ${digits}`,
    data: {
      email: `person.${digits}@example.org`,
      phone: `+49 30 ${digits}`,
      department: 'Operations',
      job_title: 'Senior Regional Coordinator',
      salary: 30_000 + (number % 50_000),
      rating: 3.75,
      active: number % 3 === 0,
      address: `${number % 900} Some Long Street Name, Some City, Some Country`,
      left_on: null,
      updated_at: '2026-11-21T07:30:00Z',
    },
  })
}
