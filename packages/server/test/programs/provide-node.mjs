// @ts-check
/**
 * Makes `node_modules/.bin/node`, which npm scripts use, a Node.js that runs this repository: the one of the machine that
 * runs this file if it is supported, otherwise the pinned one. `npm ci` runs this before the builds.
 */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchToCache } from './fetch-pinned.mjs'

/** The tests pass on these major versions, from these minor versions on. Older ones of 24 read streams too far ahead. */
const SUPPORTED = new Map([
  [24, 20],
  [26, 10],
])
const PINNED = fileURLToPath(new URL('./node', import.meta.url))
const COMMANDS = fileURLToPath(new URL('../../../../node_modules/.bin/', import.meta.url))

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const isSupported = minor >= (SUPPORTED.get(major) ?? Number.POSITIVE_INFINITY)
const program = isSupported
  ? process.execPath
  : join(await fetchToCache(PINNED, 'Install Node.js 24.20 or newer'), 'node')
// On Windows, where links need a permission and commands a suffix, npm scripts use the Node.js of the machine.
if (process.platform !== 'win32') {
  mkdirSync(COMMANDS, { recursive: true })
  const link = join(COMMANDS, 'node')
  rmSync(link, { force: true })
  symlinkSync(program, link)
}
