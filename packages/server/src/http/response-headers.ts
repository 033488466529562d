import compress from '@fastify/compress'
import helmet from '@fastify/helmet'
import type { FastifyInstance, FastifyReply } from 'fastify'

type HeaderSettings = {
  isBehindTls: boolean
  /** Whether browsers use TLS for the subdomains of the hub's host, too, which may not have it. */
  hstsSubdomains?: boolean
}

/**
 * Sets the headers of every response, including those of the receiver, health checks and errors without a route:
 * browsers must not guess its type, frame it or cache it. Routes for pages replace the content security policy, and
 * cacheable responses replace `Cache-Control`.
 */
export function createHeaders(settings: HeaderSettings): (reply: FastifyReply) => void {
  const headers = headersOf(settings)
  // Not `setHeader` of Node.js, which makes `writeHead` copy all headers.
  return (reply) => void reply.headers(headers)
}

export function headersOf(options: HeaderSettings): Record<string, string> {
  const { isBehindTls, hstsSubdomains = false } = options
  const hsts = hstsSubdomains ? `${ONE_YEAR}; includeSubDomains` : ONE_YEAR
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': NOTHING_POLICY,
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    ...(isBehindTls ? { 'Strict-Transport-Security': hsts } : {}),
  }
}

const RESTRICTIONS =
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const NOTHING_POLICY = `default-src 'none'; ${RESTRICTIONS}`
const ONE_YEAR = 'max-age=31536000'

/** The content security policy of the error page: only its style sheet. */
export const ERROR_PAGE_POLICY = `default-src 'none'; style-src 'self'; ${RESTRICTIONS}`

/** Sets the additional headers of the responses to browsers. */
export async function setPageHeaders(app: FastifyInstance): Promise<void> {
  // The headers of the reply override those that helmet sets on the response of Node.js.
  app.addHook('onRequest', (_request, reply, done) => {
    for (const name of HELMET_HEADERS) reply.removeHeader(name)
    done()
  })
  await app.register(helmet, {
    enableCSPNonces: true,
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
    strictTransportSecurity: false,
    xFrameOptions: { action: 'deny' },
  })
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('Permissions-Policy', PERMISSIONS_POLICY)
    // A response is private unless its route sets another value.
    if (!reply.hasHeader('Cache-Control')) reply.header('Cache-Control', 'no-store')
    return payload
  })
  await app.register(compress)
}

const HELMET_HEADERS = ['Content-Security-Policy', 'Referrer-Policy', 'X-Content-Type-Options']

const PAGE_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  objectSrc: ["'none'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
}

/** The page uses no features of the device except passkeys and the clipboard. */
const PERMISSIONS_POLICY = [
  'camera=()',
  'display-capture=()',
  'geolocation=()',
  'microphone=()',
  'payment=()',
  'usb=()',
].join(', ')
