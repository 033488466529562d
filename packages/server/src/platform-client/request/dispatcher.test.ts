import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { createPlatformClient } from '../platform-client.ts'
import { DEFAULT_TIMEOUTS } from './timeouts.ts'

const PING = { success: true, platform_name: 'bench', message: 'It is online.' }

test('requests to a platform reuse connections', async () => {
  let connections = 0
  const server = createServer({ keepAliveTimeout: 0 }, (_request, response) =>
    response.end(JSON.stringify(PING)),
  )
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  const client = createPlatformClient({
    platformPath: 'hub',
    tunnelHeader: 'x-tunnel',
    networks: 'any',
    schemes: 'any',
    proxy: { http: '', https: '', none: '' },
    timeouts: { ...DEFAULT_TIMEOUTS, firstByteSeconds: 60 },
  })
  const target = { source_base_url: `http://127.0.0.1:${address.port}`, source_api_key: 'key' }
  try {
    // At once, so that no connection is idle: a slow machine would close it before the next request.
    await Promise.all(Array.from({ length: 20 }, () => client.ping(target)))
    assert.equal(connections, 8)
  } finally {
    await client.close()
    server.closeAllConnections()
    server.close()
  }
})
