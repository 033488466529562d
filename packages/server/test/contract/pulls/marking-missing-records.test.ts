import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { formatRfc3339 } from '../../../src/lib/time/rfc3339.ts'
import type { RecordRow } from '../../../src/storage/port/record-store.ts'
import { type StorageKit, withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  listHistory,
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  setStatus,
  type TestPlatform,
  write,
  writeOne,
} from '../../helpers/storage/fixtures.ts'
import { listMissing, markMissing, READ_AT } from '../../helpers/storage/missing.ts'
import {
  finishRead,
  finishTestPull,
  pullOnce,
  pullWrite,
  startPullAndRead,
  type TestRead,
} from '../../helpers/storage/pulls.ts'
import { countRows, runSql } from '../../helpers/storage/sql.ts'

const NAMES = ['a', 'b', 'c', 'ä', 'ö', '👍', 'Z', ' x']

onEachEngine((engine) => {
  describe(`marking records as missing on ${engine.name}`, () => {
    test(
      'only records that are absent, unmarked and not pushed since the pull started are listed',
      withStorage(engine, async (kit) => {
        const { school, read } = await readSome(kit, NAMES, ['a', 'ö'])
        await write(kit, pushWrite(school, { reference: 'b' }))
        await write(kit, pushWrite(school, { reference: 'new' }))
        await markMissing(kit.storage, read, ['c'])
        const expected = NAMES.filter((name) => !['a', 'ö', 'b', 'c'].includes(name)).sort()
        for (const limit of [1, 2, 3, 1000]) {
          const missing = await listMissing(kit.storage, read, { limit })
          assert.deepEqual(missing.map((one) => one.reference_number).sort(), expected)
        }
      }),
    )

    test(
      'records pushed within the grace period before the read began are neither listed nor marked',
      withStorage(engine, async (kit) => {
        const names = ['early', 'pulled', 'unchanged', 'updated']
        const { school } = await readSome(kit, names, names)
        const push = (reference: string, data = '{"a":1}') =>
          write(kit, pushWrite(school, { reference, data }))
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
        const outcome = await markMissing(kit.storage, read, [...names, 'new'], 300)
        assert.deepEqual(outcome, { outcome: 'marked', marked: 2 })
        assert.deepEqual(await listMarked(kit), allowed)
        await markMissing(kit.storage, read, [...names, 'new'], 299)
        assert.deepEqual((await listMarked(kit)).sort(), [...names, 'new'].sort())
      }),
    )

    test(
      'unmarked records of the module are found by reference',
      withStorage(engine, async (kit) => {
        const { school, read } = await readSome(kit, NAMES, ['a'])
        await markMissing(kit.storage, read, ['c'])
        const present = (references: string[]) =>
          kit.storage.missing.findPresent(read.read, references)
        const rows = await listRecords(kit.storage, { platform: school.platform_name })
        const idOf = (name: string) => rows.find((row) => row.reference_number === name)?.record_id
        const found = await present(['ö', 'c', 'unknown', '👍', 'A', '__proto__'])
        assert.deepEqual(new Set(found), new Set([idOf('ö'), idOf('👍')]))
        assert.deepEqual(await present([]), [])
        const otherModule = { ...read.read, module_id: read.read.module_id + 1 }
        assert.deepEqual(await kit.storage.missing.findPresent(otherModule, NAMES), [])
      }),
    )

    test(
      'records of other modules and platforms are not marked',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const clinic = await registerTestPlatform(kit, { name: 'clinic' })
        await write(kit, pushWrite(school, { record_type: 'staff' }), pushWrite(clinic))
        const read = await startPullAndRead(kit.storage, school)
        assert.deepEqual(await listMissing(kit.storage, read), [])
        await markMissing(kit.storage, read, ['r-1'])
        assert.deepEqual(await listMarked(kit), [])
      }),
    )

    test(
      'marking creates a change and a history entry and deletes nothing',
      withStorage(engine, async (kit) => {
        const { read } = await readSome(kit, ['a', 'b', 'c'], ['b'])
        const before = await listRecords(kit.storage)
        const snapshot = await kit.storage.snapshot.readSnapshot(kit.clock.day)
        kit.clock.advance(60)
        const outcome = await markMissing(kit.storage, read, ['a', 'c'])
        assert.deepEqual(outcome, { outcome: 'marked', marked: 2 })
        const [a, b, c] = await listRecords(kit.storage)
        assert.ok(a && b && c)
        assert.deepEqual(b, before[1])
        for (const [current, previous] of [
          [a, before[0]],
          [c, before[2]],
        ]) {
          const changed = { missing_since: READ_AT, updated_at: kit.clock.text }
          assert.deepEqual(current, { ...previous, ...changed, change_seq: current?.change_seq })
          assert.ok((current?.change_seq ?? 0) > b.change_seq)
          const { at, change_seq, changes } = only(
            await listHistory(kit.storage, current?.record_id ?? 0),
          )
          assert.deepEqual([at, change_seq], [kit.clock.text, current?.change_seq])
          assert.match(changes, /^\[\{"path":"\/missing_since","before":null,"after":"/)
        }
        assert.deepEqual(await listHistory(kit.storage, b.record_id), [])
        assert.notEqual(a.change_seq, c.change_seq)
        const { stats } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
        assert.deepEqual(stats, snapshot.stats)
      }),
    )

    test(
      'marking skips records that were pushed since the pull started or are already marked',
      withStorage(engine, async (kit) => {
        const { school, read } = await readSome(kit, ['a', 'b', 'c'], [])
        await write(kit, pushWrite(school, { reference: 'b' }))
        await write(kit, pushWrite(school, { reference: 'new' }))
        await markMissing(kit.storage, read, ['c'])
        const [, , c] = await listRecords(kit.storage)
        kit.clock.advance(60)
        const outcome = await markMissing(kit.storage, read, ['new', 'c', 'b', 'a'])
        assert.deepEqual(outcome, { outcome: 'marked', marked: 1 })
        assert.deepEqual(await listMarked(kit), ['a', 'c'])
        assert.deepEqual((await listRecords(kit.storage))[2], c)
      }),
    )

    test(
      'an unchanged push also prevents an earlier pull from marking the record',
      withStorage(engine, async (kit) => {
        const { school, read } = await readSome(kit, ['a'], [])
        const same = pushWrite(school, { reference: 'a' })
        assert.deepEqual(outcomesOf(await write(kit, same)), ['unchanged'])
        assert.deepEqual(await listMissing(kit.storage, read), [])
        assert.deepEqual(await markMissing(kit.storage, read, ['a']), {
          outcome: 'marked',
          marked: 0,
        })
      }),
    )

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
      [
        'the pull was interrupted',
        'pull_not_running',
        ({ storage }) => storage.pulls.interruptPulls(),
      ],
      [
        'the platform was deactivated',
        'module_not_registered',
        (kit, _, school) => setStatus(kit, school, 'inactive'),
      ],
      [
        'the module was unregistered',
        'module_not_registered',
        ({ storage }) => runSql(storage, 'UPDATE modules SET registered_at = NULL'),
      ],
    ]
    for (const [when, code, reject] of rejections) {
      test(
        `no record is marked after ${when}`,
        withStorage(engine, async (kit) => {
          const { school, read } = await readSome(kit, ['a', 'b'], [])
          await reject(kit, read, school)
          const before = await listRecords(kit.storage)
          assert.deepEqual(await markMissing(kit.storage, read, ['a', 'b']), {
            outcome: 'rejected',
            code,
          })
          assert.deepEqual(await listRecords(kit.storage), before)
        }),
      )
    }

    for (const source of ['POST', 'PATCH'] as const) {
      test(
        `a missing record is no longer missing after a ${source} with unchanged data`,
        withStorage(engine, async (kit) => {
          const { school, before } = await createMissing(kit)
          const push = pushWrite(school, { source, reference: 'a' })
          assert.equal((await writeOne(kit, push)).outcome, 'updated')
          await expectUnmarked(kit, before)
        }),
      )
    }
    for (const [difference, data] of [
      ['the same', '{}'],
      ['different', '{"a":1}'],
    ] as const) {
      test(
        `a missing record is no longer missing after a pull with ${difference} data, and the next pull is unchanged`,
        withStorage(engine, async (kit) => {
          const { school, before } = await createMissing(kit)
          for (const expected of ['updated', 'unchanged']) {
            await pullOnce(kit, school, async (read) => {
              const element = pullWrite(read, { reference: 'a', data })
              assert.equal((await writeOne(kit, element)).outcome, expected)
            })
          }
          await expectUnmarked(kit, before)
        }),
      )
    }

    test(
      'a record that reappeared is marked again when it is missing again',
      withStorage(engine, async (kit) => {
        const { school } = await createMissing(kit)
        await write(kit, pushWrite(school, { reference: 'a' }))
        const requested_at = formatRfc3339(kit.clock.now())
        const read = await startPullAndRead(kit.storage, school, { requested_at })
        assert.equal((await listMissing(kit.storage, read)).length, 1)
        await markMissing(kit.storage, read, ['a'])
        assert.deepEqual(await listMarked(kit), ['a'])
      }),
    )

    test(
      'the count of unmarked records changes with every record that is marked or reappears',
      withStorage(engine, async (kit) => {
        const { school, read } = await readSome(kit, NAMES, ['a'])
        const count = () => kit.storage.missing.countUnmarked(read.read)
        assert.equal(await count(), NAMES.length)
        await markMissing(kit.storage, read, ['b', 'c', '👍'])
        assert.equal(await count(), NAMES.length - 3)
        await write(kit, pushWrite(school, { reference: 'b' }))
        await write(kit, pushWrite(school, { reference: 'new' }))
        assert.equal(await count(), NAMES.length - 1)
      }),
    )

    test(
      'an earlier push is stale for a record that the pull contained, but not for a record marked as missing',
      withStorage(engine, async (kit) => {
        const { school, read } = await readSome(kit, ['a', 'absent'], ['a'])
        await markMissing(kit.storage, read, ['absent'])
        await finishRead(kit.storage, read)
        await finishTestPull(kit.storage, read.read.pull_id)
        const earlier = { occurred_at: '2026-03-10T07:00:00.000000000Z', data: '{"a":2}' }
        const pushes = ['a', 'absent'].map((reference) =>
          pushWrite(school, { reference, ...earlier }),
        )
        assert.deepEqual(outcomesOf(await write(kit, ...pushes)), ['stale', 'updated'])
        assert.deepEqual(await listMarked(kit), [])
      }),
    )

    test(
      'detecting missing records writes nothing when none is marked',
      withStorage(engine, async (kit) => {
        const { read } = await readSome(kit, NAMES, NAMES)
        const tables = ['records', 'record_history', 'activity', 'missing_candidates']
        const readState = async () => ({
          counts: await Promise.all(tables.map((table) => countRows(kit.storage, table))),
          records: await listRecords(kit.storage),
        })
        const before = await readState()
        assert.deepEqual(await listMissing(kit.storage, read), [])
        assert.deepEqual(await markMissing(kit.storage, read, []), { outcome: 'marked', marked: 0 })
        await kit.storage.missing.saveCandidates(read.read, [])
        assert.deepEqual(await readState(), before)
      }),
    )
  })
})

