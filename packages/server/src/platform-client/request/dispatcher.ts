import { lookup as lookUp } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { TLSSocket } from 'node:tls'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici'
import { HubError } from '../../errors.ts'
import { findAddressProblem } from './address-guard.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** Shorter than the keep-alive timeouts of servers, so that no request is sent on a connection that is being closed. */
const IDLE_TIMEOUT_MS = 1000

export type NetworkSettings = {
  networks: 'any' | 'public'
  schemes: 'any' | 'https'
  proxy: { http: string; https: string; none: string }
  /** Resolves host names; the system's resolver by default. */
  lookup?: LookupFunction
  /** Receives the certificate of each new connection; left out where none is stored, such as in a command. */
  onCertificate?: (certificate: PlatformCertificate) => void
}

/** The certificate of a platform, which is valid until `expires_at`. */
export type PlatformCertificate = { origin: string; expires_at: string }

/**
 * A resumed session has the certificate of an earlier connection, which the platform may have renewed since. So none is
 * resumed.
 */
const TLS = { maxCachedSessions: 0 }

/** Creates the connections to platforms: only to allowed addresses, and through the proxy if one is set. */
export function createDispatcher(settings: NetworkSettings): Dispatcher {
  const { proxy, networks, lookup, onCertificate } = settings
  const connect = guardedConnector(networks, guardLookup(networks, lookup))
  // One request at a time on each connection. 0 would disable keep-alive.
  const common = {
    connections: 8,
    pipelining: 1,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    keepAliveMaxTimeout: IDLE_TIMEOUT_MS,
    factory: (origin: string | URL, options: object) =>
      new Pool(origin, onCertificate ? withCertificates(options, origin, onCertificate) : options),
  }
  if (proxy.http || proxy.https) {
    return new EnvHttpProxyAgent({
      ...common,
      // Only for hosts that bypass the proxy. The proxy resolves the others.
      connect,
      requestTls: TLS,
      httpProxy: proxy.http,
      httpsProxy: proxy.https,
      noProxy: proxy.none,
    })
  }
  return new Agent({ ...common, connect })
}

/** @throws HubError `platform_address_rejected` for a blocked IP address. Host names are checked when they are resolved. */
export function assertAddressAllowed(
  { protocol, hostname, origin }: URL,
  { networks, schemes }: Pick<NetworkSettings, 'networks' | 'schemes'>,
): void {
  if (schemes === 'https' && protocol !== 'https:') {
    const reason = 'the connection is not encrypted, and HUB_SOURCE_SCHEMES allows only https'
    throw new HubError('platform_address_rejected', { address: origin, reason })
  }
  const reason = findAddressProblem(hostname, networks)
  if (reason !== null) {
    throw new HubError('platform_address_rejected', { address: hostname, reason })
  }
}

/**
 * Checks the address of each established connection before anything is sent: a host name may resolve to another
 * address than before.
 */
function guardedConnector(
  networks: 'any' | 'public',
  lookup: LookupFunction,
): buildConnector.connector {
  const connect = buildConnector({ ...TLS, timeout: CONNECT_TIMEOUT_MS, lookup })
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result
      const reason = socket ? findAddressProblem(socket.remoteAddress ?? '', networks) : null
      if (error || !socket || reason === null) return callback(...result)
      const address = socket.remoteAddress ?? options.hostname
      socket.destroy()
      callback(new HubError('platform_address_rejected', { address, reason }), null)
    })
  }
}

/** Reads the certificate of each connection to an origin, directly or through a proxy. */
function withCertificates(
  options: object,
  origin: string | URL,
  onCertificate: (certificate: PlatformCertificate) => void,
): Pool.Options {
  if (!('connect' in options) || !isConnector(options.connect)) return options
  const { connect } = options
  return {
    ...options,
    connect: (target, callback) =>
      connect(target, (...result) => {
        const [, socket] = result
        if (socket instanceof TLSSocket) {
          const expiresAt = new Date(socket.getPeerCertificate().valid_to)
          if (!Number.isNaN(expiresAt.getTime())) {
            onCertificate({ origin: new URL(origin).origin, expires_at: expiresAt.toISOString() })
          }
        }
        callback(...result)
      }),
  }
}

function isConnector(connect: unknown): connect is buildConnector.connector {
  return typeof connect === 'function'
}

/** Removes blocked addresses from the result of a look-up, so that the hub does not even connect to them. */
function guardLookup(networks: 'any' | 'public', lookup: LookupFunction = lookUp): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
      if (error) return callback(error, [])
      const addresses = typeof found === 'string' ? [{ address: found, family }] : found
      const allowed = addresses.filter(
        ({ address }) => findAddressProblem(address, networks) === null,
      )
      const [first] = allowed
      if (first) {
        if (options.all) return callback(null, allowed)
        return callback(null, first.address, first.family)
      }
      const [blocked] = addresses
      const address = blocked?.address ?? hostname
      const reason = findAddressProblem(address, networks) ?? 'it has no address'
      callback(new HubError('platform_address_rejected', { address, reason }), [])
    })
  }
}
