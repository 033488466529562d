/** What a hold refuses, whatever a write leaves out or adds. */
import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, StorageKit } from '../../helpers/storage/kit.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { rejection, replayWrite } from '../../helpers/storage/replays.ts'
import { deleteOld } from '../../helpers/storage/retention.ts'
import { contents, pullList, revert, shown } from '../../helpers/storage/reverts.ts'

/** Pulls one record with a manifest that names some keys. @returns the outcome. */
async function pullOne(
  kit: StorageKit,
  platform: KitPlatform,
  data: string,
  manifest_keys: string[],
): Promise<string | undefined> {
  const { outcomes } = await pullList(kit, platform, { one: data }, [], { manifest_keys })
  return outcomes[0]
}

/** Reverts what a platform pushes. */
async function revertPushes(kit: StorageKit, platform: KitPlatform, push: () => Promise<unknown>) {
  kit.clock.advance(60)
  const from = kit.clock.text
  await push()
  kit.clock.advance(60)
  return revert(kit, { platform: platform.platform_name, from, to: kit.clock.text })
}

test('a value stays out after its platform has dropped another held field', async (kit) => {
  const school = await kit.register()
  await pullOne(kit, school, '{"a":1,"b":1}', ['a', 'b'])
  const { pull_id } = await pullList(kit, school, { one: '{"a":9,"b":9}' })
  await revert(kit, { pull_id })
  assert.equal(await pullOne(kit, school, '{"a":9}', ['a']), 'held')
  assert.deepEqual(await contents(kit), { one: shown('{"a":1,"b":1}') })
  // A field that the manifest names, and that the element lacks, has another value: none.
  assert.equal(await pullOne(kit, school, '{"a":9}', ['a', 'b']), 'updated')
  assert.deepEqual(await contents(kit), { one: shown('{"a":9}') })
})

test('that a pull has completed a record is taken back with its values only, and then held with them', async (kit) => {
  const school = await kit.register()
  const patch = { full_name: 'Ann', data: '{"a":1}' }
  const { record_id } = await school.patch({ reference: 'one', ...patch })
  const list = (a: number) => pullList(kit, school, { one: `{"a":${a}}` })
  const isIncomplete = async () => (await kit.record(record_id)).incomplete
  const completed = await list(1)
  const only = await revert(kit, completed)
  assert.deepEqual([only.counts.reverted, only.counts.held_now], [1, 0])
  assert.equal(await isIncomplete(), false)
  assert.deepEqual((await list(1)).outcomes, ['unchanged'])

  const other = await school.patch({ reference: 'two', ...patch })
  const changed = await pullList(kit, school, { one: '{"a":1}', two: '{"a":9}' })
  await revert(kit, changed)
  const again = await pullList(kit, school, { one: '{"a":1}', two: '{"a":9}' })
  assert.deepEqual(again.outcomes, ['unchanged', 'held'])
  assert.equal((await kit.record(other.record_id)).incomplete, true)
})

test('a pull neither compares nor lifts what only pushes set', async (kit) => {
  const school = await kit.register()
  await pullOne(kit, school, '{"a":1}', ['a'])
  await revertPushes(kit, school, () => school.post({ reference: 'one', data: '{"a":9,"x":9}' }))
  assert.equal(await pullOne(kit, school, '{"a":9}', ['a']), 'held')
  assert.deepEqual(await contents(kit), { one: shown('{"a":1}') })
  await pullOne(kit, school, '{"a":2}', ['a'])
  assert.equal(await kit.countRows('holds'), 0)
  await revertPushes(kit, school, () => school.patch({ reference: 'one', data: '{"x":8}' }))
  assert.equal(await pullOne(kit, school, '{"a":3}', ['a']), 'updated')
  // Nothing was kept out, so the next pull finds the record unchanged.
  assert.deepEqual(await kit.runSql('SELECT 1 FROM records WHERE fingerprint IS NULL'), [])
  assert.equal((await school.patch({ reference: 'one', data: '{"x":8}' })).outcome, 'held')
  assert.deepEqual(await contents(kit), { one: shown('{"a":3}') })
})

test('a record that was taken back stays missing while all of its refused values arrive', async (kit) => {
  const school = await kit.register()
  const { pull_id } = await pullList(kit, school, { one: '{"a":1,"b":1}' })
  await revert(kit, { pull_id })
  await school.patch({ reference: 'one', data: '{"x":1}' })
  const left = { one: shown('{"a":1,"b":1,"x":1}', true) }
  assert.equal(await pullOne(kit, school, '{"b":1,"a":1}', ['a', 'b']), 'held')
  assert.deepEqual(await contents(kit), left)
  for (const added of [null, 5]) {
    const data = `{"a":1,"b":1,"c":${added}}`
    assert.equal(await pullOne(kit, school, data, ['a', 'b', 'c']), 'held')
    assert.deepEqual(await contents(kit), left)
  }
  assert.equal(
    (await school.post({ reference: 'one', data: '{"a":1,"b":1,"y":1}' })).outcome,
    'held',
  )
  // What a pull does not set is not compared, though a PATCH has changed it.
  await school.patch({ reference: 'one', data: '{"b":2}' })
  assert.equal(await pullOne(kit, school, '{"a":1}', ['a']), 'held')
  assert.deepEqual(await contents(kit), { one: shown('{"a":1,"b":2,"x":1}', true) })
  assert.equal(await pullOne(kit, school, '{"a":1}', ['a', 'b']), 'updated')
  assert.deepEqual(await contents(kit), { one: shown('{"a":1,"x":1}') })
  assert.equal(await kit.countRows('holds'), 0)
})

