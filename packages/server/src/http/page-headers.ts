import compress from '@fastify/compress'
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'

/** What every answer to a browser carries. The receiver goes without: no browser calls it. */
export async function guardPages(app: FastifyInstance): Promise<void> {
  await app.register(helmet, { contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY } })
  await app.register(compress)
}

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
  // The hub is often reached over plain HTTP in a local network; TLS is the proxy's.
  upgradeInsecureRequests: null,
}
