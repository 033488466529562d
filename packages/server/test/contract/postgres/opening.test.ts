/** Opening a PostgreSQL database that is unavailable, unsuitable or already open. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import type { HubError } from '../../../src/errors.ts'
import { openPostgres } from '../../../src/storage/postgres/storage.ts'
import { withDatabase } from '../../helpers/postgres/database.ts'
import { openNodeStorage } from '../../helpers/postgres/nodes.ts'
import { TEST_POSTGRES_OPTIONS } from '../../helpers/postgres/prepare-database.ts'
import { type PostgresServer, startPostgres } from '../../helpers/postgres/server.ts'
import { hashReference, TestClock } from '../../helpers/storage/engine.ts'
import { only, pushWrite, registerTestPlatform, writeOne } from '../../helpers/storage/fixtures.ts'
import { isDeep } from '../../helpers/time/tier.ts'
import { untilTrue } from '../../helpers/time/until.ts'

const PASSWORD = 'pa:ss/w@rd#%-geheim'

describe('opening PostgreSQL', () => {
  let server: PostgresServer
  /** Keeps the process alive while the tests only wait for the server. */
  let keepAlive: NodeJS.Timeout
  before(async () => {
    keepAlive = setInterval(() => undefined, 1000)
    server = await startPostgres()
    await (await openNodeStorage(await createDatabase('migrated'))).close()
  })
  after(async () => {
    await server.remove()
    clearInterval(keepAlive)
  })

  /** Creates a database and returns its URL. */
  async function createDatabase(name: string, options = "ENCODING 'UTF8'"): Promise<string> {
    await run(`CREATE DATABASE ${name} TEMPLATE template0 LOCALE 'C' ${options}`)
    return address(server, { database: name })
  }
  /** Copies a database that has the tables of a hub. */
  async function createMigratedDatabase(name: string): Promise<string> {
    await run(`CREATE DATABASE ${name} TEMPLATE migrated STRATEGY FILE_COPY`)
    return address(server, { database: name })
  }
  async function run(...statements: string[]): Promise<void> {
    await withDatabase(server.url, async (client) => {
      for (const statement of statements) await client.query(statement)
    })
  }

  test('the PostgreSQL server of the tests does not wait for the disk', async () => {
    const settings = await withDatabase(server.url, (client) =>
      client.query(`SELECT name, setting FROM pg_settings
        WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name`),
    )
    assert.deepEqual(settings.rows, [
      { name: 'fsync', setting: 'off' },
      { name: 'full_page_writes', setting: 'off' },
      { name: 'synchronous_commit', setting: 'off' },
    ])
  })

  describe('when it is unavailable', () => {
    test('opening fails immediately with a wait of 0 seconds', async () => {
      const { error, warnings } = await failToOpen('postgres://ann:geheim@127.0.0.1:1/hub', 0)
      assert.equal(error.code, 'storage_unavailable')
      assert.match(error.message, /127\.0\.0\.1:1\b/)
      assert.match(error.message, /ECONNREFUSED/)
      assert.doesNotMatch(error.message, /geheim/)
      assert.ok(warnings.length <= 1)
    })

    test('opening logs the reason once and fails after the wait', async () => {
      const { error, warnings } = await failToOpen('postgres://ann:geheim@127.0.0.1:1/hub', 3)
      assert.equal(error.code, 'storage_unavailable')
      assert.match(error.message, /127\.0\.0\.1:1\b.* 3 s/)
      assert.match(only(warnings), /127\.0\.0\.1:1\b/)
      assert.doesNotMatch(`${error.message}${warnings}`, /geheim/)
    })

    test('the error names a host that cannot be resolved', async () => {
      const { error } = await failToOpen('postgres://ann:geheim@no-such-host.invalid/hub', 0)
      assert.equal(error.code, 'storage_unavailable')
      assert.match(error.message, /no-such-host\.invalid:5432/)
      assert.doesNotMatch(error.message, /geheim/)
    })

    if (isDeep)
      test('waiting for the database keeps the process alive', async () => {
        const module = new URL('../../../src/storage/postgres/storage.ts', import.meta.url).href
        const program = `
        import { openPostgres } from ${JSON.stringify(module)}
        const waiting = { seconds: 1 }
        const warn = () => console.log('waiting')
        const url = 'postgres://ann:geheim@127.0.0.1:1/hub'
        await openPostgres({ url, asHub: true, timeZone: 'UTC', waiting, warn }).catch((error) => console.log(error.code))`
        const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
        assert.equal(output, 'waiting\nstorage_unavailable\n')
        assert.equal(code, 0)
      })

    test('the database is opened when it starts during the wait', async () => {
      const url = await createMigratedDatabase('late')
      await server.stop()
      const warning = Promise.withResolvers<string>()
      const opening = openPostgres({
        url,
        asHub: true,
        timeZone: 'UTC',
        hashReference,
        waiting: { seconds: 120 },
        warn: warning.resolve,
      })
      assert.match(await warning.promise, /Waiting for PostgreSQL at 127\.0\.0\.1/)
      await server.start()
      const storage = await opening
      await storage.checkWritable()
      await storage.close()
    })

    if (isDeep)
      test('the database is opened when it stops being read-only during the wait', async () => {
        const url = await createMigratedDatabase('standby')
        await run('ALTER DATABASE standby SET default_transaction_read_only = on')
        const { error, warnings } = await failToOpen(url, 1)
        assert.equal(error.code, 'storage_unavailable')
        assert.match(error.message, /read-only/)
        assert.match(only(warnings), /read-only/)
        const warning = Promise.withResolvers<string>()
        const waiting = { seconds: 120 }
        const opening = openPostgres({
          url,
          asHub: true,
          timeZone: 'UTC',
          hashReference,
          waiting,
          warn: warning.resolve,
        })
        await warning.promise
        await run('ALTER DATABASE standby RESET default_transaction_read_only')
        const storage = await opening
        await storage.checkWritable()
        await storage.close()
      })
  })

  describe('when it is misconfigured', () => {
    test('a wrong password fails immediately and is not in the error', async () => {
      const url = address(server, { password: PASSWORD })
      const { error, warnings } = await failToOpen(url, 30)
      assert.equal(error.code, 'database_rejected')
      assert.match(error.message, /password of "recordhub"/)
      assert.deepEqual(warnings, [])
      assertSecret(error)
    })

    test('an unknown user fails immediately', async () => {
      const { error } = await failToOpen(
        address(server, { user: 'unknown', password: PASSWORD }),
        30,
      )
      assert.equal(error.code, 'database_rejected')
      assert.match(error.message, /"unknown"/)
      assertSecret(error)
    })

    test('the error for a missing database contains the command that creates it', async () => {
      await run(`CREATE ROLE reader LOGIN PASSWORD '${PASSWORD}'`)
      const credentials = { user: 'reader', password: PASSWORD, database: 'missing' }
      const { error } = await failToOpen(address(server, credentials), 30)
      assert.equal(error.code, 'database_rejected')
      assert.match(error.message, /no database "missing".*createdb missing/)
      assertSecret(error)
    })

    test('a database without CONNECT permission is rejected', async () => {
      await createDatabase('closed')
      await run(
        `CREATE ROLE stranger LOGIN PASSWORD '${PASSWORD}'`,
        'REVOKE CONNECT ON DATABASE closed FROM PUBLIC',
      )
      const credentials = { user: 'stranger', password: PASSWORD, database: 'closed' }
      const { error } = await failToOpen(address(server, credentials), 30)
      assert.equal(error.code, 'database_rejected')
      assert.match(error.message, /permission denied/)
      assertSecret(error)
    })

    test('the error for a database that is not encoded in UTF8 contains the options to create one', async () => {
      const { error } = await failToOpen(await createDatabase('bytes', "ENCODING 'SQL_ASCII'"), 30)
      assert.equal(error.code, 'database_rejected')
      assert.match(error.message, /SQL_ASCII.*ENCODING 'UTF8' TEMPLATE template0/)
    })

    test('a user without permission to create tables gets a permission error instead of a version error', async () => {
      await createDatabase('guarded')
      await run(`CREATE ROLE guest LOGIN PASSWORD '${PASSWORD}'`)
      const credentials = { user: 'guest', password: PASSWORD, database: 'guarded' }
      const { error } = await failToOpen(address(server, credentials), 30)
      assert.equal(error.code, 'database_rejected')
      assert.match(error.message, /permission denied for schema public/)
      assertSecret(error)
    })

    test('a database at its connection limit is unavailable', async () => {
      await run(
        `CREATE ROLE limited LOGIN PASSWORD '${PASSWORD}' CONNECTION LIMIT 0`,
        'CREATE DATABASE crowded OWNER limited',
      )
      const credentials = { user: 'limited', password: PASSWORD, database: 'crowded' }
      const { error } = await failToOpen(address(server, credentials), 0)
      assert.equal(error.code, 'storage_unavailable')
      assert.match(error.message, /too many connections/)
      assertSecret(error)
    })
  })

  describe('with a schema', () => {
    test('nodes that start concurrently on an empty database all open it and start their dispatchers', async () => {
      const url = await createDatabase('fresh')
      const nodes = await Promise.all([
        openNodeStorage(url),
        openNodeStorage(url),
        openNodeStorage(url),
      ])
      await Promise.all(nodes.map((node) => node.pullDispatcher.start(async () => undefined)))
      await Promise.all(nodes.map((node) => node.checkWritable()))
      await Promise.all(nodes.map((node) => node.pullDispatcher.stop()))
      await Promise.all(nodes.map((node) => node.close()))
    })

    test('the command line does not create the schema and opens a database that a hub has created', async () => {
      const url = await createDatabase('empty')
      const options = { ...TEST_POSTGRES_OPTIONS, url, timeZone: 'UTC', asHub: false }
      await assert.rejects(openPostgres(options), { name: 'HubError', code: 'no_database' })
      const tables = `SELECT count(*)::int AS n FROM pg_tables WHERE schemaname = 'public'`
      assert.deepEqual(
        await withDatabase(url, async (client) => (await client.query(tables)).rows),
        [{ n: 0 }],
      )
      await (await openNodeStorage(url)).close()
      await (await openPostgres(options)).close()
    })

    test('opening the database again changes nothing', async () => {
      const url = await createMigratedDatabase('again')
      const clock = new TestClock()
      const first = await openNodeStorage(url, clock)
      const school = await registerTestPlatform({ storage: first, clock })
      await writeOne({ storage: first, clock }, pushWrite(school))
      await first.close()
      const before = await contentOf(url)
      await (await openNodeStorage(url, clock)).close()
      assert.deepEqual(await contentOf(url), before)
    })

    test('a database migrated by a newer version is rejected and not changed', async () => {
      const url = await createMigratedDatabase('newer')
      await withDatabase(url, async (client) => {
        await client.query(
          `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-future', '2126-01-01')`,
        )
      })
      const content = await contentOf(url)
      const newer = { code: 'newer_schema', message: /9999-future.*Start that version/ }
      await assert.rejects(openNodeStorage(url), newer)
      const commandLine = { ...TEST_POSTGRES_OPTIONS, url, timeZone: 'UTC', asHub: false }
      await assert.rejects(openPostgres(commandLine), newer)
      assert.deepEqual(await contentOf(url), content)
      await withDatabase(url, async (client) => {
        await client.query(`DELETE FROM kysely_migration WHERE name = '9999-future'`)
      })
      await (await openNodeStorage(url)).close()
    })

    test('a failed opening leaves no connection open', async () => {
      const url = await createMigratedDatabase('failed')
      await withDatabase(url, async (client) => {
        await client.query(
          `INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-future', '2126-01-01')`,
        )
        await assert.rejects(openNodeStorage(url))
        // The server ends its side of a closed connection a moment later.
        await untilTrue('no connection is left', async () => {
          const { rowCount } = await client.query(
            `SELECT FROM pg_stat_activity
             WHERE datname = 'failed' AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
          )
          return rowCount === 0
        })
      })
    })
  })
})

type Credentials = { user?: string; password?: string; database?: string }

function address(server: PostgresServer, { user, password, database }: Credentials): string {
  const url = new URL(server.url)
  if (user !== undefined) url.username = user
  if (password !== undefined) url.password = encodeURIComponent(password)
  if (database !== undefined) url.pathname = `/${database}`
  return url.href
}

/** Opens a database, which must fail. Returns the error and the warnings logged while waiting. */
async function failToOpen(
  url: string,
  seconds: number,
): Promise<{ error: HubError; warnings: string[] }> {
  const warnings: string[] = []
  const warn = (message: string) => void warnings.push(message)
  const opening = openPostgres({
    url,
    asHub: true,
    timeZone: 'UTC',
    waiting: { seconds },
    warn,
    hashReference,
  })
  const error = await opening.then(
    () => assert.fail('The database was opened'),
    (reason: HubError) => reason,
  )
  return { error, warnings }
}

/** Asserts that the error contains the password neither plain nor URL-encoded. */
function assertSecret(error: HubError): void {
  const all = `${error.stack} ${JSON.stringify(error)} ${error.cause}`
  for (const secret of ['geheim', PASSWORD, encodeURIComponent(PASSWORD)]) {
    assert.ok(!all.includes(secret), 'The password is in the error')
  }
}

function contentOf(url: string): Promise<unknown> {
  return withDatabase(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`,
    )
    const content: Record<string, unknown> = {}
    for (const { name } of tables.rows) {
      content[name] = (await client.query(`SELECT xmin, t.* FROM ${name} t`)).rows
    }
    return content
  })
}
