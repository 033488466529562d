import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformCertificate } from '../../platform-client/request/dispatcher.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'

/** An unchanged certificate is stored again after this time, so that the health says when it was last read. */
const MIN_INTERVAL_MS = 60 * 60 * 1000

/** Stores until when the certificates of platforms are valid, as connections to the platforms present them. */
export function createCertificateRecorder({
  connections,
  clock,
  log,
}: {
  connections: Pick<ConnectionStore, 'recordCertificate'>
  clock: Clock
  log: FastifyBaseLogger
}): (certificate: PlatformCertificate) => void {
  const recorded = new Map<string, { expires_at: string; at: number }>()
  return ({ origin, expires_at }) => {
    const now = clock.now()
    const at = now.getTime()
    const last = recorded.get(origin)
    if (last?.expires_at === expires_at && at - last.at < MIN_INTERVAL_MS) return
    recorded.set(origin, { expires_at, at })
    connections.recordCertificate({ origin, expires_at, read_at: now.toISOString() }).then(
      // A platform may be registered at this address later.
      (isStored) => void (isStored || recorded.delete(origin)),
      (error: unknown) => {
        recorded.delete(origin)
        log.warn({ err: error, origin }, 'the certificate of a platform could not be stored')
      },
    )
  }
}
