/** Programs for tests that `npm ci` does not install. */
import { join } from 'node:path'
import { fetchToCache } from './fetch-pinned.mjs'

export { cacheFolder, fetchPinned } from './fetch-pinned.mjs'

export type ProgramName = 'chromium' | 'postgres' | 'typescript' | 'vitepress'

const ALTERNATIVES: Partial<Record<ProgramName, string>> = {
  chromium: 'Install Chromium (Debian: apt-get install chromium)',
  postgres: 'Install PostgreSQL (Debian: apt-get install postgresql)',
}

/**
 * @returns the folder of the unpacked program in the user's cache, which all clones share.
 * @throws Error that says what to install, if npm cannot reach its registry.
 */
export function fetchProgram(name: ProgramName): Promise<string> {
  return fetchToCache(join(import.meta.dirname, name), ALTERNATIVES[name])
}
