/** Two nodes on one PostgreSQL: one reverts and holds, the other pulls and pushes. */
import assert from 'node:assert/strict'
import { test, untilLockWaiters, withLock } from '../../helpers/postgres/nodes.ts'
import { only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import { contents, pullList, revert, shown } from '../../helpers/storage/reverts.ts'

test('a hold that one node makes is seen in the next batch of another, and so is its end', async ({
  nodeA,
  nodeB,
}) => {
  const school = await nodeA.register()
  await pullList(nodeA, school, { one: '{"a":1}', two: '{"a":1}' })
  const { pull_id } = await pullList(nodeA, school, { one: '{"a":2}', two: '{"a":2}' })
  const bad = { reference: 'one', data: '{"a":2}' }
  // The other node has written the module before, and finds it without holds.
  assert.deepEqual(await nodeB.outcomesOf(pushWrite(school, bad)), ['unchanged'])
  const done = await revert(nodeA, { pull_id })
  assert.deepEqual(await nodeB.outcomesOf(pushWrite(school, bad)), ['held'])
  assert.deepEqual(await contents(nodeA), { one: shown('{"a":1}'), two: shown('{"a":1}') })
  // Another value that the other node stores ends the hold for this one.
  const good = { ...bad, data: '{"a":3}' }
  assert.deepEqual(await nodeB.outcomesOf(pushWrite(school, good)), ['updated'])
  assert.deepEqual(await nodeA.outcomesOf(pushWrite(school, bad)), ['updated'])
  await revert(nodeB, { revert_id: done.id })
  const other = { reference: 'two', data: '{"a":2}' }
  assert.deepEqual(await nodeA.outcomesOf(pushWrite(school, other)), ['unchanged'])
})

test('a push that waits for the row that a revert changes is held, on another node', async ({
  url,
  nodeA,
  nodeB,
  observer,
}) => {
  const school = await nodeA.register()
  await pullList(nodeA, school, { one: '{"a":1}' })
  const { pull_id } = await pullList(nodeA, school, { one: '{"a":2}' })
  const lock = `SELECT FROM records WHERE reference_number = 'one' FOR UPDATE`
  await withLock(url, lock, async (release) => {
    const reverting = revert(nodeA, { pull_id })
    await untilLockWaiters(observer, 1)
    const pushing = nodeB.write(pushWrite(school, { reference: 'one', data: '{"a":2}' }))
    await untilLockWaiters(observer, 2)
    await release()
    assert.equal((await reverting).counts.reverted, 1)
    assert.deepEqual(outcomesOf(await pushing), ['held'])
  })
  assert.deepEqual(only(Object.values(await contents(nodeB))), shown('{"a":1}'))
})
