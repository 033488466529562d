import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diagnose } from '../../helpers/storage/diagnostics.ts'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  listActivity,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { createTwoPlatforms } from '../../helpers/storage/removals.ts'
import { countRows, runSql } from '../../helpers/storage/sql.ts'

const log = (changed: number) => changeLog(`repaired.${changed}`)

onEachEngine((engine) => {
  describe(`repairs on ${engine.name}`, () => {
    test(
      'wrong counters are counted again, deleted without a module, and logged once',
      withStorage(engine, async (kit) => {
        await createTwoPlatforms(kit)
        const { repairs } = kit.storage
        await runSql(
          kit.storage,
          'UPDATE module_counters SET records = records - 9 WHERE records > 600',
        )
        await runSql(
          kit.storage,
          `INSERT INTO module_counters VALUES (999, 999, 'x', 5, NULL, 0), (999, 998, 'x', 5, NULL, 0)`,
        )
        await runSql(kit.storage, 'UPDATE platforms SET rejected_bytes = 12345')
        const { recounted, deleted } = await repairs.recountRecords(log)
        assert.deepEqual(recounted, [
          { counter: 'records', name: 'school/students', stored: 691, counted: 700 },
        ])
        assert.equal(deleted, 2)
        assert.equal((await repairs.recountRejectedBytes(log)).length, 2)
        await diagnose(kit, async (database) => {
          assert.deepEqual(await database.compareCounters(), [])
          assert.deepEqual(await database.findInvalidCounters(), [])
        })
        const entries = async (kind: string) =>
          (await listActivity(kit.storage.activity, { kind, limit: 9, before: null })).length
        assert.deepEqual([await entries('repaired.3'), await entries('repaired.2')], [1, 1])
        const audited = await countRows(kit.storage, 'audit')
        assert.deepEqual(await repairs.recountRecords(log), { recounted: [], deleted: 0 })
        assert.deepEqual(await repairs.recountRejectedBytes(log), [])
        assert.equal(await countRows(kit.storage, 'audit'), audited)
      }),
    )

    test(
      'counters are correct if they are counted while records are written and counted twice at once',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const batch = (round: number) =>
          Array.from({ length: 20 }, (_, n) => pushWrite(school, { reference: `${round} ${n}` }))
        await write(kit, ...batch(0))
        const work: Promise<unknown>[] = []
        for (let round = 1; round <= 20; round++) {
          if (round % 5 === 1) {
            work.push(runSql(kit.storage, 'UPDATE module_counters SET records = records + 1'))
          }
          work.push(write(kit, ...batch(round)))
          work.push(kit.storage.repairs.recountRecords(log))
          work.push(kit.storage.repairs.recountRecords(log))
        }
        await Promise.all(work)
        await kit.storage.repairs.recountRecords(log)
        const any = { platform: null, record_type: null }
        assert.equal(await kit.storage.records.countRecords(any), 420)
        assert.deepEqual(await diagnose(kit, (database) => database.compareCounters()), [])
      }),
    )

    test(
      'only leases outside of the given times are deleted',
      withStorage(engine, async ({ storage, clock }) => {
        const { leases, repairs } = storage
        await leases.acquire('old', 'a', 1)
        clock.advance(100_000)
        await leases.acquire('current', 'a', 60)
        await leases.acquire('far', 'a', 10_000_000)
        const at = (seconds: number) =>
          new Date(clock.now().getTime() + seconds * 1000).toISOString()
        const range = { before: at(-3600), after: at(3600) }
        assert.deepEqual(await repairs.deleteLeases(range, log), ['far', 'old'])
        assert.deepEqual(await repairs.deleteLeases(range, log), [])
        assert.equal(await leases.acquire('current', 'b', 60), false)
        assert.equal(await leases.acquire('far', 'b', 60), true)
      }),
    )
  })
})
