/** Two nodes on one PostgreSQL: one marks records as missing, the other pushes or deactivates the platform. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { untilLockWaiters, withLock, withTwoNodes } from '../../helpers/postgres/nodes.ts'
import {
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  setStatus,
  write,
} from '../../helpers/storage/fixtures.ts'
import { markMissing } from '../../helpers/storage/missing.ts'
import { pullOnce, pullWrite, startPullAndRead } from '../../helpers/storage/pulls.ts'

const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

describe('marking records as missing on two PostgreSQL nodes', () => {
  test(
    'records can be marked and pushed concurrently, and pushed records are not marked',
    withTwoNodes(async ({ nodeA, nodeB }) => {
      const school = await registerTestPlatform(nodeA)
      const names = Array.from({ length: 60 }, (_, index) => `r-${index}-ä👍`)
      await pullOnce(nodeA, school, async (read) => {
        await write(nodeA, ...names.map((reference) => pullWrite(read, { reference })))
      })
      const read = await startPullAndRead(nodeA.storage, school)
      const pushAll = (references: string[]) =>
        write(nodeB, ...references.map((reference) => pushWrite(school, { reference })))
      const pushed = names.filter((_, index) => index % 3 === 0)
      const marks = Array.from({ length: 8 }, (_, index) =>
        markMissing(nodeA.storage, read, index % 2 === 0 ? names : names.toReversed()),
      )
      const pushes = Array.from({ length: 8 }, (_, index) =>
        pushAll(index % 2 === 0 ? pushed : pushed.toReversed()),
      )
      await Promise.all([...marks, ...pushes])
      const records = await listRecords(nodeB.storage)
      assert.equal(new Set(records.map((record) => record.change_seq)).size, names.length)
      for (const { reference_number, missing_since } of records) {
        assert.equal(missing_since === null, pushed.includes(reference_number), reference_number)
      }
    }),
  )

  test(
    'a record is not marked if a concurrent push of it commits first',
    withTwoNodes(async ({ url, nodeA, nodeB, observer }) => {
      const school = await registerTestPlatform(nodeA)
      await write(nodeA, pushWrite(school))
      const read = await startPullAndRead(nodeA.storage, school)
      await withLock(url, LOCK_R1, async (release) => {
        const push = write(nodeB, pushWrite(school, { data: '{"a":1}' }))
        await untilLockWaiters(observer, 1)
        const mark = markMissing(nodeA.storage, read, ['r-1'])
        await untilLockWaiters(observer, 2)
        await release()
        assert.deepEqual(outcomesOf(await push), ['updated'])
        assert.deepEqual(await mark, { outcome: 'marked', marked: 0 })
      })
      assert.equal(only(await listRecords(nodeA.storage)).missing_since, null)
    }),
  )

  test(
    'deactivating a platform waits for transactions that mark its records, and later transactions are rejected',
    withTwoNodes(async ({ url, nodeA, nodeB, observer }) => {
      const school = await registerTestPlatform(nodeA)
      await write(nodeA, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
      const read = await startPullAndRead(nodeA.storage, school)
      await withLock(url, LOCK_R1, async (release) => {
        const before = markMissing(nodeA.storage, read, ['r-1'])
        await untilLockWaiters(observer, 1)
        const deactivation = setStatus(nodeB, school, 'inactive')
        await untilLockWaiters(observer, 2)
        const after = markMissing(nodeA.storage, read, ['r-2'])
        await untilLockWaiters(observer, 3)
        await release()
        assert.deepEqual(await before, { outcome: 'marked', marked: 1 })
        await deactivation
        assert.deepEqual(await after, { outcome: 'rejected', code: 'module_not_registered' })
      })
    }),
  )
})
