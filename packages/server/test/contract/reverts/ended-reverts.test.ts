/** How reverts end, what is stored of ended ones, and how single holds are listed and lifted. */
import assert from 'node:assert/strict'
import { HubError, storageUnavailable } from '../../../src/errors.ts'
import { runNextRevert } from '../../../src/features/reverts/run-revert.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, only } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, TestKit } from '../../helpers/storage/kit.ts'
import { deleteOld } from '../../helpers/storage/retention.ts'
import {
  planTest,
  pullList,
  readRevert,
  revert,
  revertDeps,
  startTest,
} from '../../helpers/storage/reverts.ts'

const DAY = 24 * 3600
const ALL = {
  platform: null,
  record_type: null,
  record_id: null,
  revert_id: null,
  limit: 10,
  after: null,
}

/** Two records, of which pushes of a period have changed all values. */
async function pushBadValues(kit: TestKit, school: KitPlatform) {
  for (const reference of ['one', 'two']) await school.post({ reference, data: '{"a":1,"b":1}' })
  kit.clock.advance(60)
  const from = kit.clock.text
  for (const reference of ['one', 'two']) await school.post({ reference, data: '{"a":2,"b":2}' })
  kit.clock.advance(60)
  return { platform: school.platform_name, from, to: kit.clock.text }
}

test('an outage interrupts a revert, which continues; any other error ends it as failed', async (kit) => {
  const school = await kit.register()
  const scope = await pushBadValues(kit, school)
  const deps = revertDeps(kit)
  const runWith = (error: Error) =>
    runNextRevert(
      { ...deps, ingest: { revert: () => Promise.reject(error) } },
      new AbortController().signal,
    )
  const { id } = await planTest(kit, scope)
  await kit.storage.reverts.startRevert(id, 'ann', changeLog('revert.started'))
  for (const error of [storageUnavailable(), new HubError('shutting_down', { seconds: 5 })]) {
    await assert.rejects(runWith(error), error)
    assert.equal((await readRevert(kit, id)).state, 'interrupted')
  }
  await runNextRevert(deps, new AbortController().signal)
  const done = await readRevert(kit, id)
  assert.deepEqual([done.state, done.error, done.counts.reverted], ['succeeded', null, 2])
  const failures: [Error, RegExp][] = [
    [new HubError('module_not_registered', { record_type: 'x' }), /not registered/],
    [new TypeError('a secret of the program'), /^An unexpected error/],
  ]
  for (const [error, message] of failures) {
    const again = await planTest(kit, { revert_id: id })
    await kit.storage.reverts.startRevert(again.id, 'ann', changeLog('revert.started'))
    await assert.rejects(runWith(error), error)
    const failed = await readRevert(kit, again.id)
    assert.deepEqual([failed.state, failed.progress.records_done], ['failed', 0])
    assert.match(failed.error ?? '', message)
    assert.notEqual(failed.finished_at, null)
    assert.equal(await runNextRevert(deps, new AbortController().signal), false)
    assert.equal((await readRevert(kit, id)).reverted_by, null)
  }
  const undone = await revert(kit, { revert_id: id })
  assert.equal((await readRevert(kit, id)).reverted_by, undone.id)
})

test('a pull is listed as reverted once a revert has taken something back, until that revert is taken back', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1}' })
  const { pull_id } = await pullList(kit, school, { one: '{"a":2}' })
  const listed = async () => {
    const found = await kit.storage.pulls.listPulls({ outcome: 'reverted', limit: 9, before: null })
    return found.map(({ id }) => id)
  }
  await planTest(kit, { pull_id })
  assert.deepEqual(await listed(), [])
  const { id } = await revert(kit, { pull_id, platform: school.platform_name })
  assert.deepEqual(await listed(), [pull_id])
  await revert(kit, { revert_id: id })
  assert.deepEqual(await listed(), [])
})

