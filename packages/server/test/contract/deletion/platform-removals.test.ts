import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  ANY_REJECTED,
  changeLog,
  listActivity,
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import {
  finishRead,
  finishTestPull,
  pullWrite,
  startPullAndRead,
} from '../../helpers/storage/pulls.ts'
import {
  countPlatformRows,
  createTwoPlatforms,
  expectMatchingCounters,
  PLATFORM_TABLES,
  removePlatform,
  runRemovals,
} from '../../helpers/storage/removals.ts'
import { rejection, saveRejected } from '../../helpers/storage/replays.ts'
import { countIndexedTexts, indexAll, setIndexedFields } from '../../helpers/storage/search.ts'
import { countRows, runSql } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`removing platforms on ${engine.name}`, () => {
    test(
      'a removed platform is hidden immediately, its keys become invalid, and its name can be used again',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school, clinic } = await createTwoPlatforms(kit)
        assert.deepEqual(await storage.removals.previewPlatform(school.platform_id), {
          platform_name: 'school',
          modules: 2,
          records: 1200,
          rejected_pushes: 1,
          hub_api_keys: 1,
        })
        const removal = await removePlatform(kit, school)
        assert.deepEqual(
          { ...removal, id: 0 },
          {
            id: 0,
            platform_name: 'school',
            platform_title: 'Title school',
            record_type: null,
            module_name: null,
            records: 1200,
            removed: 0,
            requested_by: 'ann',
            requested_at: kit.clock.text,
            finished_at: null,
          },
        )
        const names = (await storage.platforms.listPlatforms()).map((one) => one.platform_name)
        assert.deepEqual(names, ['clinic'])
        assert.equal(await storage.platforms.readPlatform(school.platform_id), null)
        assert.equal(await storage.platforms.readSource(school.platform_id), null)
        const { searchIndex } = storage
        assert.equal(await searchIndex.listIndexedFields(school.platform_id, 'students'), null)
        assert.equal(await setIndexedFields(storage, school, ['a']), null)
        assert.equal(
          await storage.platforms.findPlatformByKey(school.key_hash, kit.clock.text),
          null,
        )
        assert.equal(await storage.removals.previewPlatform(school.platform_id), null)
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['api_key_invalid'])
        const { stats, platforms, records } = await storage.snapshot.readSnapshot(kit.clock.day)
        assert.deepEqual([stats.platforms, stats.modules, stats.records], [1, 1, 1])
        assert.deepEqual(
          platforms.map((one) => one.platform_name),
          ['clinic'],
        )
        assert.ok(records.every((record) => record.platform_name === 'clinic'))
        const ciphertexts = JSON.stringify(await runSql(storage, 'SELECT ciphertext FROM secrets'))
        assert.doesNotMatch(ciphertexts, /of school/)
        assert.match(ciphertexts, /of clinic/)
        const again = await registerTestPlatform(kit)
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(again))), ['created'])
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(clinic))), ['unchanged'])
      }),
    )

    test(
      'the deletion steps delete only that platform, record the deletions and update the counters exactly',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school, clinic } = await createTwoPlatforms(kit)
        const remaining = await listRecords(storage, { platform: 'clinic' })
        const [newest] = await runSql(storage, 'SELECT max(change_seq) AS n FROM records')
        await setIndexedFields(storage, school, ['a'])
        await indexAll(storage)
        assert.equal(await countRows(storage, 'record_index'), 700)
        await removePlatform(kit, school)
        let steps = 0
        let rows = await countPlatformRows(kit)
        while (await storage.removals.runNextStep()) {
          steps += 1
          const now = await countPlatformRows(kit)
          for (const [table, count] of Object.entries(rows)) {
            assert.ok(count - Number(now[table]) <= 500, `${table} lost more than 500 rows at once`)
          }
          rows = now
        }
        assert.ok(steps > 3)
        const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
        assert.deepEqual([removal.removed, removal.finished_at], [1200, kit.clock.text])
        for (const table of PLATFORM_TABLES) {
          const found = await runSql(
            storage,
            `SELECT 1 FROM ${table} WHERE platform_id = ${school.platform_id}`,
          )
          assert.deepEqual(found, [], table)
        }
        assert.equal(await countRows(storage, 'secrets'), 2)
        assert.equal(await countIndexedTexts(storage), remaining.length)
        assert.deepEqual(await listRecords(storage), remaining)
        const deletions = await runSql(storage, 'SELECT * FROM record_deletions')
        assert.equal(deletions.length, 1200)
        assert.equal(new Set(deletions.map((row) => row['record_id'])).size, 1200)
        for (const { change_seq, platform_name, platform_id } of deletions) {
          assert.ok(Number(change_seq) > Number(newest?.['n']))
          assert.deepEqual([platform_name, Number(platform_id)], ['school', school.platform_id])
        }
        await expectMatchingCounters(kit)
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(clinic))), ['unchanged'])
        const entries = await listActivity(storage.activity, {
          ...ALL_ACTIVITY,
          platform: 'school',
        })
        assert.equal(entries[0]?.kind, 'platform.deleted')
        assert.ok(
          entries.some((entry) => entry.kind === 'push.created'),
          'the activity remains',
        )
      }),
    )

    test(
      'the deletion continues after the storage is reopened',
      withStorage(engine, async (kit) => {
        const { school } = await createTwoPlatforms(kit)
        await removePlatform(kit, school)
        await kit.storage.removals.runNextStep()
        const storage = await kit.reopen()
        const [halfway] = await storage.removals.listRemovals({ limit: 5, before: null })
        assert.equal(halfway?.finished_at, null)
        await runRemovals(storage)
        const reopened = { ...kit, storage }
        assert.equal((await listRecords(storage)).length, 1)
        await expectMatchingCounters(reopened)
      }),
    )

    test(
      'removing a platform cancels its running tasks, and later records are rejected',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const read = await startPullAndRead(storage, school)
        await write(kit, pullWrite(read))
        await removePlatform(kit, school)
        const late = pullWrite(read, { reference: 'r-2' })
        assert.deepEqual(outcomesOf(await write(kit, late)), ['module_not_registered'])
        const { pull_id } = read.read
        const query = { pull_id, limit: 10, after: null }
        const tasks = await storage.pulls.listTasks(query)
        assert.deepEqual(new Set(tasks.map((task) => task.state)), new Set(['cancelled']))
        assert.match(tasks[0]?.error ?? '', /removed/)
        assert.equal(await storage.pulls.startTask(pull_id, 2), null)
        await finishRead(storage, read)
        await runRemovals(storage)
        await finishRead(storage, read)
        assert.equal(await finishTestPull(storage, pull_id, 'failed'), true)
        assert.equal((await storage.pulls.listTasks(query)).length, 2)
        assert.deepEqual(await listRecords(storage), [])
        await expectMatchingCounters(kit)
      }),
    )

    test(
      'a wrong name, a wrong id or a repeated request removes nothing',
      withStorage(engine, async (kit) => {
        const { storage, clock } = kit
        const school = await registerTestPlatform(kit)
        const request = { ...school, requested_by: 'ann', at: clock.text }
        for (const over of [{ platform_name: 'School' }, { platform_id: 999 }]) {
          const rejected = await storage.platforms.removePlatform(
            { ...request, ...over },
            changeLog(),
          )
          assert.equal(rejected, null)
        }
        only(await storage.platforms.listPlatforms())
        const concurrent = [1, 2, 3].map(() =>
          storage.platforms.removePlatform(request, changeLog()),
        )
        assert.equal((await Promise.all(concurrent)).filter((one) => one !== null).length, 1)
        only(await storage.removals.listRemovals({ limit: 5, before: null }))
      }),
    )

    test(
      'pushes rejected during the deletion are not saved and do not block it',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school } = await createTwoPlatforms(kit)
        await removePlatform(kit, school)
        await saveRejected(kit, [rejection(school)])
        await runRemovals(storage)
        await saveRejected(kit, [rejection(school)])
        const query = { ...ANY_REJECTED, limit: 10, before: null }
        const { rejected_pushes } = await storage.rejectedPushes.listRejectedPushes(query)
        assert.deepEqual(rejected_pushes, [])
        const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
        assert.notEqual(removal.finished_at, null)
      }),
    )

    test(
      'concurrent deletion steps and pushes give the same result as sequential ones',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school, clinic } = await createTwoPlatforms(kit)
        await removePlatform(kit, school)
        let pushed = 0
        const pushRecords = async () => {
          for (; pushed < 50; pushed += 1) {
            const reference = `c-${pushed}`
            assert.deepEqual(outcomesOf(await write(kit, pushWrite(clinic, { reference }))), [
              'created',
            ])
          }
        }
        await Promise.all([runRemovals(storage), runRemovals(storage), pushRecords()])
        const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
        assert.equal(removal.removed, 1200)
        assert.equal(await countRows(storage, 'record_deletions'), 1200)
        assert.equal((await listRecords(storage)).length, 51)
        await expectMatchingCounters(kit)
      }),
    )
  })
})

const ALL_ACTIVITY = { platform: null, level: null, limit: 5000, before: null }
