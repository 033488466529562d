import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { html } from '@recordhub/protocol/html'

/** The page as it was built: one document for every address, and the files that it names. */
export type BuiltPage = {
  /** Files whose names change with their content. */
  assetsFolder: string
  /** The document for one answer; `csrfToken` is empty where nobody is signed in. */
  render: (values: { csrfToken: string; nonce: string }) => string
}

const TOKEN_PLACE = '<meta name="csrf-token" content="">'
const NONCE_PLACE = '<meta property="csp-nonce" nonce="">'

/** @throws Error where the page was not built, or is none. */
export function loadPage(): BuiltPage {
  const file = fileURLToPath(import.meta.resolve('@recordhub/dashboard/dist/index.html'))
  if (!existsSync(file)) {
    throw new Error('The dashboard has not been built. Run `npm ci` or `npm run build`.')
  }
  const [beforeToken, afterToken] = halves(readFileSync(file, 'utf8'), TOKEN_PLACE)
  const [between, afterNonce] = halves(afterToken, NONCE_PLACE)
  return {
    assetsFolder: join(dirname(file), 'assets'),
    render({ csrfToken, nonce }) {
      const token = html`<meta name="csrf-token" content="${csrfToken}">`
      const policy = html`<meta property="csp-nonce" nonce="${nonce}">`
      return beforeToken + token.text + between + policy.text + afterNonce
    },
  }
}

function halves(text: string, place: string): [string, string] {
  const at = text.indexOf(place)
  if (at < 0) throw new Error(`The dashboard that was built has no ${place}.`)
  return [text.slice(0, at), text.slice(at + place.length)]
}
