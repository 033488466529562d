/** Starting a hub on PostgreSQL. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createDatabase } from '../helpers/postgres/database.ts'
import { startPostgres } from '../helpers/postgres/server.ts'
import { sandboxOn } from '../helpers/process/engine.ts'
import { createSandbox, PROCESS_TEST } from '../helpers/process/sandbox.ts'

test('a hub on PostgreSQL does not start without HUB_SECRET', PROCESS_TEST, async (t) => {
  const env = { PORT: '0', DATABASE_URL: 'postgres://user:secret-word@127.0.0.1:1/none' }
  const { code, stdout, stderr } = await createSandbox(t).run(['start'], { env })
  assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 2, stdout: [], lines: 1 })
  assert.match(stderr[0] ?? '', /^HUB_SECRET: required with PostgreSQL/)
})

test(
  'a configuration error of the database stops immediately with one line',
  PROCESS_TEST,
  async (t) => {
    const database = await createDatabase()
    t.after(() => database.drop())
    const wrong = [
      {
        part: 'password',
        value: 'wrong-word',
        says: /does not accept the password of "recordhub"/,
      },
      {
        part: 'username',
        value: 'nobody-here',
        says: /does not accept the password of "nobody-here"/,
      },
      {
        part: 'pathname',
        value: '/not_there',
        says: /has no database "not_there".*createdb not_there/,
      },
    ] as const
    await Promise.all(
      wrong.flatMap(({ part, value, says }) =>
        [['start'], ['token', 'create', '--name', 'report']].map((args) =>
          t.test(`${args[0]} with a wrong ${part}`, async (t) => {
            const url = new URL(database.url)
            const { password } = url
            url[part] = value
            const { sandbox } = sandboxOn(t, url.href)
            const { code, stdout, stderr } = await sandbox.run(args, { env: { PORT: '0' } })
            assert.deepEqual(
              { code, stdout, lines: stderr.length },
              { code: 1, stdout: [], lines: 1 },
            )
            assert.match(stderr[0] ?? '', says)
            assert.match(stderr[0] ?? '', /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ /)
            assert.ok(!stderr[0]?.includes(password) && !stderr[0]?.includes('wrong-word'))
          }),
        ),
      ),
    )
  },
)

test('a hub waits for PostgreSQL to start', PROCESS_TEST, async (t) => {
  const { server, sandbox } = await stoppedPostgres(t)
  const hub = sandbox.spawn(['start'], { env: HUB })
  const told = JSON.parse(await hub.line(/Waiting for PostgreSQL at /))
  assert.equal(told.level, 40, 'a warning')
  assert.match(told.msg, new RegExp(`^Waiting for PostgreSQL at 127\\.0\\.0\\.1:${server.port}: `))
  await server.start()
  const address = (await hub.line(/^Recordhub listens at /)).split(' ').at(-1)
  assert.equal((await fetch(`${address}/readyz`)).status, 200)
  assert.deepEqual(await hub.stop(), { code: 0, signal: null })
  assert.deepEqual(hub.stderr, [])
  assert.ok([...hub.stdout].every((line) => !line.includes(new URL(server.url).password)))
})

test('a hub that waits for PostgreSQL exits immediately on SIGTERM', PROCESS_TEST, async (t) => {
  const { sandbox } = await stoppedPostgres(t)
  const hub = sandbox.spawn(['start'], { env: HUB })
  await hub.line(/Waiting for PostgreSQL at /)
  assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
})

test('the command line does not wait for PostgreSQL', PROCESS_TEST, async (t) => {
  const { server, sandbox } = await stoppedPostgres(t)
  const { code, stdout, stderr } = await sandbox.run(['token', 'create', '--name', 'report'])
  assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 1, stdout: [], lines: 1 })
  assert.match(
    stderr[0] ?? '',
    new RegExp(`PostgreSQL at 127\\.0\\.0\\.1:${server.port} cannot be used`),
  )
})

const HUB = { PORT: '0', HUB_PULL_SCHEDULE: 'off', HUB_LOG_LEVEL: 'warn' }

async function stoppedPostgres(t: TestContext) {
  const server = await startPostgres()
  t.after(() => server.remove())
  await server.stop()
  return { server, ...sandboxOn(t, server.url) }
}
