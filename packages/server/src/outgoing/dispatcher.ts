import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { HubError } from '../errors.ts'
import { whyRefused } from './address-guard.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** Less than what servers keep one open, whatever they announce: a request must not meet its end. */
const KEEP_IDLE_MS = 1000

export type NetworkSettings = {
  networks: 'any' | 'public'
  proxy: { http: string; https: string; none: string }
}

/** Makes the connections to platforms, to addresses that the hub may call and through the proxy if there is one. */
export function createDispatcher({ proxy, networks }: NetworkSettings): Dispatcher {
  // One request at a time on a connection, which the next one uses again: 0 would mean never again.
  const common = {
    connections: 8,
    pipelining: 1,
    keepAliveTimeout: KEEP_IDLE_MS,
    keepAliveMaxTimeout: KEEP_IDLE_MS,
  }
  if (proxy.http || proxy.https) {
    return new EnvHttpProxyAgent({
      ...common,
      // Only for hosts that are called past the proxy; the proxy looks up the others itself.
      connect: guardedConnector(networks),
      httpProxy: proxy.http,
      httpsProxy: proxy.https,
      noProxy: proxy.none,
    })
  }
  return new Agent({ ...common, connect: guardedConnector(networks) })
}

/** @throws HubError `platform_address_refused` for an address that is not called. A name passes here. */
export function refuseAddress(hostname: string, networks: 'any' | 'public'): void {
  const reason = whyRefused(hostname, networks)
  if (reason !== null) {
    throw new HubError('platform_address_refused', { address: hostname, reason })
  }
}

/**
 * Judges the address that a connection really leads to, before anything is sent on it: a name may
 * lead elsewhere than it did when it was looked at.
 */
function guardedConnector(networks: 'any' | 'public'): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS })
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result
      const reason = socket ? whyRefused(socket.remoteAddress ?? '', networks) : null
      if (error || !socket || reason === null) return callback(...result)
      const address = socket.remoteAddress ?? options.hostname
      socket.destroy()
      callback(new HubError('platform_address_refused', { address, reason }), null)
    })
  }
}