test('the records of an ended revert expire, and the revert when nothing names it', async (kit) => {
  const school = await kit.register()
  const done = await revert(kit, await pushBadValues(kit, school))
  const planned = await planTest(kit, { revert_id: done.id })
  await startTest(kit, planned.id)
  const third = await revert(kit, { revert_id: planned.id })
  const expire = () => deleteOld(kit.storage, 'reverts', kit.clock.text, 1)
  const ids = async () =>
    (await kit.storage.reverts.listReverts({ pull_id: null, limit: 10, before: null })).map(
      (one) => one.id,
    )
  assert.equal(await deleteOld(kit.storage, 'reverts', '2000-01-01'), 0)
  kit.clock.advance(DAY)
  assert.equal(await expire(), 6)
  assert.deepEqual([await kit.countRows('revert_records'), await kit.countRows('holds')], [0, 4])
  // Its counts stay with it, and its holds hold.
  assert.deepEqual((await readRevert(kit, third.id)).counts, third.counts)
  assert.equal((await school.post({ reference: 'one', data: '{"a":2,"b":2}' })).outcome, 'held')
  await deleteOld(kit.storage, 'history', kit.clock.text)
  // The first two are named by their reverts, of which the last one has holds.
  assert.equal(await expire(), 0)
  await kit.storage.holds.liftHolds({ revert_id: third.id }, changeLog('holds.lifted'))
  assert.equal(await expire(), 3)
  assert.deepEqual(await ids(), [])
})

test('a cancelled plan expires with all its records', async (kit) => {
  const school = await kit.register()
  const { id } = await planTest(kit, await pushBadValues(kit, school))
  await kit.storage.reverts.cancelRevert(id, changeLog('revert.cancelled'))
  kit.clock.advance(2 * DAY)
  const step = () => kit.storage.reverts.deleteOldPlans(kit.clock.text, 1)
  assert.deepEqual(
    [await step(), await step(), await step(), await step()],
    [true, true, true, false],
  )
  assert.deepEqual([await kit.countRows('reverts'), await kit.countRows('revert_records')], [0, 0])
})

test('a revert that was cancelled, or that another process runs, lifts no holds', async (kit) => {
  const { reverts, holds } = kit.storage
  const school = await kit.register()
  const { id: revert_id } = await revert(kit, await pushBadValues(kit, school))
  const lift = (by: { revert_id: number; owner: string }) =>
    holds.liftHolds({ revert_id }, changeLog('holds.lifted'), by)
  const claim = async (owner: string) => {
    const { id } = await planTest(kit, { revert_id })
    await reverts.startRevert(id, 'ann', changeLog('revert.started'))
    const claimed = await reverts.claimRevert({ owner, seconds: 30 })
    assert.equal(claimed?.revert_id, id)
    return { revert_id: id, owner }
  }
  const cancelled = await claim('one')
  await reverts.cancelRevert(cancelled.revert_id, changeLog('revert.cancelled'))
  assert.equal(await lift(cancelled), 0)
  const running = await claim('one')
  assert.equal(await lift({ ...running, owner: 'two' }), 0)
  assert.equal(await kit.countRows('holds'), 4)
  assert.equal(await lift(running), 2)
})

test('one hold of a record is lifted, and the others remain', async (kit) => {
  const { holds } = kit.storage
  const school = await kit.register()
  const { id: revert_id } = await revert(kit, await pushBadValues(kit, school))
  const listed = await holds.listHolds(ALL)
  assert.deepEqual(
    listed.map((hold) => [hold.reference_number, hold.revert_id, hold.holds, hold.paths]),
    ['one', 'two'].map((name) => [name, revert_id, 'values', ['/data/a', '/data/b']]),
  )
  const [first] = listed
  assert.ok(first)
  const { record_id, since } = first
  const lift = (path: string) =>
    holds.liftHolds({ record_id, revert_id, path }, changeLog('holds.lifted'))
  assert.equal(await lift('/data/c'), 0)
  assert.equal(await lift('/data/a'), 1)
  assert.deepEqual(only(await holds.listHolds({ ...ALL, record_id })).paths, ['/data/b'])
  assert.equal((await school.post({ reference: 'one', data: '{"a":2,"b":2}' })).outcome, 'updated')
  assert.equal((await kit.record(record_id)).data, '{"a":2,"b":1}')
  const summary = { records: 2, oldest_since: since }
  assert.deepEqual(await holds.summarizeHolds(), summary)
  assert.deepEqual(await holds.summarizeHolds({ platform: school.platform_name }), summary)
  const none = { records: 0, oldest_since: null }
  assert.deepEqual(await holds.summarizeHolds({ platform: 'another' }), none)
  assert.deepEqual(await holds.summarizeHolds({ until: since }), summary)
  const earlier = new Date(Date.parse(since) - 1).toISOString()
  assert.deepEqual(await holds.summarizeHolds({ until: earlier }), none)
  const { record_id: last, revert_id: by } = first
  const next = await holds.listHolds({ ...ALL, after: { record_id: last, revert_id: by } })
  assert.deepEqual(
    next.map((hold) => hold.reference_number),
    ['two'],
  )
})
