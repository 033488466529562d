/** The baseline: a `node:http` server that parses the body and returns a constant. */
import { createServer } from 'node:http'
import { listen } from './listen.ts'

const RESPONSE = JSON.stringify({
  success: true,
  message: 'New record received from Bench.',
  method: 'POST',
  platform_name: 'bench',
  module_name: 'Items',
  record_id: 123456,
  outcome: 'created',
})

await listen(
  createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      JSON.parse(Buffer.concat(chunks).toString())
      response.writeHead(201, {
        'Content-Type': 'application/json; charset=utf-8',
        'Content-Length': RESPONSE.length,
      })
      response.end(RESPONSE)
    })
  }),
)
