/** How a backup on PostgreSQL reads its rows. */
import assert from 'node:assert/strict'
import { readRows } from '../../../src/storage/postgres/backup-rows.ts'
import { withUnlimited } from '../../../src/storage/postgres/connection.ts'
import { test } from '../../helpers/postgres/nodes.ts'

test('a backup reads each large row alone, and every row once', async ({ url, nodeA }) => {
  const school = await nodeA.register()
  const photo = 'é'.repeat(100_000)
  for (let at = 0; at < 6; at++) {
    await school.post({ reference: `large-${at}`, data: JSON.stringify({ photo }) })
    await school.post({ reference: `small-${at}`, data: '{}' })
  }
  const parts = await withUnlimited(url, async (database) =>
    database.connection().execute(async (connection) => {
      const read: string[] = []
      await connection.transaction().execute(async (transaction) => {
        for await (const part of readRows(transaction)) read.push(part.toString())
      })
      return read
    }),
  )
  const references = parts
    .flatMap((part) => part.split('\n'))
    .flatMap((line) => /^\{"record_id".*"reference_number":"([^"]+)"/.exec(line)?.[1] ?? [])
  assert.deepEqual(
    references.sort(),
    ['large', 'small'].flatMap((size) => Array.from({ length: 6 }, (_, at) => `${size}-${at}`)),
  )
  const largest = Math.max(...parts.map((part) => part.length))
  assert.ok(largest < 2 * photo.length, `a part has ${largest} characters`)
})
