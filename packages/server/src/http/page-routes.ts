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
const CACHE_FOREVER = 'public, max-age=31536000, immutable'
const CACHE_ONE_HOUR = 'public, max-age=3600'
const SVG = 'image/svg+xml; charset=utf-8'

/** Serves the document of the single-page application at all of its URLs, and its assets. */
export function pageRoutes(deps: {
  csrfTokenOf: (sessionId: string) => string
  hasOperators: () => Promise<boolean>
}): FastifyPluginAsyncTypebox {
  const page = loadPage()

  function sendPage(reply: FastifyReply, csrfToken: string): FastifyReply {
    const text = page.render({ csrfToken, nonce: reply.cspNonce.style })
    return reply.type('text/html; charset=utf-8').send(text)
  }

  return async (app) => {
    await app.register(fastifyStatic, {
      root: page.assetsFolder,
      prefix: '/assets/',
      schemaHide: true,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders(reply, path) {
        const isHashed = HASHED_NAME.test(relative(page.assetsFolder, path))
        reply.header('Cache-Control', isHashed ? CACHE_FOREVER : CACHE_ONE_HOUR)
        if (path.endsWith('.svg')) reply.header('Content-Type', SVG)
      },
    })

    app.get('/', { schema: { hide: true } }, (_request, reply) => reply.redirect('/dashboard'))

    for (const url of ['/dashboard', '/dashboard/*']) {
      app.get(url, { schema: { hide: true }, config: { page: true } }, async (request, reply) => {
        const caller = callerOf(request)
        if (caller.kind !== 'operator') throw new HubError('not_signed_in')
        return sendPage(reply, deps.csrfTokenOf(caller.sessionId))
      })
    }

    for (const url of ['/sign-in', '/invitation']) {
      app.get(url, { schema: { hide: true } }, (_request, reply) => sendPage(reply, ''))
    }

    app.get('/setup', { schema: { hide: true } }, async (_request, reply) => {
      if (await deps.hasOperators()) return reply.redirect('/sign-in')
      return sendPage(reply, '')
    })
  }
}

const TOKEN_PLACEHOLDER = '<meta name="csrf-token" content="">'
const NONCE_PLACEHOLDER = '<meta property="csp-nonce" nonce="">'

/** Loads the built page. @throws Error if the page was not built or lacks a placeholder. */
function loadPage(): {
  assetsFolder: string
  /** The document of one response; `csrfToken` is empty without a session. */
  render: (values: { csrfToken: string; nonce: string }) => string
} {
  const file = fileURLToPath(import.meta.resolve('@recordhub/dashboard/dist/index.html'))
  if (!existsSync(file)) {
    throw new Error('The dashboard has not been built. Run `npm ci` or `npm run build`.')
  }
  const [beforeToken, afterToken] = splitAt(readFileSync(file, 'utf8'), TOKEN_PLACEHOLDER)
  const [between, afterNonce] = splitAt(afterToken, NONCE_PLACEHOLDER)
  return {
    assetsFolder: join(dirname(file), 'assets'),
    render({ csrfToken, nonce }) {
      const token = html`<meta name="csrf-token" content="${csrfToken}">`
      const policy = html`<meta property="csp-nonce" nonce="${nonce}">`
      return beforeToken + token.text + between + policy.text + afterNonce
    },
  }
}

function splitAt(text: string, placeholder: string): [string, string] {
  const at = text.indexOf(placeholder)
  if (at < 0) throw new Error(`The built dashboard has no ${placeholder}.`)
  return [text.slice(0, at), text.slice(at + placeholder.length)]
}
