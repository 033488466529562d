import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { type ErrorBody, HubError } from '../errors.ts'

const NO_HTTP = { status: 400, reason: 'it is not HTTP as it should be' }
const FAULTS: ReadonlyMap<string | undefined, typeof NO_HTTP> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, reason: 'it did not come in time' }],
  ['HPE_HEADER_OVERFLOW', { status: 431, reason: 'its headers are too large' }],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', { status: 413, reason: 'its chunk extensions are too large' }],
])

/**
 * Answers what is no request, with the headers of every answer, and closes the connection. Nothing of it is
 * logged: its bytes may hold a key, and whoever sends it could fill the log.
 */
export function createClientErrorAnswer(headers: Readonly<Record<string, string>>) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (error: ConnectionError, socket: Socket): void => answer(error, socket, lines.join(''))
}

function answer({ code }: ConnectionError, socket: Socket, headers: string): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, reason } = FAULTS.get(code) ?? NO_HTTP
  const { message } = new HubError('invalid_request', { reason })
  const request_id = randomUUID()
  const told: ErrorBody = { success: false, code: 'invalid_request', message, request_id }
  const body = JSON.stringify(told)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${request_id}\r\n${headers}` +
      'Content-Type: application/json; charset=utf-8\r\nConnection: close\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
