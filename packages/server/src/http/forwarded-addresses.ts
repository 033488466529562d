/** Reads the addresses of clients that proxies send in X-Forwarded-For: the only place where they are parsed. */
import { isIP } from 'node:net'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'

const HEADER = 'x-forwarded-for'
/** `192.0.2.1:5678`, `[2001:db8::1]:5678` or `[2001:db8::1]`. */
const IN_BRACKETS_OR_WITH_PORT = /^(?:\[([^[\]]*)\]|([\d.]+))(?::\d{1,5})?$/
const QUOTED = /^"([^"]*)"$/

/**
 * Replaces the addresses in the header by their canonical form before anything reads them. The proxy next to the hub
 * has written the last one. One that is no address, and those before it, are left out, so that the address of the proxy
 * that sent it counts.
 */
export function parseForwardedAddresses(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const header = raw.headers[HEADER]
    if (header !== undefined) raw.headers[HEADER] = parseChain(String(header)).join(', ')
    done()
  })
}

function parseChain(header: string): string[] {
  const addresses: string[] = []
  for (const element of header.split(',').reverse()) {
    const address = parseAddress(element.trim())
    if (address === null) break
    addresses.push(address)
  }
  return addresses.reverse()
}

/**
 * The canonical form of an address with or without a port, brackets, quotation marks and a zone; null for anything else.
 */
export function parseAddress(text: string): string | null {
  const unquoted = QUOTED.exec(text)?.[1] ?? text
  const [, inBrackets, withPort] = IN_BRACKETS_OR_WITH_PORT.exec(unquoted) ?? []
  const [address = ''] = (inBrackets ?? withPort ?? unquoted).split('%')
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}
