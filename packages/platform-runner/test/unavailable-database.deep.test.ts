/** The database of the source is stopped and started again while the runner serves it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withDatabase } from '../../server/test/helpers/postgres/database.ts'
import { startPostgres } from '../../server/test/helpers/postgres/server.ts'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { createRunnerSandbox } from './helpers/runner.ts'

test(
  'the runner returns 503 with Retry-After while PostgreSQL is down and recovers without a restart, and another runner waits for it',
  PROCESS_TEST,
  async (t) => {
    const server = await startPostgres({ durable: true })
    t.after(() => server.remove())
    await withDatabase(server.url, (client) =>
      client.query(
        "CREATE TABLE people (id int, name text); INSERT INTO people SELECT n, repeat('x', 1000) FROM generate_series(1, 20000) AS n",
      ),
    )
    const sandbox = createRunnerSandbox(t)
    sandbox.write(
      'platform.yaml',
      `platform: { name: registry, source_key: "\${SOURCE_API_KEY}" }\nsource: { database: "\${DATABASE_URL}" }\nmodules: [{ record_type: people, table: people, reference: id, full_name: name, search: [name] }]\n`,
    )
    const platform = await sandbox.start({ DATABASE_URL: server.url })
    assert.equal((await platform.get('records/people')).status, 200)

    // A response interrupted midway must not look complete.
    const broken = await platform.get('records/people', { 'Accept-Encoding': 'identity' })
    const reader = broken.body?.getReader()
    await reader?.read()
    await server.kill()
    await assert.rejects(async () => {
      while (!(await reader?.read())?.done);
    })

    for (const path of ['records/people', 'search?query=x']) {
      const away = await platform.get(path)
      assert.deepEqual([away.status, away.headers.get('retry-after')], [503, '5'])
      assert.equal(Object(await away.json()).success, false)
    }
    assert.equal((await platform.get('ping')).status, 200)
    assert.equal((await platform.get('manifest')).status, 200)
    assert.equal((await fetch(`${platform.address}/api/hub/records/people`)).status, 401)

    // A runner that starts while the database is down waits for it.
    const { logs, listening } = sandbox.startWithoutWaiting({ DATABASE_URL: server.url })
    await logs(/PostgreSQL cannot be reached: .*; retrying in 1 s/)

    await server.start()
    assert.equal((await (await listening).get('records/people')).status, 200)
    const back: { total: number } = Object(await (await platform.get('records/people')).json())
    assert.equal(back.total, 20_000)
    assert.doesNotMatch(platform.log(), new RegExp(new URL(server.url).password))
    assert.equal(await platform.stop(), 0)
  },
)
