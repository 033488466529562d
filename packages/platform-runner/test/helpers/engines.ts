/** Databases of owners, on every engine that this machine has. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'
import { createConnection } from 'mysql2/promise'
import { createDatabase, withDatabase } from '../../../server/test/helpers/postgres/database.ts'
import { isDeep } from '../../../server/test/helpers/time/tier.ts'
import { type MariadbServer, noMariadb, startMariadb } from './mariadb.ts'

export type OwnersDatabase = {
  /** The value of `source.database`. */
  address: string
  /** Runs statements as the owner. */
  run: (...statements: string[]) => Promise<void>
}

export type OwnersEngine = {
  name: 'PostgreSQL' | 'MariaDB' | 'SQLite'
  /** Why the engine is missing on this machine; false if it is not. */
  missing: string | false
  /**
   * Creates an empty database, which is deleted after the test. Cleanups run in the order of creation: a sandbox that is
   * created before has ended its processes by then, so none of them creates a file in a folder that is being deleted.
   */
  open: (t: TestContext) => Promise<OwnersDatabase>
}

let mariadb: Promise<MariadbServer> | null = null

export const ENGINES: readonly OwnersEngine[] = [
  {
    name: 'PostgreSQL',
    missing: false,
    async open(t) {
      const database = await createDatabase()
      t.after(() => database.drop())
      return {
        address: database.url,
        run: (...statements) =>
          withDatabase(database.url, async (client) => {
            for (const statement of statements) await client.query(statement)
          }),
      }
    },
  },
  {
    name: 'MariaDB',
    missing: noMariadb,
    async open(t) {
      mariadb ??= startMariadb().then((server) => {
        process.once('beforeExit', () => void server.remove())
        return server
      })
      const { url } = await mariadb
      const name = `recordhub_${randomBytes(5).toString('hex')}`
      const runOn = async (uri: string, statements: string[]) => {
        const connection = await createConnection({ uri })
        for (const statement of statements) await connection.query(statement)
        await connection.end()
      }
      await runOn(url, [`CREATE DATABASE ${name} CHARACTER SET utf8mb4`])
      t.after(() => runOn(url, [`DROP DATABASE ${name}`]))
      return {
        address: `${url}/${name}`,
        run: (...statements) => runOn(`${url}/${name}`, statements),
      }
    },
  },
  {
    name: 'SQLite',
    missing: false,
    async open(t) {
      const folder = mkdtempSync(join(tmpdir(), 'recordhub-owner-'))
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      const path = join(folder, 'owner.sqlite')
      const run = async (...statements: string[]) => {
        // Another connection may hold the lock of the file.
        const database = new DatabaseSync(path, { timeout: 60_000 })
        for (const statement of statements) database.exec(statement)
        database.close()
      }
      await run('PRAGMA journal_mode = WAL')
      return { address: `sqlite:${path}`, run }
    },
  },
]

/** For tests of processes: SQLite in the quick tier. `sources.test.ts` tests the sources of all engines in both tiers. */
export const ENGINES_OF_TIER: readonly OwnersEngine[] = isDeep
  ? ENGINES
  : ENGINES.filter(({ name }) => name === 'SQLite')
