/**
 * What the tests of a run share: one PostgreSQL, unless one is given, a browser, and a cache of compiled code.
 * The runner calls both functions; `node --test --test-global-setup` does too.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserProgram, provideChromium } from './helpers/browser/program.ts'
import { dropRun, newRun } from './helpers/postgres/database.ts'
import { type PostgresServer, startPostgres } from './helpers/postgres/server.ts'
import { bundleHub } from './helpers/process/program.ts'
import { isDeep } from './helpers/time/tier.ts'

let server: PostgresServer | null = null
let browser: BrowserProgram | null = null
let program: Awaited<ReturnType<typeof bundleHub>> | null = null
let compiled: string | null = null

export async function globalSetup(): Promise<void> {
  if (!process.env['NODE_COMPILE_CACHE']) {
    compiled = mkdtempSync(join(tmpdir(), 'recordhub-compiled-'))
    process.env['NODE_COMPILE_CACHE'] = compiled
  }
  if (!process.env['TEST_DATABASE_URL']) {
    server = await startPostgres()
    process.env['TEST_DATABASE_URL'] = server.url
  }
  process.env['TEST_DATABASE_RUN'] = newRun()
  // The deep tier starts the source files.
  if (!isDeep) {
    program = await bundleHub()
    process.env['TEST_HUB_PROGRAM'] = program.path
  }
  browser = await provideChromium(process.env['TEST_CHROMIUM'] ?? '')
  process.env['TEST_CHROMIUM'] = browser.path
  process.env['TEST_CHROMIUM_LIBRARIES'] = browser.libraries
}

/** A run that is interrupted may skip this; a server that was started here ends with the process all the same. */
export async function globalTeardown(): Promise<void> {
  browser?.remove()
  program?.remove()
  if (compiled) rmSync(compiled, { recursive: true, force: true })
  const { TEST_DATABASE_URL: url, TEST_DATABASE_RUN: run } = process.env
  if (server) await server.remove()
  else if (url && run) await dropRun(url, run)
}
