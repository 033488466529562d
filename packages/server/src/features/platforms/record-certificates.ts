import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformCertificate } from '../../platform-client/request/dispatcher.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'

/** Stores until when the certificates of platforms are valid, as connections to the platforms present them. */
export function createCertificateRecorder({
  connections,
  clock,
  log,
}: {
  connections: Pick<ConnectionStore, 'recordCertificate'>
  clock: Clock
  log: FastifyBaseLogger
}): (certificate: PlatformCertificate) => Promise<void> {
  return async ({ origin, expires_at }) => {
    try {
      const read_at = clock.now().toISOString()
      await connections.recordCertificate({ origin, expires_at, read_at })
    } catch (error) {
      log.warn({ err: error, origin }, 'the certificate of a platform could not be stored')
    }
  }
}
