/** Reverts whose platform, module, history or records change before, between and during their plan and start. */
import assert from 'node:assert/strict'
import { HubError } from '../../../src/errors.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, only } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { registerModules, removePlatform, runRemovals } from '../../helpers/storage/removals.ts'
import { rejection, replayWrite } from '../../helpers/storage/replays.ts'
import { deleteOld } from '../../helpers/storage/retention.ts'
import {
  contents,
  planTest,
  pullList,
  readRevert,
  revert,
  shown,
  startTest,
} from '../../helpers/storage/reverts.ts'

const BAD = { one: '{"a":2}', two: '{"a":2}' }

/** A platform whose second list was wrong. */
async function pullBad(kit: StorageKit) {
  const school = await kit.register({ modules: ['students', 'staff'] })
  await pullList(kit, school, { one: '{"a":1}', two: '{"a":1}' })
  return { school, pull_id: (await pullList(kit, school, BAD)).pull_id }
}

test('records of a module that is not registered are impossible to revert, and possible when it is again', async (kit) => {
  const { school, pull_id } = await pullBad(kit)
  const before = await planTest(kit, { pull_id })
  assert.equal(before.counts.reverted, 2)
  await registerModules(kit, school, ['staff'])
  await startTest(kit, before.id)
  for (const id of [before.id, (await planTest(kit, { pull_id })).id]) {
    const { reverted, impossible } = (await readRevert(kit, id)).counts
    assert.deepEqual([reverted, impossible], [0, 2])
    const query = { revert_id: id, outcome: null, limit: 1, after: null }
    const { reason } = only(await kit.storage.reverts.listRecords(query))
    assert.equal(reason, 'module_not_registered')
  }
  await registerModules(kit, school, ['students'])
  assert.equal((await revert(kit, { pull_id })).counts.reverted, 2)
  // Its holds survive that it is not registered for some time.
  await registerModules(kit, school, ['staff'])
  await registerModules(kit, school, ['students'])
  assert.deepEqual((await pullList(kit, school, BAD)).outcomes, ['held', 'held'])
})

test('records that are being removed are in no plan, and a plan that names them reverts nothing', async (kit) => {
  const { school, pull_id } = await pullBad(kit)
  const planned = await planTest(kit, { pull_id })
  await registerModules(kit, school, ['staff'])
  const { platform_id } = school
  const removal = { platform_id, record_type: 'students', requested_by: 'ann' }
  await kit.storage.removals.removeModuleRecords(removal, changeLog())
  const { counts, progress } = await planTest(kit, { pull_id })
  assert.deepEqual([counts.reverted, counts.impossible, progress.records_total], [0, 0, 0])
  await startTest(kit, planned.id)
  const done = await readRevert(kit, planned.id)
  assert.deepEqual([done.state, done.progress.records_total], ['succeeded', 0])
  await runRemovals(kit)
  assert.equal(await kit.countRows('revert_records'), 0)
})

test('a revert of a platform that was removed does not touch the next one of its name', async (kit) => {
  const old = await kit.register()
  await old.post({ reference: 'one', data: '{"a":1}' })
  kit.clock.advance(60)
  const from = kit.clock.text
  await old.post({ reference: 'one', data: '{"a":2}' })
  kit.clock.advance(60)
  const scope = { platform: old.platform_name, from, to: kit.clock.text }
  const before = await planTest(kit, scope)
  assert.equal(before.counts.reverted, 1)
  const held = await revert(kit, scope)
  assert.equal(held.counts.held_now, 1)
  await removePlatform(kit, old)
  await runRemovals(kit)
  assert.deepEqual([await kit.countRows('holds'), await kit.countRows('revert_records')], [0, 0])
  const next = await kit.register()
  await next.post({ reference: 'one', data: '{"a":2}' })
  await startTest(kit, before.id)
  assert.deepEqual((await readRevert(kit, before.id)).counts.reverted, 0)
  assert.deepEqual(await contents(kit), { one: shown('{"a":2}') })
})

test('a plan and its holds survive that the platform is renamed', async (kit) => {
  const { school, pull_id } = await pullBad(kit)
  const { platform_id, platform_name: platform } = school
  const { id } = await planTest(kit, { pull_id, platform })
  const rename = { platform_id, platform_name: 'academy', at: kit.clock.text }
  await kit.storage.platforms.renamePlatform(rename, changeLog())
  await startTest(kit, id)
  const { counts } = await readRevert(kit, id)
  assert.deepEqual([counts.reverted, counts.held_now], [2, 2])
  assert.deepEqual((await pullList(kit, school, BAD)).outcomes, ['held', 'held'])
})

test('history that retention deletes between the plan and the start makes the rest impossible', async (kit) => {
  const { pull_id } = await pullBad(kit)
  const { id, history_since } = await planTest(kit, { pull_id })
  assert.equal(history_since, null)
  kit.clock.advance(1)
  await deleteOld(kit.storage, 'history', kit.clock.text)
  await startTest(kit, id)
  const { reverted, impossible, held_now } = (await readRevert(kit, id)).counts
  assert.deepEqual([reverted, impossible, held_now], [0, 2, 0])
  assert.deepEqual(await contents(kit), { one: shown(BAD.one), two: shown(BAD.two) })
})

