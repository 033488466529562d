import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { MAX_RECORD_KEYS, pushWrite } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'

test('records are counted by platform and by module', async (kit) => {
  const { records } = kit.storage
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic', modules: ['staff'] })
  const staff = { record_type: 'staff' }
  await kit.write(
    pushWrite(school),
    pushWrite(school, { reference: 'r-2', source: 'PATCH' }),
    pushWrite(school, { ...staff }),
    pushWrite(clinic, { ...staff }),
    pushWrite(clinic, { ...staff, full_name: 'Bob' }),
  )
  const count = (platform: string | null, record_type: string | null) =>
    records.countRecords({ platform, record_type })
  assert.equal(await count(null, null), 4)
  assert.equal(await count('school', null), 3)
  assert.equal(await count('school', 'students'), 2)
  assert.equal(await count(null, 'staff'), 2)
  assert.equal(await count('clinic', 'staff'), 1)
  assert.equal(await count('clinic', 'students'), 0)
  assert.equal(await count('nowhere', null), 0)
  assert.equal(await count(null, 'nothing'), 0)
  const platforms = await kit.storage.platforms.listPlatforms()
  assert.deepEqual(
    platforms.map((platform) => [platform.platform_name, platform.records]),
    [
      ['school', 3],
      ['clinic', 1],
    ],
  )
})

test('every push except a rejected one counts as received', async (kit) => {
  const school = await kit.register()
  const occurred_at = '2026-03-10T07:00:00.000000000Z'
  const older = '2026-03-10T06:00:00.000000000Z'
  await kit.write(
    pushWrite(school, { occurred_at }),
    pushWrite(school, { occurred_at }),
    pushWrite(school, { occurred_at: older, data: '{"a":1}' }),
    pushWrite(school, { source: 'PATCH', data: '{"a":1}' }),
    pushWrite(school, { record_type: 'nothing' }),
  )
  assert.deepEqual(await todayOf(kit), { received: 4, created: 1, updated: 1, rejected: 0 })
})

test('only new and changed records of a pull count as received', async (kit) => {
  const school = await kit.register()
  await school.pull(async (read) => {
    await kit.write(
      pullWrite(read, { reference: 'changed' }),
      pullWrite(read, { reference: 'same' }),
    )
  })
  assert.deepEqual(await todayOf(kit), { received: 2, created: 2, updated: 0, rejected: 0 })
  const read = await school.startRead()
  await school.post({ reference: 'pushed' })
  await kit.write(
    pullWrite(read, { reference: 'changed', data: '{"a":1}' }),
    pullWrite(read, { reference: 'same' }),
    pullWrite(read, { reference: 'pushed', data: '{"a":1}' }),
    pullWrite(read, { reference: 'same' }),
  )
  assert.deepEqual(await todayOf(kit), { received: 4, created: 3, updated: 1, rejected: 0 })
})

test('each day has its own counters, and the record count covers all days', async (kit) => {
  const school = await kit.register()
  const days = ['2026-03-10', '2026-03-11', '2026-03-13']
  for (const [index, day] of days.entries()) {
    for (const time of ['00:00:00.000', '12:30:00.000', '23:59:59.999']) {
      kit.clock.set(`${day}T${time}Z`)
      for (let number = 0; number <= index; number += 1) {
        await school.post({ reference: `${day} ${time} ${number}` })
      }
    }
  }
  for (const [index, day] of days.entries()) {
    const expected = 3 * (index + 1)
    const { stats } = await kit.storage.snapshot.readSnapshot(day)
    assert.deepEqual([stats.created_today, stats.received_today], [expected, expected], day)
    assert.equal(stats.records, 18)
  }
  const empty = await kit.storage.snapshot.readSnapshot('2026-03-12')
  assert.deepEqual([empty.stats.created_today, empty.stats.received_today], [0, 0])
})

test('the caller determines the day, so one UTC hour can belong to two days', async (kit) => {
  const school = await kit.register()
  const { records, snapshot } = kit.storage
  const current = { day: '2026-03-10', maxRecordKeys: MAX_RECORD_KEYS, writes: [pushWrite(school)] }
  await records.applyWrites({ at: '2026-03-10T18:29:59.000Z', ...current })
  const next = { ...current, day: '2026-03-11', writes: [pushWrite(school, { full_name: 'Bob' })] }
  await records.applyWrites({ at: '2026-03-10T18:30:00.000Z', ...next })
  const first = (await snapshot.readSnapshot('2026-03-10')).stats
  assert.deepEqual([first.received_today, first.created_today, first.updated_today], [1, 1, 0])
  const second = (await snapshot.readSnapshot('2026-03-11')).stats
  assert.deepEqual([second.received_today, second.created_today, second.updated_today], [1, 0, 1])
})

test('counters are exact after many concurrent batches', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  await Promise.all(
    Array.from({ length: 60 }, (_, index) => {
      const reference = `r-${index % 20}`
      const data = `{"a":${index}}`
      return kit.write(
        pushWrite(school, { reference, data }),
        pushWrite(clinic, { reference, data }),
      )
    }),
  )
  assert.deepEqual(await todayOf(kit), {
    received: 120,
    created: 40,
    updated: 80,
    rejected: 0,
  })
  const { countRecords } = kit.storage.records
  assert.equal(await countRecords({ platform: 'school', record_type: 'students' }), 20)
})

async function todayOf({ storage, clock }: StorageKit) {
  const { stats } = await storage.snapshot.readSnapshot(clock.day)
  return {
    received: stats.received_today,
    created: stats.created_today,
    updated: stats.updated_today,
    rejected: stats.rejected_today,
  }
}
