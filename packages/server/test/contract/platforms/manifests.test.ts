import assert from 'node:assert/strict'
import { toManifestKeys } from '../../../src/domain/record/drift.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  only,
  type TestPlatform,
  testManifest,
  testModule,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { moduleWithKeys, readDrift, saveManifest } from '../../helpers/storage/manifests.ts'
import { taskResult } from '../../helpers/storage/pulls.ts'

const HOUR = 3600

test('a new manifest adds new modules and fields, and removed ones are stored with their removal time', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  kit.clock.advance(HOUR)
  const students = moduleWithKeys('students', ['b', 'a'])
  const changes = await saveManifest(kit, school, students, testModule('rooms'))
  assert.deepEqual(
    changes?.map((one) => one.change),
    ['field_added', 'module_removed', 'module_added'],
  )
  const platform = await kit.storage.platforms.readPlatform(school.platform_id)
  const at = kit.clock.text
  assert.equal(platform?.manifest_fetched_at, at)
  const modules = new Map(platform.modules.map((module) => [module.record_type, module]))
  assert.deepEqual(
    modules.get('students')?.fields.map((field) => [field.key, field.added_at]),
    [
      ['b', at],
      ['a', undefined],
    ],
  )
  const rooms = modules.get('rooms')
  assert.deepEqual([rooms?.registered, rooms?.added_at], [false, at])
  const staff = modules.get('staff')
  assert.deepEqual([staff?.registered, staff?.removed_at], [true, at])
  kit.clock.advance(HOUR)
  await saveManifest(kit, school, moduleWithKeys('students', ['b']), testModule('staff'))
  const later = await kit.storage.platforms.readPlatform(school.platform_id)
  const [laterStudents, laterStaff] = later?.modules ?? []
  assert.deepEqual(
    laterStudents?.removed_fields.map((field) => [field.key, field.removed_at]),
    [['a', kit.clock.text]],
  )
  assert.deepEqual([laterStaff?.record_type, laterStaff?.removed_at], ['staff', null])
  const drift = await readDrift(kit, school)
  assert.deepEqual(
    drift.manifest_changes.map((one) => one.at),
    [kit.clock.text, at],
  )
  assert.deepEqual(drift.manifest_changes[1]?.changes, changes)
})

test('an unchanged manifest updates only the fetch time and is not logged', async (kit) => {
  const school = await kit.register()
  const before = await readTraces(kit)
  kit.clock.advance(HOUR)
  assert.deepEqual(await saveManifest(kit, school, testModule('students')), [])
  assert.deepEqual(await readTraces(kit), before)
  const platform = await kit.storage.platforms.readPlatform(school.platform_id)
  assert.equal(platform?.manifest_fetched_at, kit.clock.text)
  const nowhere = { platform_id: 999, manifest: testManifest(), at: kit.clock.text }
  assert.equal(await kit.storage.manifests.saveManifest(nowhere, () => changeLog()), null)
})

test('a manifest change notifies the platform cache, which then reads the new fields and policy', async (kit) => {
  const school = await kit.register()
  let notifications = 0
  kit.storage.platforms.onChange(() => {
    notifications += 1
  })
  await saveManifest(kit, school, moduleWithKeys('students', ['a', 'n']))
  await setPolicy(kit, school, 'reject')
  assert.ok(notifications >= 2)
  const platform = await kit.storage.platforms.findPlatformByKey(school.key_hash, kit.clock.text)
  const { manifest_keys, drift_policy } = only(platform?.modules ?? [])
  assert.deepEqual(manifest_keys, toManifestKeys(moduleWithKeys('students', ['a', 'n']).fields))
  assert.equal(drift_policy, 'reject')
  const { tasks } = await kit.startPull()
  assert.equal(only(tasks).drift_policy, 'reject')
})

test('only one caller per hour may fetch a manifest, even if the fetch fails', async (kit) => {
  const { platform_id } = await kit.register()
  const { manifests } = kit.storage
  const reserve = () => {
    const notSince = new Date(kit.clock.now().getTime() - HOUR * 1000).toISOString()
    return manifests.reserveManifestFetch(platform_id, { at: kit.clock.text, notSince })
  }
  assert.equal(await reserve(), false, 'it was just registered')
  kit.clock.advance(HOUR)
  const reserved = await Promise.all(Array.from({ length: 10 }, reserve))
  assert.equal(reserved.filter(Boolean).length, 1)
  kit.clock.advance(HOUR - 1)
  assert.equal(await reserve(), false)
  kit.clock.advance(1)
  assert.equal(await reserve(), true)
  // The clock was ahead.
  kit.clock.advance(-24 * HOUR)
  assert.equal(await reserve(), true)
  assert.equal(await reserve(), false)
})

test('the cached response of a module is deleted when its fields change', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const cached_response = {
    etag: '"1"',
    last_modified: null,
    read_fingerprint: 'fingerprint',
    records: 0,
    version: 0,
    missing_members: [],
  }
  const pull = await kit.startPull()
  for (const { task_number } of pull.tasks) {
    await kit.storage.pulls.startTask(pull.pull_id, task_number)
    const result = taskResult({ cached_response })
    await kit.storage.pulls.finishTask(pull.pull_id, task_number, result, null)
  }
  await kit.finishPull(pull.pull_id)
  await saveManifest(kit, school, moduleWithKeys('students', ['a', 'n']), testModule('staff'))
  const next = await kit.startPull()
  for (const { task_number, record_type } of next.tasks) {
    const started = await kit.storage.pulls.startTask(next.pull_id, task_number)
    assert.equal(started?.cached_response?.etag ?? null, record_type === 'staff' ? '"1"' : null)
  }
})

test('setting a drift policy twice is logged once, and an unknown module is rejected', async (kit) => {
  const school = await kit.register()
  const before = await readTraces(kit)
  await setPolicy(kit, school, 'accept')
  assert.deepEqual(await readTraces(kit), before)
  await setPolicy(kit, school, 'reject')
  await setPolicy(kit, school, 'reject')
  const { audit } = await readTraces(kit)
  assert.equal(audit, before.audit + 1)
  assert.equal(await setPolicy(kit, school, 'reject', 'nothing'), false)
})

function setPolicy(
  { storage, clock }: StorageKit,
  { platform_id }: TestPlatform,
  drift_policy: 'accept' | 'reject',
  record_type = 'students',
): Promise<boolean> {
  const change = { platform_id, record_type, drift_policy, at: clock.text }
  return storage.manifests.setDriftPolicy(change, changeLog('module.drift_policy'))
}

async function readTraces(kit: StorageKit) {
  const count = async (table: string) => {
    const [row] = await kit.runSql(`SELECT count(*) AS n FROM ${table}`)
    return Number(row?.['n'])
  }
  return {
    audit: await count('audit'),
    activity: await count('activity'),
    manifest_changes: await count('manifest_changes'),
    modules: await kit.runSql('SELECT * FROM modules ORDER BY module_id'),
  }
}
