import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  listActivity,
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
import { pullOnce, pullWrite } from '../../helpers/storage/pulls.ts'

const T1 = '2026-03-10T07:01:00.000000000Z'
const T2 = '2026-03-10T07:02:00.000000000Z'
const T3 = '2026-03-10T07:03:00.000000000Z'

onEachEngine((engine) => {
  describe(`pushes on ${engine.name}`, () => {
    test(
      'a POST of a new reference creates a record and returns its id and module',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const data = '{"a":"x","b":[1,{"c":null}]}'
        const result = await writeOne(kit, pushWrite(school, { data }))
        assert.equal(result.outcome, 'created')
        assert.equal(result.module_name, 'Module students')
        const record = await readRecord(kit.storage, result.record_id)
        const { change_seq, ...shown } = record
        assert.ok(change_seq > 0)
        assert.deepEqual(shown, {
          record_id: result.record_id,
          platform_name: 'school',
          module_name: 'Module students',
          record_type: 'students',
          reference_number: 'r-1',
          full_name: 'Ann',
          data,
          incomplete: false,
          missing_since: null,
          created_at: kit.clock.text,
          updated_at: kit.clock.text,
        })
      }),
    )

    test(
      'a POST of a known reference replaces the whole record under the same id',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const first = await writeOne(kit, pushWrite(school, { data: '{"a":1,"b":2}' }))
        const before = await readRecord(kit.storage, first.record_id)
        kit.clock.advance(60)
        const second = await writeOne(kit, pushWrite(school, { full_name: 'Bob', data: '{"c":3}' }))
        assert.deepEqual(second, { ...first, outcome: 'updated' })
        const { change_seq, ...record } = await readRecord(kit.storage, first.record_id)
        assert.ok(change_seq > before.change_seq)
        assert.equal(record.full_name, 'Bob')
        assert.equal(record.data, '{"c":3}')
        assert.equal(record.created_at, before.created_at)
        assert.equal(record.updated_at, kit.clock.text)
        only(await listRecords(kit.storage))
      }),
    )

    test(
      'a POST of the stored data is unchanged, in any key order',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const data = '{"a":1,"b":{"x":1,"y":2}}'
        const { record_id } = await writeOne(kit, pushWrite(school, { data }))
        const before = await readRecord(kit.storage, record_id)
        kit.clock.advance(60)
        const again = await writeOne(kit, pushWrite(school, { data }))
        assert.deepEqual([again.outcome, again.record_id], ['unchanged', record_id])
        const reordered = pushWrite(school, { data: '{"b":{"y":2,"x":1},"a":1}' })
        assert.equal((await writeOne(kit, reordered)).outcome, 'unchanged')
        assert.deepEqual(await readRecord(kit.storage, record_id), before)
        assert.deepEqual(await listHistory(kit.storage, record_id), [])
      }),
    )

    test(
      'a PATCH sets the submitted keys and does not change the other keys and the name',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const { record_id } = await writeOne(kit, pushWrite(school, { data: '{"a":1,"b":2}' }))
        const patch = pushWrite(school, { source: 'PATCH', data: '{"b":null,"c":3}' })
        assert.equal((await writeOne(kit, patch)).outcome, 'updated')
        const record = await readRecord(kit.storage, record_id)
        assert.equal(record.data, '{"a":1,"b":null,"c":3}')
        assert.equal(record.full_name, 'Ann')
        assert.equal(record.incomplete, false)
        const named = pushWrite(school, { source: 'PATCH', full_name: 'Bob' })
        assert.equal((await writeOne(kit, named)).outcome, 'updated')
        assert.equal((await readRecord(kit.storage, record_id)).full_name, 'Bob')
      }),
    )

    test(
      'a PATCH of an unknown reference creates an incomplete record, which a POST completes',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const patch = pushWrite(school, { source: 'PATCH', data: '{"a":1}' })
        const { outcome, record_id } = await writeOne(kit, patch)
        assert.equal(outcome, 'created')
        const created = await readRecord(kit.storage, record_id)
        assert.deepEqual([created.full_name, created.incomplete], ['', true])
        await writeOne(kit, pushWrite(school, { source: 'PATCH', data: '{"b":2}' }))
        assert.equal((await readRecord(kit.storage, record_id)).incomplete, true)
        const whole = pushWrite(school, { full_name: '', data: '{"a":1,"b":2}' })
        assert.deepEqual(await writeOne(kit, whole), {
          outcome: 'updated',
          record_id,
          module_name: 'Module students',
        })
        assert.equal((await readRecord(kit.storage, record_id)).incomplete, false)
      }),
    )

    test(
      'the same reference in another module or platform is another record',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const clinic = await registerTestPlatform(kit, { name: 'clinic' })
        const pushes = [
          pushWrite(school, { data: '{"at":1}' }),
          pushWrite(school, { record_type: 'staff', data: '{"at":2}' }),
          pushWrite(clinic, { data: '{"at":3}' }),
        ]
        assert.deepEqual(outcomesOf(await write(kit, ...pushes)), ['created', 'created', 'created'])
        const rows = await listRecords(kit.storage)
        assert.deepEqual(
          rows.map((row) => `${row.platform_name} ${row.record_type} ${row.data}`),
          ['school students {"at":1}', 'school staff {"at":2}', 'clinic students {"at":3}'],
        )
        assert.equal(new Set(rows.map((row) => row.record_id)).size, 3)
      }),
    )

    test(
      'a push that occurred before the stored one is stale and changes nothing',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const newer = pushWrite(school, { data: '{"a":"new"}', occurred_at: T2 })
        const { record_id } = await writeOne(kit, newer)
        const before = await readRecord(kit.storage, record_id)
        const older = pushWrite(school, { data: '{"a":"old"}', occurred_at: T1 })
        const result = await writeOne(kit, older)
        assert.deepEqual([result.outcome, result.record_id], ['stale', record_id])
        assert.deepEqual(await readRecord(kit.storage, record_id), before)
        assert.deepEqual(await listHistory(kit.storage, record_id), [])
      }),
    )

    test(
      'PATCHes with occurred_at produce the same record in any order of arrival',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const patches = [
          { data: '{"a":1,"b":1}', occurred_at: T1 },
          { data: '{"b":2,"c":2}', occurred_at: T2 },
          { data: '{"c":3}', full_name: 'Bob', occurred_at: T3 },
        ]
        const orders = [
          [0, 1, 2],
          [2, 1, 0],
          [1, 2, 0],
          [1, 0, 2],
        ]
        for (const [number, order] of orders.entries()) {
          const reference = `r-${number}`
          for (const index of order) {
            await write(kit, pushWrite(school, { ...patches[index], source: 'PATCH', reference }))
          }
        }
        const expected = '{"a":1,"b":2,"c":3}'
        for (const row of await listRecords(kit.storage)) {
          assert.deepEqual(sortedKeys(row.data), expected, row.reference_number)
          assert.equal(row.full_name, 'Bob', row.reference_number)
        }
      }),
    )

    test(
      'a push that occurred before the request of the last complete pull is stale',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const data = '{"a":1}'
        await pullOnce(kit, school, async (read) => {
          await writeOne(kit, pullWrite(read, { data }))
        })
        // The second pull does not write the unchanged record but confirms it.
        await pullOnce(
          kit,
          school,
          async (read) => {
            assert.equal((await writeOne(kit, pullWrite(read, { data }))).outcome, 'unchanged')
          },
          { requested_at: '2026-03-10T08:10:00.000000000Z' },
        )
        kit.clock.set('2026-03-10T08:12:00.000Z')
        const late = { data: '{"a":2}', occurred_at: '2026-03-10T08:09:00.000000000Z' }
        assert.equal((await writeOne(kit, pushWrite(school, late))).outcome, 'stale')
        const next = { data: '{"a":2}', occurred_at: '2026-03-10T08:11:00.000000000Z' }
        assert.equal((await writeOne(kit, pushWrite(school, next))).outcome, 'updated')
      }),
    )

    test(
      'every accepted push adds an activity entry, listed newest first',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const create = pushWrite(school, { request_id: 'q-1', occurred_at: T2 })
        const { record_id } = await writeOne(kit, create)
        await writeOne(kit, pushWrite(school, { source: 'PATCH', data: '{"a":1}' }))
        await writeOne(kit, pushWrite(school, { source: 'PATCH', data: '{"a":1}' }))
        await writeOne(kit, pushWrite(school, { data: '{"z":1}', occurred_at: T1 }))
        const entries = await listActivity(kit.storage.activity, {
          platform: 'school',
          level: null,
          limit: 4,
          before: null,
        })
        assert.deepEqual(
          entries.map((entry) => entry.kind),
          ['push.stale', 'push.unchanged', 'push.updated', 'push.created'],
        )
        for (const entry of entries) assert.equal(entry.record_id, record_id)
        const { id: _, message, ...created } = only(entries.slice(-1))
        assert.match(message, /r-1/)
        assert.deepEqual(created, {
          at: kit.clock.text,
          level: 'info',
          kind: 'push.created',
          platform_name: 'school',
          record_id,
          actor: null,
          details: { method: 'POST', reference_number: 'r-1', request_id: 'q-1' },
        })
      }),
    )
  })
})

function sortedKeys(text: string): string {
  const parsed: Record<string, unknown> = JSON.parse(text)
  return JSON.stringify(Object.fromEntries(Object.entries(parsed).sort()))
}