test('a replay of a push that was not held follows the rules of pushes', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":1}', two: '{"a":1}' })
  await kit.saveRejected(
    ['1', '2', '3', '4'].map((body) => rejection(school, { record_type: 'students', body })),
  )
  const [first, second, third, fourth] = await kit.rejected()
  assert.ok(first && second && third && fourth)
  const { pull_id } = await pullList(kit, school, { one: '{"a":9,"b":1}', two: '{"a":9}' })
  await revert(kit, { pull_id })
  const patch = (data: string) => ({
    reference: 'one',
    overwrite: true,
    content: { source: 'PATCH' as const, full_name: null, data, occurred_at: null },
  })
  assert.deepEqual(await kit.outcomesOf(replayWrite(first, patch('{"b":2}'))), ['updated'])
  assert.equal(await kit.countRows('holds'), 2)
  assert.deepEqual((await pullList(kit, school, { one: '{"a":9,"b":2}' })).outcomes, ['held'])
  // It would be stored in part, and the rest would be lost.
  assert.deepEqual(await kit.outcomesOf(replayWrite(second, patch('{"a":9,"b":3}'))), ['held'])
  assert.deepEqual((await contents(kit))['one'], shown('{"a":1,"b":2}'))
  assert.deepEqual(
    (await kit.rejected()).map(({ rejected_push_id }) => rejected_push_id),
    [second, third, fourth].map(({ rejected_push_id }) => rejected_push_id),
  )
  // A whole one with other values lifts the holds of its record.
  const post = { reference: 'one', overwrite: true, data: '{"a":3,"b":3}' }
  assert.deepEqual(await kit.outcomesOf(replayWrite(third, post)), ['updated'])
  assert.equal(await kit.countRows('holds'), 1)
  const element = {
    ...{ source: 'pull' as const, full_name: 'Ann', data: '{"a":9}' },
    manifest_keys: new Set(['a']),
  }
  const ofElement = { reference: 'two', overwrite: true, content: element }
  assert.deepEqual(await kit.outcomesOf(replayWrite(fourth, ofElement)), ['held'])
  assert.equal(await kit.countRows('holds'), 1)
})

test('a held push has its position in the order of writes, and its replay overwrites no later one', async (kit) => {
  const school = await kit.register()
  await school.post({ reference: 'one', data: '{"a":1}' })
  await revertPushes(kit, school, () => school.post({ reference: 'one', data: '{"a":9}' }))
  const bad = { reference: 'one', data: '{"a":9}' }
  const held = await school.post(bad)
  assert.ok(held.position)
  await school.patch({ reference: 'one', data: '{"a":2}' })
  // It is saved in a second commit.
  await kit.saveRejected([rejection(school, { code: 'held', position: held.position })])
  const [kept] = await kit.rejected()
  assert.ok(kept)
  assert.deepEqual(await kit.outcomesOf(replayWrite(kept, bad)), ['stale'])
  assert.deepEqual(await contents(kit), { one: shown('{"a":2}') })
})

test('an element of a missing record that is older than a push counts as absent', async (kit) => {
  const school = await kit.register()
  const { pull_id } = await pullList(kit, school, { one: '{"a":1}' })
  await pullList(kit, school, { one: '{"a":1}', gone: '{"a":1}' })
  await revert(kit, { pull_id })
  await school.pull(async (read) => {
    await school.patch({ reference: 'one', data: '{"b":1}' })
    assert.deepEqual(await kit.outcomesOf(pullWrite(read, { reference: 'one', data: '{"a":1}' })), [
      'stale',
    ])
    // `gone` is the only record that is not missing: its absence must not be hidden by one that the read has seen.
    assert.deepEqual([read.read.seen.size, read.read.stillMissing.size], [0, 1])
  })
})

test('a held push is not deleted as old while its module has holds', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  await school.post({ reference: 'one', data: '{"a":1}' })
  const { id } = await revertPushes(kit, school, () =>
    school.post({ reference: 'one', data: '{"a":9}' }),
  )
  const held = { code: 'held', body: '{"a":9}' }
  await kit.saveRejected([
    rejection(school, { ...held, record_type: 'students' }),
    rejection(school, { ...held, record_type: 'staff' }),
    rejection(school, { record_type: 'students' }),
  ])
  kit.clock.advance(60)
  assert.equal(await deleteOld(kit.storage, 'rejected_pushes', kit.clock.text), 2)
  await kit.storage.holds.liftHolds({ revert_id: id }, changeLog('holds.lifted'))
  assert.equal(await deleteOld(kit.storage, 'rejected_pushes', kit.clock.text), 1)
})
