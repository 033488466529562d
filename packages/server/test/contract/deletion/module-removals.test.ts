import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, pushWrite } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import {
  createTwoPlatforms,
  expectMatchingCounters,
  expectVisible,
  idsOf,
  registerModules,
  removePlatform,
  runRemovals,
} from '../../helpers/storage/removals.ts'

test('only records of an unregistered module are deleted, and the module can be registered again', async (kit) => {
  const { storage } = kit
  const { school } = await createTwoPlatforms(kit)
  const module = { platform_id: school.platform_id, record_type: 'students' }
  const request = { ...module, requested_by: 'ann' }
  const preview = { platform_name: 'school', record_type: 'students', records: 250 }
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
  const hidden = await idsOf(kit, { platform: 'school', record_type: 'students' })
  const all = await idsOf(kit, {})
  const countPushes = async () =>
    (await storage.metricFigures.readFigures()).platforms.map(({ platform_name, pushes }) => [
      platform_name,
      pushes,
    ])
  const pushes = await countPushes()
  const removal = await storage.removals.removeModuleRecords(request, changeLog())
  assert.deepEqual(await countPushes(), pushes, 'a counter of Prometheus never decreases')
  const visible = all.filter((id) => !hidden.includes(id))
  await expectVisible(kit, visible, hidden)
  assert.equal((await storage.removals.previewModule(module))?.records, 0)
  assert.equal((await storage.removals.previewPlatform(school.platform_id))?.records, 30)
  await storage.removals.runNextStep()
  await expectVisible(kit, visible, hidden)
  assert.deepEqual(await storage.removals.removeModuleRecords(request, changeLog()), removal)
  const blocked = await registerModules(kit, school, ['staff', 'students'])
  assert.deepEqual(blocked, { outcome: 'removing', record_type: 'students' })
  assert.equal((await registerModules(kit, school, []))?.outcome, 'changed')
  assert.equal((await registerModules(kit, school, ['staff']))?.outcome, 'changed')
  await runRemovals(kit)
  const platform = await storage.platforms.readPlatform(school.platform_id)
  assert.equal(platform?.records, 30)
  assert.deepEqual(await kit.records({ record_type: 'students', platform: 'school' }), [])
  assert.equal((await kit.records({ record_type: 'staff' })).length, 30)
  await expectMatchingCounters(kit)
  assert.equal((await registerModules(kit, school, ['staff', 'students']))?.outcome, 'changed')
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['created'])
  await expectMatchingCounters(kit)
})

test('unknown modules and platforms return null, and an empty module is removed', async (kit) => {
  const { storage } = kit
  const school = await kit.register({ offered: ['staff'] })
  const { platform_id } = school
  const requested_by = 'ann'
  for (const module of [
    { platform_id, record_type: 'unknown' },
    { platform_id: 999, record_type: 'students' },
  ]) {
    assert.equal(await storage.removals.previewModule(module), null)
    const rejected = storage.removals.removeModuleRecords({ ...module, requested_by }, changeLog())
    assert.equal(await rejected, null)
  }
  const empty = { platform_id, record_type: 'staff', requested_by }
  const removal = await storage.removals.removeModuleRecords(empty, changeLog())
  assert.ok(removal && removal !== 'registered')
  assert.equal(removal.records, 0)
  await runRemovals(kit)
  assert.equal(await storage.removals.runNextStep(), false)
})

test('removing the platform during the deletion finishes the deletion too', async (kit) => {
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
  await runRemovals(kit)
  assert.equal((await kit.records()).length, 1)
  await expectMatchingCounters(kit)
  const removals = await storage.removals.listRemovals({ limit: 5, before: null })
  assert.ok(removals.every((removal) => removal.finished_at !== null))
})

test('anonymised records are deleted too, and the next pull after registration has exact counts', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  await kit.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  const [first] = await kit.records()
  assert.ok(first)
  const erasure = { record_id: first.record_id, mode: 'anonymise', actor: 'ann' } as const
  await storage.erasure.eraseRecord(erasure, changeLog())
  await registerModules(kit, school, [])
  const request = { ...school, record_type: 'students', requested_by: 'ann' }
  await storage.removals.removeModuleRecords(request, changeLog())
  await runRemovals(kit)
  await registerModules(kit, school, ['students'])
  const read = await school.startRead()
  const both = ['r-1', 'r-2'].map((reference) => pullWrite(read, { reference }))
  assert.deepEqual(await kit.outcomesOf(...both), ['record_erased', 'created'])
  assert.equal(await storage.missing.countUnmarked(read.read), read.read.seen.size)
})
