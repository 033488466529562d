import type { FastifyRequest } from 'fastify'

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * Creates a function that returns why the host of a request is not valid; null if it is. The hub builds links from it,
 * and a proxy may evaluate another one of several Host headers than the hub. A health check may send an empty host, and
 * only HTTP/1.0 has no Host header (RFC 9112, section 3.2).
 */
export function createHostValidator(): (request: FastifyRequest) => string | null {
  // Nearly all requests have the same host.
  let validHost = ''
  return ({ host, method, raw }) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1') return 'it has no Host header'
    if (host === '' && (method === 'GET' || method === 'HEAD')) return null
    if (host !== validHost && !(HOST.test(host) && URL.canParse(`http://${host}`))) {
      return 'its Host header is not valid'
    }
    validHost = host
    return hasTwoHosts(raw.rawHeaders) ? 'it has two Host headers' : null
  }
}

/** @param rawHeaders names and values alternate. */
function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts > 1
}
