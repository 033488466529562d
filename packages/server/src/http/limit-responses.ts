/** Limits the memory for responses that clients do not read, or read slowly. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { keyOfCaller } from '../domain/auth/caller.ts'
import { busy } from '../errors.ts'
import { createAdmission } from '../lib/concurrency/admission.ts'
import { clientSubnet } from '../lib/net/client-subnet.ts'

/** Smaller responses are not counted: they fit into the buffers of the connection. */
const MIN_BYTES = 64 * 1024
/** One caller can occupy a quarter, which is more than the largest page. */
const LIMIT = { requests: 4000, bytes: 128 * 1024 * 1024 }
const RETRY_SECONDS = 5

/**
 * Responds to a GET with 503 instead of a large response while others that clients have not read occupy too much memory.
 * Other requests have changed something, so they get their response. Streams are not counted, since they continue only
 * when the client reads.
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
