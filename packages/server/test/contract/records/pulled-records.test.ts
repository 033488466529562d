import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StorageKit, withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  listHistory,
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  readRecord,
  registerTestPlatform,
  write,
  writeOne,
} from '../../helpers/storage/fixtures.ts'
import {
  finishRead,
  pullOnce,
  pullWrite,
  startPullAndRead,
  startRead,
  startTestPull,
} from '../../helpers/storage/pulls.ts'

onEachEngine((engine) => {
  describe(`pulled records on ${engine.name}`, () => {
    test(
      'pulls create or update a record or leave it unchanged, and its id stays the same',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const ids: number[] = []
        for (const [data, outcome] of [
          ['{"a":1}', 'created'],
          ['{"a":1}', 'unchanged'],
          ['{"a":2}', 'updated'],
        ] as const) {
          await pullOnce(kit, school, async (read) => {
            const result = await writeOne(kit, pullWrite(read, { data }))
            assert.equal(result.outcome, outcome)
            assert.equal(result.module_name, 'Module students')
            ids.push(result.record_id)
          })
        }
        assert.equal(new Set(ids).size, 1)
        assert.equal(only(await listRecords(kit.storage)).data, '{"a":2}')
      }),
    )

    test(
      'a pull sets keys, removes absent manifest keys, leaves other keys unchanged and completes the record',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const patch = pushWrite(school, { source: 'PATCH', data: '{"a":1,"b":2,"other":3}' })
        const { record_id } = await writeOne(kit, patch)
        await pullOnce(kit, school, async (read) => {
          const data = '{"a":9}'
          const result = await writeOne(kit, pullWrite(read, { full_name: 'Bob', data }))
          assert.equal(result.outcome, 'updated')
        })
        const record = await readRecord(kit.storage, record_id)
        assert.deepEqual(JSON.parse(record.data), { a: 9, other: 3 })
        assert.deepEqual([record.full_name, record.incomplete], ['Bob', false])
      }),
    )

    test(
      'a pull does not overwrite a record pushed after it started, but the next pull does',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const { record_id } = await writeOne(kit, pushWrite(school, { data: '{"a":"first"}' }))
        await pullOnce(kit, school, async (read) => {
          await writeOne(kit, pushWrite(school, { data: '{"a":"pushed"}' }))
          const pulled = pullWrite(read, { data: '{"a":"read"}' })
          assert.equal((await writeOne(kit, pulled)).outcome, 'stale')
          const created = pushWrite(school, { reference: 'r-2', data: '{"a":"pushed"}' })
          await writeOne(kit, created)
          const late = pullWrite(read, { reference: 'r-2', data: '{"a":"read"}' })
          assert.equal((await writeOne(kit, late)).outcome, 'stale')
        })
        assert.equal((await readRecord(kit.storage, record_id)).data, '{"a":"pushed"}')
        await pullOnce(kit, school, async (read) => {
          const pulled = pullWrite(read, { data: '{"a":"read"}' })
          assert.equal((await writeOne(kit, pulled)).outcome, 'updated')
        })
        assert.equal((await readRecord(kit.storage, record_id)).data, '{"a":"read"}')
      }),
    )

    test(
      'an unchanged push protects its record from a pull that started before it',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const { record_id } = await writeOne(kit, pushWrite(school, { data: '{"a":1}' }))
        const read = await startPullAndRead(kit.storage, school)
        const same = pushWrite(school, { data: '{"a":1}' })
        assert.equal((await writeOne(kit, same)).outcome, 'unchanged')
        const pulled = pullWrite(read, { data: '{"a":2}' })
        assert.equal((await writeOne(kit, pulled)).outcome, 'stale')
        assert.equal((await readRecord(kit.storage, record_id)).data, '{"a":1}')
      }),
    )

    test(
      'an unchanged push before the pull started does not protect its record',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school, { data: '{"a":1}' }))
        await write(kit, pushWrite(school, { data: '{"a":1}' }))
        const read = await startPullAndRead(kit.storage, school)
        const pulled = pullWrite(read, { data: '{"a":2}' })
        assert.equal((await writeOne(kit, pulled)).outcome, 'updated')
      }),
    )

    test(
      'a pull overwrites an earlier push even if its own data has not changed since the last pull',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = async (expected: string) =>
          pullOnce(kit, school, async (one) => {
            const result = await writeOne(kit, pullWrite(one, { data: '{"a":"read"}' }))
            assert.equal(result.outcome, expected)
          })
        await read('created')
        await writeOne(kit, pushWrite(school, { data: '{"a":"pushed"}' }))
        await read('updated')
        await read('unchanged')
        assert.equal(only(await listRecords(kit.storage)).data, '{"a":"read"}')
      }),
    )

    test(
      'an earlier push is not stale for a record that the pull did not contain',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school, { reference: 'unlisted', data: '{"a":1}' }))
        const read = await startPullAndRead(kit.storage, school, {
          requested_at: '2026-03-10T08:00:00.000000000Z',
        })
        await write(kit, pullWrite(read, { reference: 'listed' }))
        await finishRead(kit.storage, read)
        const earlier = { occurred_at: '2026-03-10T07:00:00.000000000Z', data: '{"a":2}' }
        const pushes = ['unlisted', 'listed'].map((reference) =>
          pushWrite(school, { reference, ...earlier }),
        )
        assert.deepEqual(outcomesOf(await write(kit, ...pushes)), ['updated', 'stale'])
      }),
    )

    test(
      'an earlier push is stale for a record that a complete pull contained, even if unchanged',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school, { data: '{"a":1}' }))
        const read = await startPullAndRead(kit.storage, school, {
          requested_at: '2026-03-10T08:00:00.000000000Z',
        })
        assert.deepEqual(outcomesOf(await write(kit, pullWrite(read, { data: '{"a":1}' }))), [
          'unchanged',
        ])
        await finishRead(kit.storage, read)
        const earlier = { occurred_at: '2026-03-10T07:00:00.000000000Z', data: '{"a":2}' }
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school, earlier))), ['stale'])
      }),
    )

    test(
      'a pull without changes changes no record, history, snapshot or platform',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const references = Array.from({ length: 20 }, (_, index) => `r-${index}`)
        await pullOnce(kit, school, async (read) => {
          await write(kit, ...references.map((reference) => pullWrite(read, { reference })))
        })
        const read = await startPullAndRead(kit.storage, school)
        const before = await readState(kit)
        kit.clock.advance(60)
        const writes = references.map((reference) => pullWrite(read, { reference }))
        const outcomes = outcomesOf(await write(kit, ...writes))
        assert.deepEqual(new Set(outcomes), new Set(['unchanged']))
        assert.deepEqual(await readState(kit), before)
      }),
    )

    test(
      'a record with reordered or reformatted JSON is unchanged',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        for (const data of ['{"a":1,"b":2}', '{"b":2,"a":1}', '{"b":2, "a":1}']) {
          await pullOnce(kit, school, async (read) => {
            await write(kit, pullWrite(read, { data }))
          })
        }
        const record = only(await listRecords(kit.storage))
        assert.equal(record.data, '{"a":1,"b":2}')
        assert.deepEqual(await listHistory(kit.storage, record.record_id), [])
      }),
    )

    test(
      'a duplicate reference in one batch of a pull is rejected, and the first record is stored',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(kit.storage, school)
        const outcomes = await write(
          kit,
          pullWrite(read, { data: '{"a":"first"}' }),
          pullWrite(read, { reference: 'R-1' }),
          pullWrite(read, { data: '{"a":"second"}' }),
          pullWrite(read, { data: '{"a":"first"}' }),
        )
        assert.deepEqual(outcomesOf(outcomes), [
          'created',
          'created',
          'duplicate_reference',
          'duplicate_reference',
        ])
        const [created] = outcomes
        assert.ok(created?.outcome === 'created')
        for (const duplicate of outcomes.slice(2)) {
          assert.ok('record_id' in duplicate)
          assert.equal(duplicate.record_id, created.record_id)
        }
        const [first] = await listRecords(kit.storage, { reference_number: 'r-1' })
        assert.equal(first?.data, '{"a":"first"}')
        assert.equal(read.read.seen.size, 2)
      }),
    )

    test(
      'a duplicate of a reference from an earlier batch is rejected, regardless of the first outcome',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await pullOnce(kit, school, async (read) => {
          await write(kit, pullWrite(read, { reference: 'same' }))
        })
        const read = await startPullAndRead(kit.storage, school)
        await write(kit, pushWrite(school, { reference: 'pushed' }))
        const references = ['new', 'same', 'pushed']
        const elements = (data: string) =>
          references.map((reference) => pullWrite(read, { reference, data }))
        const first = outcomesOf(await write(kit, ...elements('{}')))
        assert.deepEqual(first, ['created', 'unchanged', 'stale'])
        for (const data of ['{}', '{"a":"other"}']) {
          const again = outcomesOf(await write(kit, ...elements(data)))
          assert.deepEqual(new Set(again), new Set(['duplicate_reference']))
        }
        for (const row of await listRecords(kit.storage)) assert.equal(row.data, '{}')
      }),
    )

    test(
      'pulling the same response again, with its duplicates, changes nothing',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const response = ['{"a":1}', '{"a":2}']
        for (const expected of ['created', 'unchanged', 'unchanged']) {
          await pullOnce(kit, school, async (read) => {
            const outcomes = await write(kit, ...response.map((data) => pullWrite(read, { data })))
            assert.deepEqual(outcomesOf(outcomes), [expected, 'duplicate_reference'])
          })
        }
      }),
    )

    test(
      'equal references of different modules in one batch are not duplicates',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const pull = await startTestPull(kit.storage)
        const students = await startRead(kit.storage, pull, school)
        const staff = await startRead(kit.storage, pull, school, { record_type: 'staff' })
        const outcomes = await write(kit, pullWrite(students), pullWrite(staff))
        assert.deepEqual(outcomesOf(outcomes), ['created', 'created'])
        assert.deepEqual([students.read.seen.size, staff.read.seen.size], [1, 1])
      }),
    )
  })
})

async function readState({ storage, clock }: StorageKit): Promise<unknown> {
  const records = await listRecords(storage)
  const histories = records.map((record) => listHistory(storage, record.record_id))
  // The running pull changes with the clock.
  const { pull: _, ...snapshot } = await storage.snapshot.readSnapshot(clock.day)
  return {
    records,
    history: await Promise.all(histories),
    snapshot,
    platforms: await storage.platforms.listPlatforms(),
  }
}
