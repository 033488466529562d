import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  listRecords,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { pullWrite, startPullAndRead } from '../../helpers/storage/pulls.ts'
import {
  createTwoPlatforms,
  expectMatchingCounters,
  registerModules,
  removePlatform,
  runRemovals,
} from '../../helpers/storage/removals.ts'

onEachEngine((engine) => {
  describe(`deleting the records of a module on ${engine.name}`, () => {
    test(
      'only records of an unregistered module are deleted, and the module can be registered again',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school } = await createTwoPlatforms(kit)
        const module = { platform_id: school.platform_id, record_type: 'students' }
        const request = { ...module, requested_by: 'ann' }
        const preview = { platform_name: 'school', record_type: 'students', records: 700 }
        assert.deepEqual(await storage.removals.previewModule(module), {
          ...preview,
          registered: true,
        })
        const rejected = await storage.removals.removeModuleRecords(request, changeLog())
        assert.equal(rejected, 'registered')
        await registerModules(kit, school, ['staff'])
        assert.deepEqual(await storage.removals.previewModule(module), {
          ...preview,
          registered: false,
        })
        const removal = await storage.removals.removeModuleRecords(request, changeLog())
        assert.deepEqual(await storage.removals.removeModuleRecords(request, changeLog()), removal)
        const blocked = await registerModules(kit, school, ['staff', 'students'])
        assert.deepEqual(blocked, { outcome: 'removing', record_type: 'students' })
        assert.equal((await registerModules(kit, school, []))?.outcome, 'changed')
        assert.equal((await registerModules(kit, school, ['staff']))?.outcome, 'changed')
        await runRemovals(storage)
        const platform = await storage.platforms.readPlatform(school.platform_id)
        assert.equal(platform?.records, 500)
        assert.deepEqual(
          await listRecords(storage, { record_type: 'students', platform: 'school' }),
          [],
        )
        assert.equal((await listRecords(storage, { record_type: 'staff' })).length, 500)
        await expectMatchingCounters(kit)
        assert.equal(
          (await registerModules(kit, school, ['staff', 'students']))?.outcome,
          'changed',
        )
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['created'])
        await expectMatchingCounters(kit)
      }),
    )

    test(
      'unknown modules and platforms return null, and an empty module is removed',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit, { offered: ['staff'] })
        const { platform_id } = school
        const requested_by = 'ann'
        for (const module of [
          { platform_id, record_type: 'unknown' },
          { platform_id: 999, record_type: 'students' },
        ]) {
          assert.equal(await storage.removals.previewModule(module), null)
          const rejected = storage.removals.removeModuleRecords(
            { ...module, requested_by },
            changeLog(),
          )
          assert.equal(await rejected, null)
        }
        const empty = { platform_id, record_type: 'staff', requested_by }
        const removal = await storage.removals.removeModuleRecords(empty, changeLog())
        assert.ok(removal && removal !== 'registered')
        assert.equal(removal.records, 0)
        await runRemovals(storage)
        assert.equal(await storage.removals.runNextStep(), false)
      }),
    )

    test(
      'removing the platform during the deletion finishes the deletion too',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school } = await createTwoPlatforms(kit)
        await registerModules(kit, school, ['staff'])
        const request = {
          platform_id: school.platform_id,
          record_type: 'students',
          requested_by: 'ann',
        }
        await storage.removals.removeModuleRecords(request, changeLog())
        await storage.removals.runNextStep()
        await removePlatform(kit, school)
        await runRemovals(storage)
        assert.equal((await listRecords(storage)).length, 1)
        await expectMatchingCounters(kit)
        const removals = await storage.removals.listRemovals({ limit: 5, before: null })
        assert.ok(removals.every((removal) => removal.finished_at !== null))
      }),
    )

    test(
      'anonymised records are deleted too, and the next pull after registration has exact counts',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
        const [first] = await listRecords(storage)
        assert.ok(first)
        const erasure = { record_id: first.record_id, mode: 'anonymise', actor: 'ann' } as const
        await storage.erasure.eraseRecord(erasure, changeLog())
        await registerModules(kit, school, [])
        const request = { ...school, record_type: 'students', requested_by: 'ann' }
        await storage.removals.removeModuleRecords(request, changeLog())
        await runRemovals(storage)
        await registerModules(kit, school, ['students'])
        const read = await startPullAndRead(storage, school)
        const both = ['r-1', 'r-2'].map((reference) => pullWrite(read, { reference }))
        assert.deepEqual(outcomesOf(await write(kit, ...both)), ['record_erased', 'created'])
        assert.equal(await storage.missing.countUnmarked(read.read), read.read.seen.size)
      }),
    )
  })
})
