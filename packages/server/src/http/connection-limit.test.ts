import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { pino } from 'pino'
import { limitConnections } from './connection-limit.ts'

test('when all connections are closed, a response that is cut off ends with a reset, and idle ones end normally', async (t) => {
  const server = createServer((_request, response) => void response.write('a part'))
  const limits = { connections: 10, stallMs: 60_000 }
  const { closeAll } = limitConnections(server, limits, pino({ enabled: false }))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const { port } = address
  const open = async (request: string) => {
    const connected = once(server, 'connection')
    const socket = connect(port, '127.0.0.1')
    await connected
    socket.write(request)
    const ended = new Promise((resolve) => {
      socket.once('end', () => resolve('ended'))
      socket.once('error', () => resolve('reset'))
    })
    return { socket: socket.resume(), ended }
  }
  const idle = await open('')
  // The end of the connection is the end of a response of HTTP/1.0.
  const reading = await open('GET / HTTP/1.0\r\n\r\n')
  await once(reading.socket, 'data')
  closeAll()
  assert.deepEqual([await idle.ended, await reading.ended], ['ended', 'reset'])
})
