/** A revert that gives a record what an earlier one refused ends the holds of that. */
import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { only } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { contents, pullList, readRevert, revert, shown } from '../../helpers/storage/reverts.ts'

test('a record that is returned to a version of a reverted pull is not held with its values', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":1}', two: '{"a":1}' })
  const bad = { one: '{"a":2,"b":2}', two: '{"a":2}' }
  const { pull_id } = await pullList(kit, school, bad)
  const first = await revert(kit, { pull_id })
  const { record_id } = only(await kit.records({ reference_number: 'one' }))
  const version = (await kit.history(record_id)).at(-1)?.change_seq ?? 0
  const second = await revert(kit, { record_id, version })
  assert.deepEqual(await holdsOf(kit), [
    ['one', second.id, ['/data/a', '/data/b']],
    ['two', first.id, ['/data/a']],
  ])
  const { counts } = await readRevert(kit, first.id)
  assert.deepEqual([counts.held_now, counts.lifted], [1, 1])
  // The platform sends what the second revert does not refuse, which ends its hold, too.
  assert.deepEqual((await pullList(kit, school, bad)).outcomes, ['unchanged', 'held'])
  assert.deepEqual(await contents(kit), { one: shown(bad.one), two: shown('{"a":1}') })
  assert.deepEqual(await holdsOf(kit), [['two', first.id, ['/data/a']]])
})

test('a hold on several values stays if a revert gives the record only some of them', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":1}' })
  await pullList(kit, school, { one: '{"a":2,"b":1}' })
  await pullList(kit, school, { one: '{"a":2,"b":2}' })
  const { record_id } = only(await kit.records())
  const [last, middle] = await kit.history(record_id)
  assert.ok(last && middle)
  await pullList(kit, school, { one: '{"a":1,"b":1}' })
  const first = await revert(kit, { record_id, version: last.change_seq })
  const second = await revert(kit, { record_id, version: middle.change_seq })
  assert.deepEqual(await contents(kit), { one: shown('{"a":2,"b":1}') })
  // The first one refuses 1 of both, the second one 2 of b.
  assert.deepEqual(await holdsOf(kit), [
    ['one', first.id, ['/data/a', '/data/b']],
    ['one', second.id, ['/data/b']],
  ])
})

test('a revert that is taken back a second time leaves no holds of the reverts in between', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1}', gone: '{"a":3}' })
  const bad = { one: '{"a":2}', new: '{"a":4}' }
  const { pull_id } = await pullList(kit, school, bad, ['gone'])
  const before = await contents(kit)
  const first = await revert(kit, { pull_id })
  const second = await revert(kit, { revert_id: first.id })
  const third = await revert(kit, { revert_id: second.id })
  assert.deepEqual([third.counts.held_now, await kit.countRows('holds')], [3, 3])
  const fourth = await revert(kit, { revert_id: first.id })
  assert.deepEqual([fourth.counts.reverted, fourth.counts.kept], [3, 0])
  assert.deepEqual(await contents(kit), before)
  assert.equal(await kit.countRows('holds'), 0)
  assert.deepEqual((await pullList(kit, school, bad)).outcomes, ['unchanged', 'unchanged'])
})

/** The reference number, revert and paths of each hold. */
async function holdsOf({ storage }: StorageKit): Promise<[string, number, string[]][]> {
  const all = { platform: null, record_type: null, record_id: null, revert_id: null }
  const holds = await storage.holds.listHolds({ ...all, limit: 10, after: null })
  return holds.map(({ reference_number, revert_id, paths }) => [reference_number, revert_id, paths])
}
