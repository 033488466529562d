/** The size of the built dashboard. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { brotliCompressSync } from 'node:zlib'

const DIST = new URL('.', import.meta.resolve('@recordhub/dashboard/dist/index.html'))
const ASSETS = new URL('assets/', DIST)

/** What the hub sends to a browser over HTTPS. */
const LIMITS = [
  { name: 'the sign-in', document: 'sign-in.html', page: null, limit: 100_000 },
  { name: 'the overview', document: 'index.html', page: /^overview-page-.*\.js$/, limit: 250_000 },
]

for (const { name, document, page, limit } of LIMITS) {
  test(`${name} loads at most ${limit / 1000} KB of compressed JavaScript`, () => {
    const scripts = new Set<string>()
    const text = readFileSync(new URL(document, DIST), 'utf8')
    for (const [, file = ''] of text.matchAll(/"\/assets\/([^"]+\.js)"/g)) addScript(scripts, file)
    const loaded = page && readdirSync(ASSETS).find((file) => page.test(file))
    assert.notEqual(loaded, undefined, 'the file of the page is found')
    if (loaded) addScript(scripts, loaded)
    const sum = [...scripts].reduce((total, file) => total + compressedSize(file), 0)
    assert.ok(sum > limit / 2, 'the files are found')
    assert.ok(sum <= limit, `${sum} bytes`)
  })
}

/** Adds a file with all that it imports. */
function addScript(scripts: Set<string>, file: string): void {
  if (scripts.has(file)) return
  scripts.add(file)
  const text = readFileSync(new URL(file, ASSETS), 'utf8')
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*["'`]\.\/([^"'`]+\.js)["'`]/g)) {
    addScript(scripts, imported)
  }
}

/** The size of the compressed copy that the build creates; small files without one are sent as they are. */
function compressedSize(file: string): number {
  const compressed = new URL(`${file}.br`, ASSETS)
  if (existsSync(compressed)) return statSync(compressed).size
  return brotliCompressSync(readFileSync(new URL(file, ASSETS))).length
}
