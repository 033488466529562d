import assert from 'node:assert/strict'
import { formatRfc3339 } from '../../../src/lib/time/rfc3339.ts'
import type { RecordRow } from '../../../src/storage/port/record-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only, pushWrite, type TestPlatform } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { listMissing, READ_AT } from '../../helpers/storage/missing.ts'
import {
  finishTestPull,
  pullOnce,
  pullWrite,
  startPullAndRead,
  type TestRead,
} from '../../helpers/storage/pulls.ts'
import { runSql } from '../../helpers/storage/sql.ts'

const NAMES = ['a', 'b', 'c', 'ä', 'ö', '👍', 'Z', ' x']

test('only records that are absent, unmarked and not pushed since the pull started are listed', async (kit) => {
  const { school, read } = await readSome(kit, NAMES, ['a', 'ö'])
  await kit.write(pushWrite(school, { reference: 'b' }))
  await kit.write(pushWrite(school, { reference: 'new' }))
  await kit.markMissing(read, ['c'])
  const expected = NAMES.filter((name) => !['a', 'ö', 'b', 'c'].includes(name)).sort()
  for (const limit of [1, 2, 3, 1000]) {
    const missing = await listMissing(kit.storage, read, { limit })
    assert.deepEqual(missing.map((one) => one.reference_number).sort(), expected)
  }
})

test('records pushed within the grace period before the read began are neither listed nor marked', async (kit) => {
  const names = ['early', 'pulled', 'unchanged', 'updated']
  const { school } = await readSome(kit, names, names)
  const push = (reference: string, data = '{"a":1}') =>
    kit.write(pushWrite(school, { reference, data }))
  await push('early')
  await push('unchanged')
  kit.clock.advance(60)
  await push('updated', '{"a":2}')
  await push('unchanged')
  await push('new')
  kit.clock.advance(299)
  const requested_at = formatRfc3339(kit.clock.now())
  const read = await startPullAndRead(kit.storage, school, { requested_at })
  const missing = await listMissing(kit.storage, read, { graceSeconds: 300 })
  const allowed = ['early', 'pulled']
  assert.deepEqual(missing.map((one) => one.reference_number).sort(), allowed)
  assert.equal((await listMissing(kit.storage, read, { graceSeconds: 299 })).length, 5)
  const outcome = await kit.markMissing(read, [...names, 'new'], 300)
  assert.deepEqual(outcome, { outcome: 'marked', marked: 2 })
  assert.deepEqual(await listMarked(kit), allowed)
  await kit.markMissing(read, [...names, 'new'], 299)
  assert.deepEqual((await listMarked(kit)).sort(), [...names, 'new'].sort())
})

test('a record that was pushed while the clock was ahead is marked as missing like any other', async (kit) => {
  const school = await kit.register()
  kit.clock.advance(7200)
  await kit.write(pushWrite(school, { reference: 'ahead' }))
  kit.clock.advance(-7200)
  const read = await school.startRead()
  assert.equal((await listMissing(kit.storage, read, { graceSeconds: 300 })).length, 1)
  assert.deepEqual(await kit.markMissing(read, ['ahead'], 300), { outcome: 'marked', marked: 1 })
})

test('unmarked records of the module are found by reference', async (kit) => {
  const { school, read } = await readSome(kit, NAMES, ['a'])
  await kit.markMissing(read, ['c'])
  const present = async (references: string[]) => {
    const found = await kit.storage.missing.findPresent(read.read, references)
    return found.map(({ record_id }) => record_id)
  }
  const rows = await kit.records({ platform: school.platform_name })
  const idOf = (name: string) => rows.find((row) => row.reference_number === name)?.record_id
  const found = await present(['ö', 'c', 'unknown', '👍', 'A', '__proto__'])
  assert.deepEqual(new Set(found), new Set([idOf('ö'), idOf('👍')]))
  assert.deepEqual(await present([]), [])
  const otherModule = { ...read.read, module_id: read.read.module_id + 1 }
  assert.deepEqual(await kit.storage.missing.findPresent(otherModule, NAMES), [])
})

test('records of other modules and platforms are not marked', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic' })
  await kit.write(pushWrite(school, { record_type: 'staff' }), pushWrite(clinic))
  const read = await school.startRead()
  assert.deepEqual(await listMissing(kit.storage, read), [])
  await kit.markMissing(read, ['r-1'])
  assert.deepEqual(await listMarked(kit), [])
})

