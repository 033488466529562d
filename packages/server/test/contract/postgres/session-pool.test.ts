/** The pool through which tests connect to PostgreSQL: no test may notice what the one before it left in a session. */
import assert from 'node:assert/strict'
import type { Client } from 'pg'
import { createDatabase, testServerUrl, withDatabase } from '../../helpers/postgres/database.ts'
import { startSessionPool } from '../../helpers/postgres/session-pool.ts'
import { registerTest } from '../../helpers/register-test.ts'

const readPid = async (client: Client) =>
  (await client.query('SELECT pg_backend_pid() AS pid')).rows[0].pid

async function withPool(body: (url: string) => Promise<void>): Promise<void> {
  const database = await createDatabase()
  const url = new URL(await startSessionPool(await testServerUrl()))
  url.pathname = database.name
  await body(url.href)
}

registerTest('a kept session of PostgreSQL has nothing of its previous connection', {}, () =>
  withPool(async (url) => {
    const first = await withDatabase(url, async (client) => {
      await client.query(`SET lock_timeout = '7s'; LISTEN news; SELECT pg_advisory_lock(1)`)
      await client.query('CREATE TEMP TABLE left_behind (n int)')
      await client.query({ name: 'prepared', text: 'SELECT 1' })
      return readPid(client)
    })
    await withDatabase(url, async (client) => {
      assert.equal(await readPid(client), first)
      const { rows } = await client.query(
        `SELECT current_setting('lock_timeout') AS timeout, to_regclass('left_behind') AS "table",
           (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
           (SELECT count(*)::int FROM pg_listening_channels()) AS channels,
           (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND pid = $1) AS locks`,
        [first],
      )
      assert.deepEqual(rows, [{ timeout: '0', table: null, statements: 0, channels: 0, locks: 0 }])
    })
  }),
)

registerTest('a session of PostgreSQL that is in a transaction is not kept', {}, () =>
  withPool(async (url) => {
    const first = await withDatabase(url, async (client) => {
      await client.query('BEGIN')
      return readPid(client)
    })
    const second = await withDatabase(url, readPid)
    assert.notEqual(second, first)
  }),
)
