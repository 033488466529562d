import { readFileSync } from 'node:fs'
import { sha256 } from '../../lib/hash.ts'
import type { PageAssets } from './pages.ts'

export type Asset = { type: string; content: Buffer }

const NAMES = ['recordhub.css', 'dashboard.js', 'sign-in.js', 'set-up.js', 'hub.js'] as const

/** The files of the pages, read once, and their addresses, which change with their content. */
export function loadAssets(): { files: ReadonlyMap<string, Asset>; addresses: PageAssets } {
  const files = new Map<string, Asset>()
  for (const name of NAMES) {
    const content = readFileSync(new URL(`./assets/${name}`, import.meta.url))
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    files.set(name, { type: `${type}; charset=utf-8`, content })
  }
  const version = sha256(Buffer.concat([...files.values()].map((file) => file.content))).slice(0, 8)
  const addressOf = (name: string) => `/assets/${name}?v=${version}`
  return {
    files,
    addresses: { css: addressOf('recordhub.css'), script: (name) => addressOf(`${name}.js`) },
  }
}
