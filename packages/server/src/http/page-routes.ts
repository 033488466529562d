import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html } from '@recordhub/protocol/html'
import type { FastifyReply } from 'fastify'
import { HubError } from '../errors.ts'
import { callerOf } from './authorize.ts'

/** The file names of Vite: a hash of the content before the extension. */
const HASHED_NAME = /-[\w-]{8}\.\w+(?:\.(?:br|gz))?$/
const DIST = dirname(fileURLToPath(import.meta.resolve('@recordhub/dashboard/dist/index.html')))
const ASSETS = join(DIST, 'assets')
/** The tags that the hub fills in. */
const TOKEN = '<meta name="csrf-token" content="">'
const NONCE = '<meta property="csp-nonce" nonce="">'
const OPERATORS = '<meta name="operators" content="">'

const CACHE_FOREVER = 'public, max-age=31536000, immutable'
const CACHE_ONE_HOUR = 'public, max-age=3600'
const SVG = 'image/svg+xml; charset=utf-8'

/** Serves the document of the single-page application at all of its URLs, and its assets. */
export function pageRoutes(deps: {
  csrfTokenOf: (sessionId: string) => string
  hasOperators: () => Promise<boolean>
}): FastifyPluginAsyncTypebox {
  const dashboard = loadDocument('index.html', [NONCE, TOKEN])
  const signIn = loadDocument('sign-in.html', [NONCE, OPERATORS])

  const send = (reply: FastifyReply, text: string) =>
    reply.type('text/html; charset=utf-8').send(text)
  const nonceOf = (reply: FastifyReply) =>
    html`<meta property="csp-nonce" nonce="${reply.cspNonce.style}">`.text

  /** The document of the pages without a session. */
  async function sendSignIn(reply: FastifyReply): Promise<FastifyReply> {
    // Without a database, the page opens and says so at the sign-in.
    const isEmpty = await deps.hasOperators().then(
      (hasOperators) => !hasOperators,
      () => false,
    )
    const operators = isEmpty ? '<meta name="operators" content="none">' : OPERATORS
    return send(reply, signIn([nonceOf(reply), operators]))
  }

  return async (app) => {
    await app.register(fastifyStatic, {
      root: ASSETS,
      prefix: '/assets/',
      schemaHide: true,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, path) {
        const isHashed = HASHED_NAME.test(relative(ASSETS, path))
        reply.header('Cache-Control', isHashed ? CACHE_FOREVER : CACHE_ONE_HOUR)
        if (path.endsWith('.svg')) reply.header('Content-Type', SVG)
      },
    })

    app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/dashboard'))

    for (const url of ['/dashboard', '/dashboard/*']) {
      app.get(url, { schema: { hide: true }, config: { page: true } }, async (request, reply) => {
        const caller = callerOf(request)
        if (caller.kind !== 'operator') throw new HubError('not_signed_in')
        const token = html`<meta name="csrf-token" content="${deps.csrfTokenOf(caller.sessionId)}">`
        return send(reply, dashboard([nonceOf(reply), token.text]))
      })
    }

    for (const url of ['/sign-in', '/invitation']) {
      app.get(url, { schema: { hide: true } }, (_request, reply) => sendSignIn(reply))
    }

    app.get('/setup', { schema: { hide: true } }, async (_request, reply) => {
      if (await deps.hasOperators()) return reply.redirect('/sign-in')
      return sendSignIn(reply)
    })
  }
}

/**
 * Loads a built document. Its function replaces each of the placeholders in it.
 * @throws Error if the page was not built or lacks a placeholder.
 */
function loadDocument(name: string, placeholders: readonly string[]) {
  const file = join(DIST, name)
  if (!existsSync(file)) {
    throw new Error('The dashboard has not been built. Run `npm ci` or `npm run build`.')
  }
  const text = readFileSync(file, 'utf8')
  for (const one of placeholders) {
    if (!text.includes(one)) throw new Error(`The built dashboard has no ${one}.`)
  }
  return (values: readonly string[]) =>
    placeholders.reduce((page, one, index) => page.replace(one, () => values[index] ?? one), text)
}
