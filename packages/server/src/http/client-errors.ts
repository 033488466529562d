import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ErrorAnswer } from '@recordhub/protocol'
import type { ConnectionError } from 'fastify'
import { HubError } from '../errors.ts'

const STATUSES: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
}

/**
 * Answers what is no request and closes the connection. Nothing of it is logged: its bytes may hold a key,
 * and whoever sends it could fill the log.
 */
export function answerClientError({ code }: ConnectionError, socket: Socket): void {
  if (code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const status = STATUSES[code ?? ''] ?? 400
  const reason =
    status === 408
      ? 'it did not come in time'
      : status === 431
        ? 'its headers are too large'
        : 'it is not HTTP as it should be'
  const { message } = new HubError('invalid_request', { reason })
  const request_id = randomUUID()
  const answer: ErrorAnswer = { success: false, code: 'invalid_request', message, request_id }
  const body = JSON.stringify(answer)
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${request_id}\r\n` +
      'Content-Type: application/json; charset=utf-8\r\nConnection: close\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
