import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, pushWrite } from '../../helpers/storage/fixtures.ts'
import { createTwoPlatforms } from '../../helpers/storage/removals.ts'

const log = (changed: number) => changeLog(`repaired.${changed}`)

test('wrong counters are counted again, deleted without a module, and logged once', async (kit) => {
  await createTwoPlatforms(kit)
  const { repairs } = kit.storage
  await kit.runSql('UPDATE module_counters SET records = records - 9 WHERE records > 200')
  await kit.runSql(
    `INSERT INTO module_counters VALUES (999, 999, 'x', 5, 0, 0, 0, 0), (999, 998, 'x', 5, 0, 0, 0, 0)`,
  )
  await kit.runSql('UPDATE platforms SET rejected_bytes = 12345')
  const { recounted, deleted } = await repairs.recountRecords(log)
  assert.deepEqual(recounted, [
    { counter: 'records', name: 'school/students', stored: 241, counted: 250 },
  ])
  assert.equal(deleted, 2)
  assert.equal((await repairs.recountRejectedBytes(log)).length, 2)
  await kit.diagnose(async (database) => {
    assert.deepEqual(await database.compareCounters(), [])
    assert.deepEqual(await database.findInvalidCounters(), [])
  })
  const entries = async (kind: string) => (await kit.activity({ kind, limit: 9 })).length
  assert.deepEqual([await entries('repaired.3'), await entries('repaired.2')], [1, 1])
  const audited = await kit.countRows('audit')
  assert.deepEqual(await repairs.recountRecords(log), { recounted: [], deleted: 0 })
  assert.deepEqual(await repairs.recountRejectedBytes(log), [])
  assert.equal(await kit.countRows('audit'), audited)
})

test('counters are correct if they are counted while records are written and counted twice at once', async (kit) => {
  const school = await kit.register()
  const batch = (round: number) =>
    Array.from({ length: 20 }, (_, n) => pushWrite(school, { reference: `${round} ${n}` }))
  await kit.write(...batch(0))
  const work: Promise<unknown>[] = []
  for (let round = 1; round <= 20; round++) {
    if (round % 5 === 1) {
      work.push(kit.runSql('UPDATE module_counters SET records = records + 1'))
    }
    work.push(kit.write(...batch(round)))
    work.push(kit.storage.repairs.recountRecords(log))
    work.push(kit.storage.repairs.recountRecords(log))
  }
  await Promise.all(work)
  await kit.storage.repairs.recountRecords(log)
  const any = { platform: null, record_type: null }
  assert.equal(await kit.storage.records.countRecords(any), 420)
  assert.deepEqual(await kit.diagnose((database) => database.compareCounters()), [])
})

test('only leases outside of the given times are deleted', async ({ storage, clock }) => {
  const { leases, repairs } = storage
  await leases.acquire('old', 'a', 1)
  clock.advance(100_000)
  await leases.acquire('current', 'a', 60)
  await leases.acquire('far', 'a', 10_000_000)
  const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString()
  const range = { before: at(-3600), after: at(3600) }
  assert.deepEqual(await repairs.deleteLeases(range, log), ['far', 'old'])
  assert.deepEqual(await repairs.deleteLeases(range, log), [])
  assert.equal(await leases.acquire('current', 'b', 60), false)
  assert.equal(await leases.acquire('far', 'b', 60), true)
})
