/** The space of the packages that `npm ci` installs. Large programs are fetched on first use instead; see programs/. */
import assert from 'node:assert/strict'
import { globSync, lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Hidden folders contain caches, scopes contain packages. */
const PACKAGES = '{,packages/*/}node_modules/{[!.@]*,@*/*}'
const MB = 1024 * 1024
const MAX_BYTES = 350 * MB
/** Most file systems allocate whole blocks for files and folders. */
const BLOCK_BYTES = 4096

test('the packages of npm ci occupy less than 350 MB', (t) => {
  const sizes = globSync(PACKAGES, { cwd: ROOT }).map((path) => ({ path, bytes: measure(path) }))
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  t.diagnostic(`${sizes.length} packages occupy ${Math.round(total / MB)} MB.`)
  const largest = sizes.toSorted((one, other) => other.bytes - one.bytes).slice(0, 10)
  const lines = largest.map(({ path, bytes }) => `${Math.round(bytes / MB)} MB ${path}`)
  assert.ok(
    total < MAX_BYTES,
    `If npm ci does not help, see programs/. Largest:\n${lines.join('\n')}`,
  )
})

/** Excludes the targets of links, such as the packages of this repository. */
function measure(path: string): number {
  const folder = join(ROOT, path)
  if (lstatSync(folder).isSymbolicLink()) return 0
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sizes = files.map((file) => lstatSync(join(folder, file)).size)
  return sizes.reduce((sum, size) => sum + Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES, BLOCK_BYTES)
}
