/** The commit watermark of the change feed while transactions run on several PostgreSQL nodes. */
import assert from 'node:assert/strict'
import { Kysely } from 'kysely'
import type { Client } from 'pg'
import type { Storage } from '../../../src/storage/port/storage.ts'
import {
  allocateSequence,
  readCommitWatermark,
} from '../../../src/storage/postgres/commit-watermark.ts'
import type { Tables } from '../../../src/storage/shared/schema/tables.ts'
import { test, untilLockWaiters, withLock } from '../../helpers/postgres/nodes.ts'
import { ChangeFeedConsumer, readChanges } from '../../helpers/storage/changes.ts'
import { outcomesOf, pushWrite, write } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'

/** Blocks every change except a creation after it has allocated its sequence number. */
const LOCK_HISTORY = 'LOCK TABLE record_history IN SHARE MODE'
const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

test('the feed stops before an uncommitted change with a lower sequence number', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  await nodeA.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  const follower = new ChangeFeedConsumer()
  await follower.catchUp(nodeB.storage)
  const before = await lastNumber(observer)
  await withLock(url, LOCK_HISTORY, async (release) => {
    const late = nodeA.write(pushWrite(school, { data: '{"a":1}' }))
    await untilLockWaiters(observer, 1)
    assert.equal(await lastNumber(observer), before + 1, 'the number is allocated')
    // A creation writes no history, so it is not blocked and commits with the next number.
    const early = await nodeB.write(pushWrite(school, { reference: 'r-3' }))
    assert.deepEqual(outcomesOf(early), ['created'])
    const rows = await nodeB.records({ sort: 'updated_at' })
    assert.equal(rows.at(-1)?.change_seq, before + 2, 'a list shows it')
    const page = await readChanges(nodeB.storage, { after: before })
    assert.deepEqual([page.changes, page.through], [[], before])
    await follower.catchUp(nodeB.storage)
    assert.equal(follower.changes.length, 2)
    await release()
    assert.deepEqual(outcomesOf(await late), ['updated'])
  })
  await follower.catchUp(nodeB.storage)
  const numbers = follower.changes.map((line) => line.change_seq)
  assert.deepEqual(numbers.slice(2), [before + 1, before + 2])
})

test('the watermark waits for in-flight transactions that mark or pull records or only allocate numbers', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  await school.pull(async (read) => {
    await nodeA.write(pullWrite(read, { reference: 'r-1' }))
  })
  const read = await school.startRead()
  const actions = [
    () => nodeA.markMissing(read, ['r-1']),
    () => nodeA.write(pullWrite(read, { data: '{"a":1}' })),
  ]
  for (const [index, action] of actions.entries()) {
    const before = await lastNumber(observer)
    await withLock(url, LOCK_HISTORY, async (release) => {
      const late = action()
      await untilLockWaiters(observer, 1)
      await nodeB.write(pushWrite(school, { reference: `new-${index}` }))
      assert.equal((await readChanges(nodeB.storage)).through, before)
      await release()
      await late
    })
    assert.equal((await readChanges(nodeB.storage)).through, before + 2)
  }
  const before = await lastNumber(observer)
  await kyselyOf(nodeA.storage)
    .transaction()
    .execute(async (transaction) => {
      const numbers = await allocateSequence(transaction, 3)
      assert.deepEqual(numbers, [before + 1, before + 2, before + 3])
      await nodeB.write(pushWrite(school, { reference: 'new-3' }))
      assert.equal((await readChanges(nodeB.storage)).through, before)
    })
  assert.equal((await readChanges(nodeB.storage)).through, before + 4)
})

test('a rolled back or read-only transaction does not block the watermark', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  await school.post()
  const rolledBack = kyselyOf(nodeA.storage)
    .transaction()
    .execute(async (transaction) => {
      await allocateSequence(transaction, 5)
      throw new Error('Roll back')
    })
  await assert.rejects(rolledBack, /Roll back/)
  await withLock(url, LOCK_R1, async () => {
    await nodeB.write(pushWrite(school, { reference: 'r-2' }))
    const { through } = await readChanges(nodeB.storage)
    assert.equal(through, await lastNumber(observer))
  })
})

test('the watermark is correct for sequence numbers at and above 32-bit boundaries', async (nodes) => {
  const { nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  const database = kyselyOf(nodeA.storage)
  for (const start of [2 ** 31 - 2, 2 ** 31 + 5, 2 ** 32 - 2, 2 ** 32 + 5, 2 ** 40 - 1]) {
    await observer.query(`SELECT setval('write_sequence', ${start})`)
    await database.transaction().execute(async (transaction) => {
      await allocateSequence(transaction, 1)
      await nodeB.write(...['a', 'b', 'c'].map((n) => pushWrite(school, { reference: n })))
      assert.equal(await readCommitWatermark(kyselyOf(nodeB.storage)), start)
    })
    assert.equal(await readCommitWatermark(kyselyOf(nodeB.storage)), start + 4)
  }
})

test('the watermark waits for the first number', async ({ nodeA, nodeB }) => {
  assert.equal(await readCommitWatermark(kyselyOf(nodeB.storage)), 0)
  await kyselyOf(nodeA.storage)
    .transaction()
    .execute(async (transaction) => {
      assert.deepEqual(await allocateSequence(transaction, 1), [1])
      assert.equal(await readCommitWatermark(kyselyOf(nodeB.storage)), 0)
    })
  assert.equal(await readCommitWatermark(kyselyOf(nodeB.storage)), 1)
})

test('a follower on one node misses no change and receives none twice while both nodes write', async (nodes) => {
  const { nodeA, nodeB } = nodes
  const school = await nodeA.register()
  const follower = new ChangeFeedConsumer()
  let isWriting = true
  const following = (async () => {
    while (isWriting) await follower.readPage(nodeB.storage, 5)
  })()
  let value = 0
  const batches = Array.from({ length: 80 }, (_, index) =>
    write(
      index % 2 === 0 ? nodeA : nodeB,
      ...Array.from({ length: 6 }, (_, n) =>
        pushWrite(school, { reference: `r-${(index + n) % 30}`, data: `{"a":${value++}}` }),
      ),
    ),
  )
  await Promise.all(batches)
  isWriting = false
  await following
  await follower.catchUp(nodeB.storage)
  const rows = await nodeA.records()
  assert.equal(follower.copy.size, rows.length)
  for (const { record_id, change_seq, data } of rows) {
    assert.equal(follower.copy.get(record_id), `${change_seq} ${data}`)
  }
  const numbers = follower.changes.map((line) => line.change_seq)
  assert.deepEqual(
    numbers,
    [...new Set(numbers)].sort((one, other) => one - other),
  )
})

async function lastNumber(observer: Client): Promise<number> {
  const { rows } = await observer.query<{ n: string }>('SELECT last_value AS n FROM write_sequence')
  return Number(rows[0]?.n)
}

/** The database of the storage, typed with its tables. */
function kyselyOf(storage: Storage): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: storage.operators.authDatabase.dialect })
}
