/** Several hubs on one PostgreSQL: changes at one hub apply at the others. */
import assert from 'node:assert/strict'
import { createDatabase } from '../helpers/postgres/database.ts'
import { createPostgresSandbox } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'

test('hubs that start concurrently on an empty database all start', async (t) => {
  const database = await createDatabase()
  const { sandbox } = createPostgresSandbox(t, database.url)
  t.after(() => database.drop())
  const hubs = await Promise.all(Array.from({ length: rounds(2, 3) }, () => sandbox.startHub()))
  for (const { address, stdout, stderr } of hubs) {
    await signIn(address)
    const printed = stdout.filter((line) => !line.startsWith('{'))
    assert.match(printed.join('\n'), /^Recordhub listens at \S+$/, 'no setup link is printed')
    assert.deepEqual(stderr, [])
  }
})
