/** Starting a hub on PostgreSQL. */
import assert from 'node:assert/strict'
import { createDatabase } from '../helpers/postgres/database.ts'
import { createPostgresSandbox } from '../helpers/process/engine.ts'
import { test } from '../helpers/process/sandbox.ts'
import { createStoppedPostgres, SETTINGS } from './postgres-start.ts'

test('a database configuration error stops the program immediately with one line', async (t) => {
  const database = await createDatabase()
  t.after(() => database.drop())
  const wrong = [
    {
      part: 'password',
      value: 'wrong-word',
      message: /does not accept the password of "recordhub"/,
    },
    {
      part: 'username',
      value: 'unknown-user',
      message: /does not accept the password of "unknown-user"/,
    },
    {
      part: 'pathname',
      value: '/not_created',
      message: /has no database "not_created".*createdb not_created/,
    },
  ] as const
  await Promise.all(
    wrong.flatMap(({ part, value, message }) =>
      [['start'], ['token', 'create', '--name', 'report']].map((args) =>
        t.test(`${args[0]} with a wrong ${part}`, async (t) => {
          const url = new URL(database.url)
          const { password } = url
          url[part] = value
          const { sandbox } = createPostgresSandbox(t, url.href)
          const { code, stdout, stderr } = await sandbox.run(args, { env: { PORT: '0' } })
          assert.deepEqual(
            { code, stdout, lines: stderr.length },
            { code: 1, stdout: [], lines: 1 },
          )
          assert.match(stderr[0] ?? '', message)
          assert.match(stderr[0] ?? '', /^DATABASE_URL: PostgreSQL at 127\.0\.0\.1:\d+ /)
          assert.ok(!stderr[0]?.includes(password) && !stderr[0]?.includes('wrong-word'))
        }),
      ),
    ),
  )
})

test('a hub that waits for PostgreSQL exits immediately on SIGTERM', async (t) => {
  const { sandbox } = await createStoppedPostgres(t)
  const hub = sandbox.spawn(['start'], { env: SETTINGS })
  await hub.untilPrinted(/Waiting for PostgreSQL at /)
  assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
})

test('the command line does not wait for PostgreSQL', async (t) => {
  const { server, sandbox } = await createStoppedPostgres(t)
  const { code, stdout, stderr } = await sandbox.run(['token', 'create', '--name', 'report'])
  assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 1, stdout: [], lines: 1 })
  assert.match(
    stderr[0] ?? '',
    new RegExp(`PostgreSQL at 127\\.0\\.0\\.1:${server.port} cannot be used`),
  )
})

test('a hub waits for PostgreSQL to start', async (t) => {
  const { server, sandbox } = await createStoppedPostgres(t)
  const hub = sandbox.spawn(['start'], { env: SETTINGS })
  const warning = JSON.parse(await hub.untilPrinted(/Waiting for PostgreSQL at /))
  assert.equal(warning.level, 40, 'the level is warn')
  assert.match(
    warning.msg,
    new RegExp(`^Waiting for PostgreSQL at 127\\.0\\.0\\.1:${server.port}: `),
  )
  await server.start()
  const address = (await hub.untilPrinted(/^Recordhub listens at /)).split(' ').at(-1)
  assert.equal((await fetch(`${address}/readyz`)).status, 200)
  assert.deepEqual(await hub.stop(), { code: 0, signal: null })
  assert.deepEqual(hub.stderr, [])
  assert.ok([...hub.stdout].every((line) => !line.includes(new URL(server.url).password)))
})
