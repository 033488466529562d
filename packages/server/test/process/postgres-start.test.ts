/** Starting a hub on PostgreSQL. */
import assert from 'node:assert/strict'
import { createSandbox, test } from '../helpers/process/sandbox.ts'
import { createStoppedPostgres, SETTINGS } from './postgres-start.ts'

test('a hub on PostgreSQL does not start without HUB_SECRET', async (t) => {
  const env = { PORT: '0', DATABASE_URL: 'postgres://user:secret-word@127.0.0.1:1/none' }
  const { code, stdout, stderr } = await createSandbox(t).run(['start'], { env })
  assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 2, stdout: [], lines: 1 })
  assert.match(stderr[0] ?? '', /^HUB_SECRET: required with PostgreSQL/)
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
