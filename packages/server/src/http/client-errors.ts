import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ConnectionError } from 'fastify'
import { type ErrorBody, HubError } from '../errors.ts'

const INVALID_HTTP = { status: 400, reason: 'it is not valid HTTP' }
const REASONS: ReadonlyMap<string | undefined, typeof INVALID_HTTP> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, reason: 'it was not received in time' }],
  ['HPE_HEADER_OVERFLOW', { status: 431, reason: 'its headers are too large' }],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', { status: 413, reason: 'its chunk extensions are too large' }],
])

/**
 * Responds to bytes that are not a valid HTTP request, with the headers of every response, and closes the connection.
 * Nothing is logged: the bytes may contain a key, and a client could flood the log.
 */
export function createClientErrorHandler(headers: Readonly<Record<string, string>>) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return (error: ConnectionError, socket: Socket): void => respond(error, socket, lines.join(''))
}

function respond({ code }: ConnectionError, socket: Socket, headers: string): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const { status, reason } = REASONS.get(code) ?? INVALID_HTTP
  const { message } = new HubError('invalid_request', { reason })
  const request_id = randomUUID()
  const error: ErrorBody = { success: false, code: 'invalid_request', message, request_id }
  const body = JSON.stringify(error)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${request_id}\r\n${headers}` +
      'Content-Type: application/json; charset=utf-8\r\nConnection: close\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
