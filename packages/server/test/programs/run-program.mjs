// @ts-check
/** Commands in `node_modules/.bin` whose programs are fetched on first use. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchToCache } from './fetch-pinned.mjs'

/**
 * Runs the program with the arguments of this process, and ends like it.
 * @param {string} name the folder that pins the program.
 * @param {string} command
 */
export async function runProgram(name, command) {
  const folder = await fetchToCache(fileURLToPath(new URL(name, import.meta.url)))
  const options = /** @type {const} */ ({ stdio: 'inherit' })
  const { status, error } = spawnSync(join(folder, command), process.argv.slice(2), options)
  if (error) throw error
  process.exitCode = status ?? 1
}
