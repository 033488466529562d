/**
 * Provides the resources that the tests of a run share: a PostgreSQL server, unless one is configured, a bundle of the
 * hub, a data folder that it has created, and a cache of compiled code. It downloads programs that are not installed, so that no test waits for a download.
 * The runner and `node --test --test-global-setup` call both functions.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveChromium } from './helpers/browser/program.ts'
import { createRunId, dropRun } from './helpers/postgres/database.ts'
import { type PostgresServer, startPostgres } from './helpers/postgres/server.ts'
import { createDataTemplate } from './helpers/process/data-template.ts'
import { bundleHub } from './helpers/process/program.ts'
import { isDeep } from './helpers/time/tier.ts'
import { fetchProgram } from './programs/fetch.ts'
import type { Needs } from './runner/plan.ts'

let server: PostgresServer | null = null
let program: Awaited<ReturnType<typeof bundleHub>> | null = null
let template: Awaited<ReturnType<typeof createDataTemplate>> | null = null
let compiled: string | null = null

/** The needs of `node --test --test-global-setup`, which does not pass its files. */
const ALL: Needs = { postgres: true, browser: true, bundle: !isDeep, typescript: true }

export async function globalSetup(needs: Needs = ALL): Promise<void> {
  if (!process.env['NODE_COMPILE_CACHE']) {
    compiled = mkdtempSync(join(tmpdir(), 'recordhub-compiled-'))
    process.env['NODE_COMPILE_CACHE'] = compiled
  }
  await Promise.all([
    needs.postgres && !process.env['TEST_DATABASE_URL'] && provideServer(),
    needs.bundle && provideProgram(),
    needs.browser && resolveChromium(),
    needs.typescript && fetchProgram('typescript'),
  ])
  process.env['TEST_DATABASE_RUN'] = createRunId()
}

async function provideServer(): Promise<void> {
  server = await startPostgres()
  process.env['TEST_DATABASE_URL'] = server.url
}

async function provideProgram(): Promise<void> {
  program = await bundleHub()
  process.env['TEST_HUB_PROGRAM'] = program.path
  template = await createDataTemplate()
  process.env['TEST_HUB_DATA'] = template.path
  process.env['TEST_HUB_SESSION'] = JSON.stringify(template.session)
}

/** An interrupted run may skip this. The server also ends with the process. */
export async function globalTeardown(): Promise<void> {
  program?.remove()
  template?.remove()
  if (compiled) rmSync(compiled, { recursive: true, force: true })
  const { TEST_DATABASE_URL: url, TEST_DATABASE_RUN: run } = process.env
  if (server) await server.remove()
  else if (url && run) await dropRun(url, run)
}
