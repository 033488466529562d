import type { FastifyRequest } from 'fastify'

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * Makes what tells why the host that a request names cannot be one; null where it can. Addresses are made
 * of it, and who stands before the hub may go by another header than the hub does. A check of health may
 * leave it empty; only HTTP/1.0 has none (RFC 9112, section 3.2).
 */
export function createHostValidator(): (request: FastifyRequest) => string | null {
  // Nearly all requests name the same one.
  let good = ''
  return ({ host, method, raw }) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') return 'it has no Host'
    if (host === '' && (method === 'GET' || method === 'HEAD')) return null
    if (host !== good && !(HOST.test(host) && URL.canParse(`http://${host}`))) {
      return 'its Host is no host'
    }
    good = host
    return hasTwo(raw.rawHeaders) ? 'it has two Host headers' : null
  }
}

/** Names and values take turns. */
function hasTwo(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}
