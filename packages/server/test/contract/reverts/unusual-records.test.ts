/** Reverts of records with unusual keys, of large records, and of what cannot be decided any more. */
import assert from 'node:assert/strict'
import { planRevert } from '../../../src/features/reverts/plan-revert.ts'
import { runNextRevert } from '../../../src/features/reverts/run-revert.ts'
import type { RevertWrite } from '../../../src/storage/port/record-store.ts'
import { createSeededRandom, incompressibleText } from '../../helpers/random/seed.ts'
import { test } from '../../helpers/storage/engines.ts'
import { erase } from '../../helpers/storage/erasure.ts'
import { changeLog, only, pushWrite } from '../../helpers/storage/fixtures.ts'
import {
  contents,
  planTest,
  pullList,
  readRevert,
  revert,
  revertDeps,
  shown,
  startTest,
} from '../../helpers/storage/reverts.ts'

const KEYS = [
  ...['a.b', 'a[0]', '["a"]', "it's", 'a/b~c', '~0', 'constructor', ''],
  // Databases do not store these, and do not index the last one.
  ...[
    'nul\u0000',
    'lone \ud800',
    'lone \ud801',
    incompressibleText(createSeededRandom()).slice(0, 4000),
  ],
]

/** @param value that of every key, unless `others` has it. */
function dataOf(value: number, others: Record<string, unknown> = {}): string {
  return JSON.stringify({ ...Object.fromEntries(KEYS.map((key) => [key, value])), ...others })
}

test('every key of a record is reverted and held, also one that databases do not store', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: dataOf(1) })
  const { pull_id } = await pullList(kit, school, { one: dataOf(2) })
  const done = await revert(kit, { pull_id })
  assert.deepEqual([done.state, done.counts.reverted, done.counts.held_now], ['succeeded', 1, 1])
  assert.deepEqual(only(Object.values(await contents(kit))), shown(dataOf(1)))
  const repeated = await pullList(kit, school, { one: dataOf(2, { other: 3 }) })
  assert.deepEqual(repeated.outcomes, ['updated'])
  assert.deepEqual(only(Object.values(await contents(kit))), shown(dataOf(1, { other: 3 })))
  for (const key of KEYS) {
    const patch = { source: 'PATCH' as const, reference: 'one', data: JSON.stringify({ [key]: 2 }) }
    assert.deepEqual(await kit.outcomesOf(pushWrite(school, patch)), ['held'])
  }
  const corrected = await pullList(kit, school, { one: dataOf(2, { 'lone \ud801': 3 }) })
  assert.deepEqual(corrected.outcomes, ['updated'])
  const after = only(Object.values(await contents(kit)))
  assert.deepEqual(JSON.parse(after.data), JSON.parse(dataOf(2, { 'lone \ud801': 3, other: 3 })))
})

test('large records are reverted in commits of few records', async (kit) => {
  const school = await kit.register()
  const references = ['one', 'two', 'three', 'four']
  const list = (letter: string) =>
    Object.fromEntries(
      references.map((reference) => [reference, `{"a":"${letter.repeat(300_000)}"}`]),
    )
  await pullList(kit, school, list('x'))
  const { pull_id } = await pullList(kit, school, list('y'))
  const { id } = await planTest(kit, { pull_id })
  await kit.storage.reverts.startRevert(id, 'ann', changeLog('revert.started'))
  const deps = revertDeps(kit)
  const commits: number[] = []
  const ingest = {
    revert(writes: RevertWrite[]) {
      commits.push(writes.length)
      return deps.ingest.revert(writes)
    },
  }
  await runNextRevert({ ...deps, ingest }, new AbortController().signal)
  assert.deepEqual(commits, [1, 1, 1, 1])
  assert.equal((await readRevert(kit, id)).counts.reverted, 4)
})

test('other requests are answered between records whose decisions take long', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: dataOf(1) })
  const { pull_id } = await pullList(kit, school, { one: dataOf(2) })
  const { id } = await planTest(kit, { pull_id })
  await kit.storage.reverts.startRevert(id, 'ann', changeLog('revert.started'))
  const deps = revertDeps(kit)
  let time = 0
  const monotonicClock = { now: () => (time += 1000) }
  let turns = 0
  const reverts = {
    ...deps.reverts,
    async readScopeRecords(...query: Parameters<typeof deps.reverts.readScopeRecords>) {
      const records = await deps.reverts.readScopeRecords(...query)
      setImmediate(() => {
        turns += 1
      })
      return records
    },
  }
  const ingest = {
    revert(writes: RevertWrite[]) {
      assert.equal(turns, 1)
      return deps.ingest.revert(writes)
    },
  }
  await runNextRevert({ ...deps, monotonicClock, reverts, ingest }, new AbortController().signal)
  assert.equal((await readRevert(kit, id)).counts.reverted, 1)
})

