/** Two nodes on one PostgreSQL: one marks records as missing, the other pushes or deactivates the platform. */
import assert from 'node:assert/strict'
import { test, untilLockWaiters, withLock } from '../../helpers/postgres/nodes.ts'
import { only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'

const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

test('records can be marked and pushed concurrently, and pushed records are not marked', async (nodes) => {
  const { nodeA, nodeB } = nodes
  const school = await nodeA.register()
  const names = Array.from({ length: 60 }, (_, index) => `r-${index}-ä👍`)
  await school.pull(async (read) => {
    await nodeA.write(...names.map((reference) => pullWrite(read, { reference })))
  })
  const read = await school.startRead()
  const pushAll = (references: string[]) =>
    nodeB.write(...references.map((reference) => pushWrite(school, { reference })))
  const pushed = names.filter((_, index) => index % 3 === 0)
  const marks = Array.from({ length: 8 }, (_, index) =>
    nodeA.markMissing(read, index % 2 === 0 ? names : names.toReversed()),
  )
  const pushes = Array.from({ length: 8 }, (_, index) =>
    pushAll(index % 2 === 0 ? pushed : pushed.toReversed()),
  )
  await Promise.all([...marks, ...pushes])
  const records = await nodeB.records()
  assert.equal(new Set(records.map((record) => record.change_seq)).size, names.length)
  for (const { reference_number, missing_since } of records) {
    assert.equal(missing_since === null, pushed.includes(reference_number), reference_number)
  }
})

test('a record is not marked if a concurrent push of it commits first', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  await school.post()
  const read = await school.startRead()
  await withLock(url, LOCK_R1, async (release) => {
    const push = nodeB.write(pushWrite(school, { data: '{"a":1}' }))
    await untilLockWaiters(observer, 1)
    const mark = nodeA.markMissing(read, ['r-1'])
    await untilLockWaiters(observer, 2)
    await release()
    assert.deepEqual(outcomesOf(await push), ['updated'])
    assert.deepEqual(await mark, { outcome: 'marked', marked: 0 })
  })
  assert.equal(only(await nodeA.records()).missing_since, null)
})

test('deactivating a platform waits for transactions that mark its records, and later transactions are rejected', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  await nodeA.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  const read = await school.startRead()
  await withLock(url, LOCK_R1, async (release) => {
    const before = nodeA.markMissing(read, ['r-1'])
    await untilLockWaiters(observer, 1)
    const deactivation = nodeB.setStatus(school, 'inactive')
    await untilLockWaiters(observer, 2)
    const after = nodeA.markMissing(read, ['r-2'])
    await untilLockWaiters(observer, 3)
    await release()
    assert.deepEqual(await before, { outcome: 'marked', marked: 1 })
    await deactivation
    assert.deepEqual(await after, { outcome: 'rejected', code: 'module_not_registered' })
  })
})
