import { lookup as lookUp } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Agent, buildConnector, type Dispatcher, EnvHttpProxyAgent } from 'undici'
import { HubError } from '../../errors.ts'
import { findAddressProblem } from './address-guard.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** Less than what servers keep one open, whatever they announce: a request must not meet its end. */
const KEEP_IDLE_MS = 1000

export type NetworkSettings = {
  networks: 'any' | 'public'
  schemes: 'any' | 'https'
  proxy: { http: string; https: string; none: string }
  /** Finds the addresses of a name; the system does where it is left out. */
  lookup?: LookupFunction
}

/** Makes the connections to platforms, to addresses that the hub may call and through the proxy if there is one. */
export function createDispatcher({ proxy, networks, lookup }: NetworkSettings): Dispatcher {
  const connect = guardedConnector(networks, guardLookup(networks, lookup))
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
      connect,
      httpProxy: proxy.http,
      httpsProxy: proxy.https,
      noProxy: proxy.none,
    })
  }
  return new Agent({ ...common, connect })
}

/** @throws HubError `platform_address_refused` for an address that is not called. A name passes here. */
export function assertAddressAllowed(
  { protocol, hostname, origin }: URL,
  { networks, schemes }: Pick<NetworkSettings, 'networks' | 'schemes'>,
): void {
  if (schemes === 'https' && protocol !== 'https:') {
    const reason = 'anybody on the way reads along, and HUB_SOURCE_SCHEMES allows https only'
    throw new HubError('platform_address_refused', { address: origin, reason })
  }
  const reason = findAddressProblem(hostname, networks)
  if (reason !== null) {
    throw new HubError('platform_address_refused', { address: hostname, reason })
  }
}

/**
 * Judges the address that a connection really leads to, before anything is sent on it: a name may
 * lead elsewhere than it did when it was looked at.
 */
function guardedConnector(
  networks: 'any' | 'public',
  lookup: LookupFunction,
): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup })
  return (options, callback) => {
    connect(options, (...result) => {
      const [error, socket] = result
      const reason = socket ? findAddressProblem(socket.remoteAddress ?? '', networks) : null
      if (error || !socket || reason === null) return callback(...result)
      const address = socket.remoteAddress ?? options.hostname
      socket.destroy()
      callback(new HubError('platform_address_refused', { address, reason }), null)
    })
  }
}

/** Leaves out the addresses of a name that are not called, so that nobody can have the hub knock at them. */
function guardLookup(networks: 'any' | 'public', lookup: LookupFunction = lookUp): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family = 0) => {
      if (error) return callback(error, [])
      const addresses = typeof found === 'string' ? [{ address: found, family }] : found
      const called = addresses.filter(
        ({ address }) => findAddressProblem(address, networks) === null,
      )
      const [first] = called
      if (first) {
        if (options.all) return callback(null, called)
        return callback(null, first.address, first.family)
      }
      const [refused] = addresses
      const address = refused?.address ?? hostname
      const reason = findAddressProblem(address, networks) ?? 'it has no address'
      callback(new HubError('platform_address_refused', { address, reason }), [])
    })
  }
}