test('a history that is longer than what is read at once is reverted as a whole', async (kit) => {
  const school = await kit.register()
  await school.post({ reference: 'old', data: '{"a":1,"b":"x"}' })
  kit.clock.advance(60)
  const from = kit.clock.text
  for (const [reference, value] of [
    ['old', 2],
    ['new', 1],
  ] as const) {
    await school.post({ reference, data: `{"a":${value},"b":"x"}` })
    for (const letter of ['p', 'q', 'r']) {
      await school.patch({ reference, data: `{"b":"${letter.repeat(600_000)}"}` })
    }
    await school.patch({ reference, data: '{"a":3,"b":"y"}' })
  }
  kit.clock.advance(60)
  const scope = { platform: school.platform_name, from, to: kit.clock.text }
  const { counts } = await revert(kit, scope)
  assert.deepEqual([counts.reverted, counts.held_now], [2, 2])
  assert.deepEqual(await contents(kit), {
    old: shown('{"a":1,"b":"x"}'),
    new: shown('{"a":3,"b":"y"}', true),
  })
  const { record_id } = only(await kit.records({ reference_number: 'old' }))
  const version = (await kit.history(record_id))[2]?.change_seq ?? 0
  await revert(kit, { record_id, version })
  assert.equal(JSON.parse((await kit.record(record_id)).data).b, 'r'.repeat(600_000))
})

test('the writer that keeps a record is found behind large entries of its history', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1,"b":"x"}' })
  const { pull_id } = await pullList(kit, school, { one: '{"a":2,"b":"x"}' })
  await school.patch({ reference: 'one', data: '{"a":3}' })
  for (const letter of ['y', 'z']) {
    await school.patch({ reference: 'one', data: `{"b":"${letter.repeat(600_000)}"}` })
  }
  const { id } = await planTest(kit, { pull_id })
  const query = { revert_id: id, outcome: null, limit: 10, after: null }
  const { kept } = only(await kit.storage.reverts.listRecords(query))
  assert.deepEqual([kept?.path, kept?.source], ['/data/a', 'PATCH'])
})

test('a plan names the writer that it has read, not one that writes while the plan is saved', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1}' })
  const { pull_id } = await pullList(kit, school, { one: '{"a":2}' })
  await school.patch({ reference: 'one', data: '{"a":3}' })
  const deps = revertDeps(kit)
  const reverts = {
    ...deps.reverts,
    async addPlanned(...plan: Parameters<typeof deps.reverts.addPlanned>) {
      await school.post({ reference: 'one', data: '{"a":4}' })
      return deps.reverts.addPlanned(...plan)
    },
  }
  const request = { scope: { pull_id }, reason: 'bad data' }
  const { id, counts } = await planRevert({ ...deps, reverts }, request, 'ann@example.com')
  assert.equal(counts.kept, 1)
  const query = { revert_id: id, outcome: null, limit: 10, after: null }
  const planned = only(await deps.reverts.listRecords(query))
  assert.deepEqual([planned.kept?.path, planned.kept?.source], ['/data/a', 'PATCH'])
  await startTest(kit, id)
  const done = only(await deps.reverts.listRecords(query))
  assert.deepEqual([done.done, done.kept?.source], [true, 'POST'])
})

test('what remains of an anonymised record is impossible to revert, also without its tombstone', async (kit) => {
  const school = await kit.register()
  const from = kit.clock.text
  await school.post({ reference: 'pushed' })
  const created = await pullList(kit, school, { pulled: '{"a":1}' })
  const remains = await kit.records()
  for (const { record_id } of remains) {
    const { tombstone_id } = await erase(kit, record_id, 'anonymise')
    await kit.storage.erasure.deleteTombstone(tombstone_id, changeLog())
  }
  kit.clock.advance(60)
  const references = (await kit.records()).map(({ reference_number }) => reference_number)
  const marked = await pullList(kit, school, {}, references)
  for (const [scope, expected] of [
    [{ pull_id: created.pull_id }, 1],
    [{ platform: school.platform_name, from, to: kit.clock.text }, 1],
    [{ pull_id: marked.pull_id }, 2],
  ] as const) {
    const { counts } = await revert(kit, scope)
    assert.deepEqual([counts.reverted, counts.impossible], [0, expected])
  }
  assert.equal((await kit.storage.holds.summarizeHolds()).records, 0)
})

test('a cancelled revert saves no results of a step in progress', async (kit) => {
  const school = await kit.register()
  await pullList(kit, school, { one: '{"a":1}' })
  const { pull_id } = await pullList(kit, school, { one: '{"a":2}' })
  await school.post({ reference: 'one', data: '{"a":3}' })
  const { reverts } = kit.storage
  const { id } = await planTest(kit, { pull_id })
  const list = () => reverts.listRecords({ revert_id: id, outcome: null, limit: 10, after: null })
  const [{ record_id } = { record_id: 0 }] = await list()
  await reverts.startRevert(id, 'ann', changeLog('revert.started'))
  await reverts.claimRevert({ owner: 'one', seconds: 30 })
  assert.equal(await reverts.cancelRevert(id, changeLog('revert.cancelled')), true)
  const [record] = await reverts.readScopeRecords(
    { kind: 'pull', pull_id, module_ids: null, begin: '' },
    [record_id],
  )
  const result = {
    ...{ record_id, platform_id: record?.platform_id ?? 0, outcome: 'kept' as const },
    ...{ creates: false, kept_path: '/data/a', decided_seq: record?.change_seq ?? 0, reason: null },
  }
  assert.equal(await reverts.saveResults(id, [result]), false)
  assert.equal(only(await list()).done, false)
})

test('the reverts of a pull are listed whatever the order of the members of their scope', async (kit) => {
  const school = await kit.register()
  const { pull_id } = await pullList(kit, school, { one: '{"a":1}' })
  const { id } = await planTest(kit, { platform: school.platform_name, pull_id })
  const list = await kit.storage.reverts.listReverts({ pull_id, limit: 10, before: null })
  assert.deepEqual(
    list.map((one) => one.id),
    [id],
  )
})
