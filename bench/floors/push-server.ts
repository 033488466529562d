/** The floor of a push: a `node:http` server that scans the body, and responds after a commit with its record. */
import { createServer } from 'node:http'
import { checkPushBody, PushBody } from '../../packages/server/src/domain/record/record-input.ts'
import { Batcher } from '../../packages/server/src/lib/concurrency/batcher.ts'
import { listen } from '../listen.ts'
import { openFloorStore } from './open-store.ts'
import type { FloorRecord } from './store.ts'

const RESPONSE = JSON.stringify({
  success: true,
  message: 'New record received from Bench.',
  method: 'POST',
  platform_name: 'bench',
  module_name: 'Items',
  record_id: 123456,
  outcome: 'created',
})
const HEADERS = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': RESPONSE.length,
}
const NOW = new Date()

const store = await openFloorStore()
const pushes = new Batcher<FloorRecord, true>({
  async handle(records) {
    await store.insert(records)
    return records.map(() => ({ value: true }))
  },
  maxBatch: 256,
  failsWaiting: () => false,
})

await listen(
  createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      await pushes.add(readPush(Buffer.concat(chunks)))
      response.writeHead(201, HEADERS)
      response.end(RESPONSE)
    })
  }),
)

function readPush(bytes: Buffer): FloorRecord {
  const checked = checkPushBody('POST', new PushBody(bytes, rejectBody), NOW)
  if (checked.outcome === 'invalid') return rejectBody()
  const { reference_number, full_name, data } = checked.input
  const stored = typeof data === 'string' ? Buffer.from(data) : data
  return { reference_number, full_name: full_name ?? '', data: stored, fingerprint: null }
}

function rejectBody(): never {
  throw new Error('A push of the bench is not in the stored form')
}