/** Stores records with one complete pull, then starts a pull that contains some of them. */
async function readSome(kit: StorageKit, names: string[], contained: string[]) {
  const school = await registerTestPlatform(kit)
  const elements = (read: TestRead, references: string[]) =>
    references.map((reference) => pullWrite(read, { reference }))
  const store = async (read: TestRead) => void (await write(kit, ...elements(read, names)))
  await pullOnce(kit, school, store, { requested_at: '2026-03-10T06:00:00.000000000Z' })
  const read = await startPullAndRead(kit.storage, school)
  await write(kit, ...elements(read, contained))
  return { school, read }
}

/** Stores record `a` and marks it as missing with a finished pull. */
async function createMissing(kit: StorageKit) {
  const { school, read } = await readSome(kit, ['a'], [])
  await markMissing(kit.storage, read, ['a'])
  await finishTestPull(kit.storage, read.read.pull_id)
  const before = only(await listRecords(kit.storage))
  assert.equal(before.missing_since, READ_AT)
  kit.clock.advance(60)
  return { school, before }
}

async function expectUnmarked({ storage, clock }: StorageKit, before: RecordRow): Promise<void> {
  const record = only(await listRecords(storage))
  assert.deepEqual([record.record_id, record.missing_since], [before.record_id, null])
  assert.ok(record.change_seq > before.change_seq)
  assert.equal(record.updated_at, clock.text)
}

async function listMarked({ storage }: StorageKit): Promise<string[]> {
  const rows = await listRecords(storage)
  return rows.filter((row) => row.missing_since !== null).map((row) => row.reference_number)
}
