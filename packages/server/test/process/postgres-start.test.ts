/** Starting a hub on PostgreSQL. */
import assert from 'node:assert/strict'
import { createSandbox, test } from '../helpers/process/sandbox.ts'

test('a hub on PostgreSQL does not start without HUB_SECRET', async (t) => {
  const env = { PORT: '0', DATABASE_URL: 'postgres://user:secret-word@127.0.0.1:1/none' }
  const { code, stdout, stderr } = await createSandbox(t).run(['start'], { env })
  assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 2, stdout: [], lines: 1 })
  assert.match(stderr[0] ?? '', /^HUB_SECRET: required with PostgreSQL/)
})
