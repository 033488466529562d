import type { FastifyInstance } from 'fastify'

/** Has the routes of an app take any body, or none, which is not read. */
export function ignoreBody(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  // Not even a Content-Type that is none is looked at.
  app.addHook('onRequest', async (request) => {
    delete request.raw.headers['content-type']
  })
}
