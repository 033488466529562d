/**
 * Limits the open connections of the HTTP server, to save memory, and file descriptors for the database and platforms, and
 * closes those whose client does not read the response.
 *
 * Rejecting new connections at the limit would let idle clients keep everyone else out until they time out. Therefore
 * the server closes the connection that has been without a complete request the longest: it is idle between two
 * requests, or its client sends nothing, or too slowly. A platform whose idle connection is closed opens another one.
 */
import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { keyOfCaller } from '../domain/auth/caller.ts'
import { busy } from '../errors.ts'
import { createAdmission } from '../lib/concurrency/admission.ts'
import { clientSubnet } from '../lib/net/client-subnet.ts'
import { breakOff } from '../lib/net/http.ts'

export const MAX_CONNECTIONS = 5000
/** For the database, threads, platforms and mail. */
const RESERVED_FILES = 256
const LOG_PAUSE_MS = 60_000

/** @param maxOpenFiles the number of files that the process may open; null if it is unknown. */
export function maxConnectionsFor(maxOpenFiles: number | null): number {
  if (maxOpenFiles === null) return MAX_CONNECTIONS
  const available = Math.max(maxOpenFiles - RESERVED_FILES, Math.floor(maxOpenFiles / 2))
  return Math.min(MAX_CONNECTIONS, available)
}

/** Warns if the process may open so few files that the maximum number of connections is lower than usual. */
export function warnOfFewFiles(maxOpenFiles: number | null, log: FastifyBaseLogger): void {
  const connections = maxConnectionsFor(maxOpenFiles)
  if (maxOpenFiles === null || connections === MAX_CONNECTIONS) return
  log.warn(
    { max_open_files: maxOpenFiles, max_connections: connections },
    `the process may open only ${maxOpenFiles} files (ulimit -n), so the hub keeps at most ${connections} connections open`,
  )
}

/**
 * Keeps at most `max` connections of a server open. Closes connections whose client does not read any of the response that
 * waits for it within `stallMs`. A response that takes long to begin, or to continue, does not count.
 * @returns `closeAll`, which closes all connections. No client takes a response that was cut off for complete.
 */
export function limitConnections(
  server: Server,
  { connections: max, stallMs }: { connections: number; stallMs: number },
  log: FastifyBaseLogger,
): { closeAll: () => void } {
  /** The open connections with their current response, in the order of their last request or response. */
  const open = new Map<Socket, ServerResponse | null>()
  let loggedAt = Number.NEGATIVE_INFINITY

  function update(socket: Socket, response: ServerResponse | null): void {
    // Moves the connection to the end.
    if (open.delete(socket)) open.set(socket, response)
  }

  function findUnused(): Socket | null {
    for (const [socket, response] of open) if (!response?.req.complete) return socket
    return null
  }

  function close(socket: Socket): void {
    const response = open.get(socket)
    if (response?.headersSent) breakOff(response)
    else socket.destroy()
  }

  server.on('connection', (socket) => {
    open.set(socket, null)
    socket.once('close', () => open.delete(socket))
    if (open.size <= max) return
    // The new connection itself if all others are in use.
    const unused = findUnused() ?? socket
    open.delete(unused)
    unused.destroy()
    if (performance.now() - loggedAt < LOG_PAUSE_MS) return
    loggedAt = performance.now()
    log.warn({ max_connections: max }, 'too many connections are open; unused ones are closed')
  })
  // Node.js also emits the event when the keep-alive timeout of an idle connection expires.
  server.setTimeout(stallMs, (socket) => {
    const isWaiting = Boolean(open.get(socket)) && socket.writableLength === 0
    if (isWaiting) socket.setTimeout(stallMs)
    else close(socket)
  })
  server.on('request', (request, response) => {
    update(request.socket, response)
    response.once('close', () => {
      // The client may have sent the next request before this response.
      if (open.get(request.socket) === response) update(request.socket, null)
    })
  })
  return { closeAll: () => [...open.keys()].forEach(close) }
}

/** Smaller responses are not counted: they fit into the buffers of the connection. */
const MIN_BYTES = 64 * 1024
/** One caller can occupy a quarter, which is more than the largest page. */
const LIMIT = { requests: 4000, bytes: 128 * 1024 * 1024 }
const RETRY_SECONDS = 5

/**
 * Limits the memory for responses that clients do not read, or read slowly. Responds to a GET with 503 instead of a
 * large response while others that clients have not read occupy too much memory. Other requests have changed something,
 * so they get their response. Streams are not counted, since they continue only when the client reads.
 */
export function limitResponses(app: FastifyInstance): void {
  const admission = createAdmission(LIMIT)
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = sizeOf(payload)
    const isCounted = request.method === 'GET' && bytes >= MIN_BYTES
    // A client that has disconnected receives nothing, and its response is closed only once.
    if (!isCounted || reply.raw.closed) return done(null, payload)
    const admitted = admission.admit(ownerOf(request))
    if (!admitted?.add(bytes)) {
      admitted?.release()
      // It describes the payload, which the error replaces.
      reply.removeHeader('content-encoding')
      return done(busy(RETRY_SECONDS))
    }
    reply.raw.once('close', admitted.release)
    done(null, payload)
  })
}

/** The size in bytes; in characters if the text is not ASCII; 0 for a stream. */
function sizeOf(payload: unknown): number {
  if (typeof payload === 'string') return payload.length
  return Buffer.isBuffer(payload) ? payload.length : 0
}

function ownerOf({ caller, ip }: FastifyRequest): string {
  return caller ? keyOfCaller(caller) : clientSubnet(ip)
}