test('what is pushed after the plan is not taken back, even if the period has not ended', async (kit) => {
  const school = await kit.register()
  for (const reference of ['one', 'two']) await school.post({ reference, data: '{"a":1}' })
  kit.clock.advance(60)
  const from = kit.clock.text
  for (const reference of ['one', 'two']) await school.post({ reference, data: '{"a":2}' })
  const to = new Date(kit.clock.now().getTime() + 3_600_000).toISOString()
  const { id } = await planTest(kit, { platform: school.platform_name, from, to })
  kit.clock.advance(60)
  await school.post({ reference: 'two', data: '{"a":3}' })
  await startTest(kit, id)
  const { counts, scope } = await readRevert(kit, id)
  assert.deepEqual([counts.reverted, counts.kept], [1, 1])
  assert.deepEqual('to' in scope && scope.to, to)
  assert.deepEqual(await contents(kit), { one: shown('{"a":1}'), two: shown('{"a":3}') })
})

test('pushes that a clock ahead has timed are reverted by these times after it was set back', async (kit) => {
  const school = await kit.register()
  await school.post({ data: '{"a":1}' })
  kit.clock.advance(7200)
  const from = kit.clock.text
  await school.post({ data: '{"a":2}' })
  kit.clock.advance(1)
  const to = kit.clock.text
  kit.clock.advance(-3600)
  const done = await revert(kit, { platform: school.platform_name, from, to })
  assert.deepEqual([done.counts.reverted, done.counts.held_now], [1, 1])
  assert.equal(only(Object.values(await contents(kit))).data, '{"a":1}')
})

test('a plan that is being deleted is not started', async (kit) => {
  const { pull_id } = await pullBad(kit)
  const { id } = await planTest(kit, { pull_id })
  const { reverts } = kit.storage
  // The clock of the node that deletes it is ahead.
  const later = new Date(kit.clock.now().getTime() + 1).toISOString()
  assert.equal(await reverts.deleteOldPlans(later, 1), true)
  assert.equal(await reverts.startRevert(id, 'ann', changeLog('revert.started')), 'not_planned')
  while (await reverts.deleteOldPlans(later, 1));
  assert.deepEqual([await kit.countRows('reverts'), await kit.countRows('revert_records')], [0, 0])
})

test('a revert that has not ended is not taken back', async (kit) => {
  const { pull_id } = await pullBad(kit)
  const { id: revert_id } = await planTest(kit, { pull_id })
  const { reverts } = kit.storage
  const isImpossible = (error: unknown) =>
    error instanceof HubError && error.code === 'revert_not_possible'
  await assert.rejects(planTest(kit, { revert_id }), isImpossible)
  await reverts.startRevert(revert_id, 'ann', changeLog('revert.started'))
  await assert.rejects(planTest(kit, { revert_id }), isImpossible)
  await reverts.claimRevert({ owner: 'one', seconds: 30 })
  await assert.rejects(planTest(kit, { revert_id }), isImpossible)
})

test('a revert is no push of its platform', async (kit) => {
  const { school, pull_id } = await pullBad(kit)
  await school.post({ reference: 'three' })
  const pushes = async () => {
    const { platforms } = await kit.storage.metricFigures.readFigures()
    return only(platforms).pushes
  }
  const listed = async () => {
    const query = { platform: null, limit: 10, after: null }
    const modules = await kit.storage.completeness.listCompleteness(query)
    return modules.map(({ pushed_since }) => pushed_since)
  }
  const before = [await pushes(), await listed()]
  assert.equal((await revert(kit, { pull_id })).counts.reverted, 2)
  assert.deepEqual([await pushes(), await listed()], before)
})

test('a replay of a held push stores it, also after a pull that was held', async (kit) => {
  const { school, pull_id } = await pullBad(kit)
  await revert(kit, { pull_id })
  kit.clock.advance(60)
  const held = { reference: 'one', data: BAD.one }
  assert.equal((await school.post(held)).outcome, 'held')
  const push = { record_type: 'students', code: 'held', body: JSON.stringify(held) }
  await kit.saveRejected([rejection(school, push), rejection(school, { ...push, body: '{}' })])
  kit.clock.advance(60)
  assert.deepEqual((await pullList(kit, school, BAD)).outcomes, ['held', 'held'])
  const [first, second] = await kit.rejected()
  assert.ok(first && second)
  assert.deepEqual(await kit.outcomesOf(replayWrite(first, held)), ['updated'])
  assert.deepEqual(await contents(kit), { one: shown(BAD.one), two: shown('{"a":1}') })
  // Of a record without holds, the pull says that it is older.
  await pullList(kit, school, { one: BAD.one, two: '{"a":3}' })
  const other = { reference: 'two', data: BAD.two }
  assert.deepEqual(await kit.outcomesOf(replayWrite(second, other)), ['stale'])
})
