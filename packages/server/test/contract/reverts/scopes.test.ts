/** What belongs to the scope of a revert, and records that are erased while it runs or while they are held. */
import assert from 'node:assert/strict'
import { runNextRevert } from '../../../src/features/reverts/run-revert.ts'
import { test } from '../../helpers/storage/engines.ts'
import { ERASURE_MODES, erase } from '../../helpers/storage/erasure.ts'
import { changeLog, only, pushWrite } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { rejection, replayWrite } from '../../helpers/storage/replays.ts'
import {
  contents,
  KEYS,
  planTest,
  pullList,
  readRevert,
  revert,
  revertDeps,
  shown,
} from '../../helpers/storage/reverts.ts'

test('one module of a pull is reverted, and the other modules and platforms of the pull stay', async (kit) => {
  const types = ['students', 'teachers']
  const school = await kit.register({ modules: types })
  const college = await kit.register({ name: 'college', modules: types })
  let pull_id = 0
  for (const value of [1, 2]) {
    const pull = await kit.startPull()
    pull_id = pull.pull_id
    for (const platform of [school, college]) {
      for (const record_type of types) {
        const read = await kit.startRead(pull, platform, { ...KEYS, record_type })
        const reference = `${platform.platform_name} ${record_type}`
        await kit.write(pullWrite(read, { reference, data: `{"a":${value}}` }))
        await kit.finishRead(read)
      }
    }
    await kit.finishPull(pull_id)
  }
  const platform = school.platform_name
  const done = await revert(kit, { pull_id, platform, record_type: 'teachers' })
  assert.deepEqual([done.counts.reverted, done.counts.held_now], [1, 1])
  assert.deepEqual(await contents(kit), {
    'school students': shown('{"a":2}'),
    'school teachers': shown('{"a":1}'),
    'college students': shown('{"a":2}'),
    'college teachers': shown('{"a":2}'),
  })
  // The rest of the platform's records, and then the rest of the pull.
  assert.equal((await revert(kit, { pull_id, platform })).counts.reverted, 1)
  assert.equal((await revert(kit, { pull_id })).counts.reverted, 2)
  const values = Object.values(await contents(kit)).map(({ data }) => data)
  assert.deepEqual(new Set(values), new Set(['{"a":1}']))
})

test('a period begins with its first moment and ends before its last one, and contains replays but no pulls', async (kit) => {
  const school = await kit.register()
  const college = await kit.register({ name: 'college' })
  const names = ['at from', 'inside', 'at to', 'replayed', 'pulled', 'before']
  await kit.write(...names.map((reference) => pushWrite(school, { reference, data: '{"a":1}' })))
  await college.post({ reference: 'of another platform', data: '{"a":1}' })
  const change = { data: '{"a":2}' }
  kit.clock.advance(60)
  await school.post({ ...change, reference: 'before' })
  kit.clock.advance(60)
  const from = kit.clock.text
  await school.post({ ...change, reference: 'at from' })
  kit.clock.advance(60)
  await school.patch({ ...change, reference: 'inside' })
  await college.post({ ...change, reference: 'of another platform' })
  await pullList(kit, school, { pulled: change.data, 'pulled and new': change.data })
  await kit.saveRejected([rejection(school, { record_type: 'students' })])
  const rejected = only(await kit.rejected())
  await kit.writeOne(replayWrite(rejected, { ...change, reference: 'replayed' }))
  kit.clock.advance(60)
  const to = kit.clock.text
  await school.post({ ...change, reference: 'at to' })
  const done = await revert(kit, { platform: school.platform_name, from, to })
  assert.equal(done.counts.reverted, 3)
  assert.deepEqual(await contents(kit), {
    ...{ before: shown('{"a":2}'), 'at from': shown('{"a":1}'), inside: shown('{"a":1}') },
    ...{ replayed: shown('{"a":1}'), 'at to': shown('{"a":2}'), pulled: shown('{"a":2}') },
    ...{ 'pulled and new': shown('{"a":2}'), 'of another platform': shown('{"a":2}') },
  })
})

test('a pull after the period reads the records of the period again, and is held', async (kit) => {
  const school = await kit.register()
  await school.post({ reference: 'one', data: '{"a":1}' })
  kit.clock.advance(60)
  const from = kit.clock.text
  await school.post({ reference: 'one', data: '{"a":2}' })
  kit.clock.advance(60)
  await revert(kit, { platform: school.platform_name, from, to: kit.clock.text })
  assert.deepEqual((await pullList(kit, school, { one: '{"a":2}' })).outcomes, ['held'])
  assert.deepEqual(await contents(kit), { one: shown('{"a":1}') })
})

for (const mode of ERASURE_MODES) {
  test(`records that are erased (${mode}) before a revert reaches them are not reverted, and it succeeds`, async (kit) => {
    const school = await kit.register()
    const { record_id } = await school.post({ reference: 'one', data: '{"a":1}' })
    await school.post({ reference: 'two', data: '{"a":1}' })
    const bad = await pullList(kit, school, { one: '{"a":2}', two: '{"a":2}' })
    const { id } = await planTest(kit, { pull_id: bad.pull_id })
    await kit.storage.reverts.startRevert(id, 'ann@example.com', changeLog('revert.started'))
    const deps = revertDeps(kit)
    let isErased = false
    const ingest: typeof deps.ingest = {
      async revert(writes) {
        // The record is erased after it was decided.
        if (!isErased) await erase(kit, record_id, mode)
        isErased = true
        return deps.ingest.revert(writes)
      },
    }
    await runNextRevert({ ...deps, ingest }, new AbortController().signal)
    const done = await readRevert(kit, id)
    assert.deepEqual([done.state, done.counts.reverted, done.counts.held_now], ['succeeded', 1, 1])
    const { two } = await contents(kit)
    assert.deepEqual(two, shown('{"a":1}'))
    const entries = await kit.runSql(
      `SELECT 1 AS n FROM record_history WHERE record_id = ${record_id}`,
    )
    assert.deepEqual(entries, [])
  })

  test(`an erasure (${mode}) deletes the holds of its record, and a later plan does not name its values`, async (kit) => {
    const school = await kit.register()
    await pullList(kit, school, { one: '{"a":1}', two: '{"a":1}', gone: '{}' })
    const bad = { one: '{"a":2}', two: '{"a":2}', new: '{"a":3}' }
    const { pull_id } = await pullList(kit, school, bad, ['gone'])
    await revert(kit, { pull_id })
    const held = await kit.records()
    assert.equal(await kit.countRows('holds'), 4)
    for (const { record_id, reference_number } of held) {
      if (reference_number !== 'two') await erase(kit, record_id, mode)
    }
    assert.equal(await kit.countRows('holds'), 1)
    const again = await revert(kit, { pull_id })
    const outcomes = mode === 'erase' ? [0, 1, 0] : [0, 1, 1]
    const { reverted, kept, impossible } = again.counts
    assert.deepEqual([reverted, kept, impossible], outcomes)
  })
}
