/** For `node --test --test-global-setup`: one PostgreSQL for all tests, unless one is given. */
import { dropRun, newRun } from './helpers/postgres-database.ts'
import { type PostgresServer, startPostgres } from './helpers/postgres-server.ts'

let server: PostgresServer | null = null

export async function globalSetup(): Promise<void> {
  if (!process.env['TEST_DATABASE_URL']) {
    server = await startPostgres()
    process.env['TEST_DATABASE_URL'] = server.url
  }
  process.env['TEST_DATABASE_RUN'] = newRun()
}

/** Whoever interrupts the run may skip this; a server that was started here goes all the same. */
export async function globalTeardown(): Promise<void> {
  const { TEST_DATABASE_URL: url, TEST_DATABASE_RUN: run } = process.env
  if (server) await server.remove()
  else if (url && run) await dropRun(url, run)
}
