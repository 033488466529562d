import type { FastifyInstance } from 'fastify'

/** Makes the routes of an app accept any body or none. The body is not read. */
export function ignoreBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Also accepts an invalid Content-Type.
  app.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']
  })
}