test('marking creates a change and a history entry and deletes nothing', async (kit) => {
  const { read } = await readSome(kit, ['a', 'b', 'c'], ['b'])
  const before = await kit.records()
  const snapshot = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  kit.clock.advance(60)
  const outcome = await kit.markMissing(read, ['a', 'c'])
  assert.deepEqual(outcome, { outcome: 'marked', marked: 2 })
  const [a, b, c] = await kit.records()
  assert.ok(a && b && c)
  assert.deepEqual(b, before[1])
  for (const [current, previous] of [
    [a, before[0]],
    [c, before[2]],
  ]) {
    const missing = { missing_since: READ_AT, missing_reason: 'absent', updated_at: kit.clock.text }
    assert.deepEqual(current, { ...previous, ...missing, change_seq: current?.change_seq })
    assert.ok((current?.change_seq ?? 0) > b.change_seq)
    const { at, change_seq, changes } = only(await kit.history(current?.record_id ?? 0))
    assert.deepEqual([at, change_seq], [kit.clock.text, current?.change_seq])
    assert.match(changes, /^\[\{"path":"\/missing_since","before":null,"after":"/)
  }
  assert.deepEqual(await kit.history(b.record_id), [])
  assert.notEqual(a.change_seq, c.change_seq)
  const { stats } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  assert.deepEqual(stats, snapshot.stats)
})

test('marking skips records that were pushed since the pull started or are already marked', async (kit) => {
  const { school, read } = await readSome(kit, ['a', 'b', 'c'], [])
  await kit.write(pushWrite(school, { reference: 'b' }))
  await kit.write(pushWrite(school, { reference: 'new' }))
  await kit.markMissing(read, ['c'])
  const [, , c] = await kit.records()
  kit.clock.advance(60)
  const outcome = await kit.markMissing(read, ['new', 'c', 'b', 'a'])
  assert.deepEqual(outcome, { outcome: 'marked', marked: 1 })
  assert.deepEqual(await listMarked(kit), ['a', 'c'])
  assert.deepEqual((await kit.records())[2], c)
})

test('an unchanged push also prevents an earlier pull from marking the record', async (kit) => {
  const { school, read } = await readSome(kit, ['a'], [])
  const same = pushWrite(school, { reference: 'a' })
  assert.deepEqual(await kit.outcomesOf(same), ['unchanged'])
  assert.deepEqual(await listMissing(kit.storage, read), [])
  assert.deepEqual(await kit.markMissing(read, ['a']), {
    outcome: 'marked',
    marked: 0,
  })
})

const rejections: [
  string,
  string,
  (kit: StorageKit, read: TestRead, school: TestPlatform) => Promise<unknown>,
][] = [
  [
    'the pull ended',
    'pull_not_running',
    ({ storage }, { read }) => finishTestPull(storage, read.pull_id, 'timed_out'),
  ],
  ['the pull was interrupted', 'pull_not_running', ({ storage }) => storage.pulls.interruptPulls()],
  [
    'the platform was deactivated',
    'module_not_registered',
    (kit, _, school) => kit.setStatus(school, 'inactive'),
  ],
  [
    'the module was unregistered',
    'module_not_registered',
    ({ storage }) => runSql(storage, 'UPDATE modules SET registered_at = NULL'),
  ],
]
for (const [when, code, reject] of rejections) {
  test(`no record is marked after ${when}`, async (kit) => {
    const { school, read } = await readSome(kit, ['a', 'b'], [])
    await reject(kit, read, school)
    const before = await kit.records()
    assert.deepEqual(await kit.markMissing(read, ['a', 'b']), {
      outcome: 'rejected',
      code,
    })
    assert.deepEqual(await kit.records(), before)
  })
}

for (const source of ['POST', 'PATCH'] as const) {
  test(`a missing record is no longer missing after a ${source} with unchanged data`, async (kit) => {
    const { school, before } = await createMissing(kit)
    const push = pushWrite(school, { source, reference: 'a' })
    assert.equal((await kit.writeOne(push)).outcome, 'updated')
    await expectUnmarked(kit, before)
  })
}
for (const [difference, data] of [
  ['the same', '{}'],
  ['different', '{"a":1}'],
] as const) {
  test(`a missing record is no longer missing after a pull with ${difference} data, and the next pull is unchanged`, async (kit) => {
    const { school, before } = await createMissing(kit)
    for (const expected of ['updated', 'unchanged']) {
      await pullOnce(kit, school, async (read) => {
        const element = pullWrite(read, { reference: 'a', data })
        assert.equal((await kit.writeOne(element)).outcome, expected)
      })
    }
    await expectUnmarked(kit, before)
  })
}

test('a record that reappeared is marked again when it is missing again', async (kit) => {
  const { school } = await createMissing(kit)
  await kit.write(pushWrite(school, { reference: 'a' }))
  const requested_at = formatRfc3339(kit.clock.now())
  const read = await startPullAndRead(kit.storage, school, { requested_at })
  assert.equal((await listMissing(kit.storage, read)).length, 1)
  await kit.markMissing(read, ['a'])
  assert.deepEqual(await listMarked(kit), ['a'])
})

test('the count of unmarked records changes with every record that is marked or reappears', async (kit) => {
  const { school, read } = await readSome(kit, NAMES, ['a'])
  const count = () => kit.storage.missing.countUnmarked(read.read)
  assert.equal(await count(), NAMES.length)
  await kit.markMissing(read, ['b', 'c', '👍'])
  assert.equal(await count(), NAMES.length - 3)
  await kit.write(pushWrite(school, { reference: 'b' }))
  await kit.write(pushWrite(school, { reference: 'new' }))
  assert.equal(await count(), NAMES.length - 1)
})

test('an earlier push is stale for a record that the pull contained, but not for a record marked as missing', async (kit) => {
  const { school, read } = await readSome(kit, ['a', 'absent'], ['a'])
  await kit.markMissing(read, ['absent'])
  await kit.finishRead(read)
  await kit.finishPull(read.read.pull_id)
  const earlier = { occurred_at: '2026-03-10T07:00:00.000000000Z', data: '{"a":2}' }
  const pushes = ['a', 'absent'].map((reference) => pushWrite(school, { reference, ...earlier }))
  assert.deepEqual(await kit.outcomesOf(...pushes), ['stale', 'updated'])
  assert.deepEqual(await listMarked(kit), [])
})

test('detecting missing records writes nothing when none is marked', async (kit) => {
  const { read } = await readSome(kit, NAMES, NAMES)
  const tables = ['records', 'record_history', 'activity', 'missing_candidates']
  const readState = async () => ({
    counts: await Promise.all(tables.map((table) => kit.countRows(table))),
    records: await kit.records(),
  })
  const before = await readState()
  assert.deepEqual(await listMissing(kit.storage, read), [])
  assert.deepEqual(await kit.markMissing(read, []), { outcome: 'marked', marked: 0 })
  await kit.storage.missing.saveCandidates(read.read, [])
  assert.deepEqual(await readState(), before)
})

/** Stores records with one complete pull, then starts a pull that contains some of them. */
async function readSome(kit: StorageKit, names: string[], contained: string[]) {
  const school = await kit.register()
  const elements = (read: TestRead, references: string[]) =>
    references.map((reference) => pullWrite(read, { reference }))
  const store = async (read: TestRead) => void (await kit.write(...elements(read, names)))
  await school.pull(store, { requested_at: '2026-03-10T06:00:00.000000000Z' })
  const read = await school.startRead()
  await kit.write(...elements(read, contained))
  return { school, read }
}

/** Stores record `a` and marks it as missing with a finished pull. */
async function createMissing(kit: StorageKit) {
  const { school, read } = await readSome(kit, ['a'], [])
  await kit.markMissing(read, ['a'])
  await kit.finishPull(read.read.pull_id)
  const before = only(await kit.records())
  assert.equal(before.missing_since, READ_AT)
  kit.clock.advance(60)
  return { school, before }
}

async function expectUnmarked(kit: StorageKit, before: RecordRow): Promise<void> {
  const { clock } = kit
  const record = only(await kit.records())
  assert.deepEqual([record.record_id, record.missing_since], [before.record_id, null])
  assert.ok(record.change_seq > before.change_seq)
  assert.equal(record.updated_at, clock.text)
}

async function listMarked(kit: StorageKit): Promise<string[]> {
  const rows = await kit.records()
  return rows.filter((row) => row.missing_since !== null).map((row) => row.reference_number)
}
