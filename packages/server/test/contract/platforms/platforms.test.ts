import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  listActivity,
  newPlatform,
  only,
  pushWrite,
  registerTestPlatform,
  testModule,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { setPlatformStatus, setRegisteredModules } from '../../helpers/storage/platform-changes.ts'
import { removePlatform } from '../../helpers/storage/removals.ts'
import { rejection } from '../../helpers/storage/replays.ts'
import { countRows } from '../../helpers/storage/sql.ts'

/** The state of a module directly after registration. */
const AFTER_REGISTRATION = {
  added_at: null,
  removed_at: null,
  removed_fields: [],
  drift_policy: 'accept',
  complete_at: null,
  replayable: 0,
} as const

test('a registered platform is active and has all submitted properties', async ({ storage }) => {
  const given = newPlatform('school', { registered: ['students'], offered: ['staff'] })
  const result = await storage.platforms.registerPlatform(given, changeLog())
  assert.equal(result.outcome, 'registered')
  if (result.outcome !== 'registered') return
  const { id, ...platform } = result.platform
  assert.deepEqual(platform, {
    platform_name: 'school',
    platform_title: 'Title school',
    display_title: 'Title school',
    platform_description: 'About school',
    connection_type: 'dynamic_api',
    source_base_url: 'https://school.example',
    status: 'active',
    modules_registered: 1,
    health: {
      state: 'new',
      reasons: [
        {
          code: 'new',
          message: 'No push was accepted and no pull has read a module yet.',
          since: null,
        },
      ],
    },
    records: 0,
    manifest_fetched_at: given.at,
    latest_sync_at: null,
    last_push_at: null,
    hub_api_key_hint: 'rhk_…1234',
    last_error: null,
    missing_reviews: 0,
    rejected_pushes: 0,
    modules: [
      { ...testModule('students'), ...AFTER_REGISTRATION, registered: true },
      { ...testModule('staff'), ...AFTER_REGISTRATION, registered: false },
    ],
  })
  assert.deepEqual(await storage.platforms.readPlatform(id), result.platform)
  const { modules: _, ...summary } = result.platform
  assert.deepEqual(await storage.platforms.listPlatforms(), [summary])
  assert.deepEqual(
    { ...(await storage.platforms.readSource(id)) },
    {
      platform_id: id,
      platform_name: 'school',
      display_title: 'Title school',
      source_base_url: 'https://school.example',
      encrypted_source_key: 'encrypted source key of school',
    },
  )
})

test('platforms with one title are told apart by their names, wherever they are read', async (kit) => {
  const { platforms, alerts, snapshot } = kit.storage
  const school = await kit.register({ name: 'school' })
  const college = await kit.register({ name: 'college' })
  await kit.register({ name: 'clinic' })
  await kit.runSql(
    "UPDATE platforms SET display_title = 'Registry' WHERE platform_name <> 'clinic'",
  )
  const titlesOf = (list: readonly { display_title: string }[]) =>
    list.map(({ display_title }) => display_title).toSorted()
  const titles = ['Registry (college)', 'Registry (school)', 'Title clinic']
  assert.deepEqual(titlesOf(await platforms.listPlatforms()), titles)
  assert.deepEqual(titlesOf(await platforms.listActive()), titles)
  assert.deepEqual(titlesOf((await snapshot.readSnapshot(kit.clock.day)).platforms), titles)
  assert.deepEqual(titlesOf(await alerts.listWatchedPlatforms()), titles)
  const source = await platforms.readSource(college.platform_id)
  assert.equal(source?.display_title, 'Registry (college)')
  await school.post({})
  const [entry] = await kit.activity()
  assert.match(entry?.message ?? '', /Registry \(school\)$/)
  const { pull_id } = await kit.startPull()
  const tasks = await kit.storage.pulls.listTasks({ pull_id, limit: 5, after: null })
  assert.deepEqual(tasks.map(({ platform_title }) => platform_title).toSorted(), titles)
  const removal = await removePlatform(kit, college)
  assert.equal(removal.platform_title, 'Registry (college)')
  const left = await platforms.readPlatform(school.platform_id)
  assert.equal(left?.display_title, 'Registry')
  const found = { limit: 5, before: null }
  const { listRemovals } = kit.storage.removals
  for (const platform of [{ id: college.platform_id }, { name: 'college' }]) {
    assert.deepEqual(await listRemovals({ ...found, platform }), [removal])
  }
  assert.deepEqual(await listRemovals({ ...found, platform: { name: 'school' } }), [])
})

test('the fields and texts of a manifest are read back unchanged and in order', async (kit) => {
  const { storage } = kit
  const keys = ['z', 'a', '10', 'é😀', '', 'a/b', '\ud800', '\u0000']
  const fields = keys.map((key) => ({ key, label: `${key}!`, type: 'text', required: true }))
  const modules = ['z', 'a', 'm', '.hidden', 'a b/c', '😀'].map((type) => ({
    ...testModule(type),
    description: 'ünï "q"\n',
    fields,
    registered: true,
  }))
  const given = newPlatform('school', { modules, platform_description: '\u2028 😀' })
  await storage.platforms.registerPlatform(given, changeLog())
  const platform = only(await storage.platforms.listPlatforms())
  const expected = modules.map((module) => ({ ...module, ...AFTER_REGISTRATION }))
  assert.deepEqual((await storage.platforms.readPlatform(platform.id))?.modules, expected)
  const listed = await storage.platforms.listModules({ platform: null, limit: 10, after: 0 })
  assert.deepEqual(
    listed.map(({ module_id: _, ...module }) => module),
    expected.map((module) => ({ platform_name: 'school', ...module })),
  )
  assert.equal(platform.platform_description, '\u2028 😀')
})

test('active platforms are listed in the order of their ids, with whether they have modules', async (kit) => {
  const school = await kit.register({ name: 'school' })
  await kit.register({ name: 'clinic' })
  const college = await kit.register({ name: 'college' })
  await kit.runSql("UPDATE platforms SET status = 'inactive' WHERE platform_name = 'clinic'")
  const registration = { platform_id: school.platform_id, record_types: [], at: kit.clock.text }
  await setRegisteredModules(kit.storage.platforms, registration, changeLog())
  assert.deepEqual(
    (await kit.storage.platforms.listActive()).map(({ id, platform_name, has_modules }) => {
      return [id, platform_name, has_modules]
    }),
    [
      [school.platform_id, 'school', false],
      [college.platform_id, 'college', true],
    ],
  )
  await removePlatform(kit, college)
  assert.equal((await kit.storage.platforms.listActive()).length, 1)
})

test('a manifest of a thousand modules can be registered', async ({ storage }) => {
  const types = Array.from({ length: 1000 }, (_, index) => `type-${index}`)
  const given = newPlatform('school', { registered: types })
  await storage.platforms.registerPlatform(given, changeLog())
  const platform = only(await storage.platforms.listPlatforms())
  assert.equal(platform.modules_registered, 1000)
  const { modules = [] } = (await storage.platforms.readPlatform(platform.id)) ?? {}
  assert.deepEqual(
    modules.map((module) => module.record_type),
    types,
  )
})

test('platforms and modules are listed in pages, with the modules of one platform or of all', async (kit) => {
  const { platforms } = kit.storage
  const names = ['c', 'a', 'b']
  for (const name of names) await kit.register({ name, modules: ['students', 'staff'] })
  const [c, a] = await platforms.listPlatforms({ limit: 2, after: 0 })
  const rest = await platforms.listPlatforms({ limit: 2, after: a?.id ?? 0 })
  assert.deepEqual(
    [c, a, ...rest].map((one) => one?.platform_name),
    names,
  )
  const all = await platforms.listModules({ platform: null, limit: 3, after: 0 })
  const after = all[1]?.module_id ?? 0
  const query = { limit: 1, after }
  assert.deepEqual(await platforms.listModules({ platform: null, ...query }), all.slice(2))
  assert.deepEqual(await platforms.listModules({ platform: 'a', ...query }), all.slice(2))
  assert.deepEqual(await platforms.listModules({ platform: 'c', ...query }), [])
})

test('the activity entry of a registration contains the new platform', async (kit) => {
  const { storage } = kit
  const log = changeLog('platform.registered')
  await storage.platforms.registerPlatform(newPlatform('school'), log)
  const entry = only(await activityOf(storage))
  assert.deepEqual(
    [entry.kind, entry.platform_name, entry.actor],
    ['platform.registered', 'school', 'ann@example.org'],
  )
  assert.equal(await kit.countRows('audit'), 1)
})

test('a registration with a duplicate name stores nothing, and another name is accepted afterwards', async (kit) => {
  const { storage } = kit
  const { platforms } = storage
  await platforms.registerPlatform(newPlatform('school'), changeLog())
  const before = await readAll(storage)
  const hub_key = { key_hash: 'hash 2', hint: 'h', ciphertext: 's' }
  const duplicate = newPlatform('school', { registered: ['staff'], hub_key })
  const taken = await platforms.registerPlatform(duplicate, changeLog())
  assert.deepEqual(taken, { outcome: 'name_taken' })
  assert.deepEqual(await readAll(storage), before)
  assert.equal(await platforms.findPlatformByKey('hash 2', duplicate.at), null)
  const renamed = { ...duplicate, platform_name: 'School' }
  const retried = await platforms.registerPlatform(renamed, changeLog())
  assert.equal(retried.outcome, 'registered')
  assert.ok(await platforms.findPlatformByKey('hash 2', duplicate.at))
})

test('a failed registration stores nothing and can be retried', async ({ storage }) => {
  const { platforms } = storage
  await platforms.registerPlatform(newPlatform('school'), changeLog())
  const before = await readAll(storage)
  const sameModules = newPlatform('clinic', { registered: ['staff', 'patients', 'staff'] })
  await assert.rejects(platforms.registerPlatform(sameModules, changeLog()))
  const { hub_key } = newPlatform('school')
  const sameKey = newPlatform('clinic', { hub_key })
  await assert.rejects(platforms.registerPlatform(sameKey, changeLog()))
  assert.deepEqual(await readAll(storage), before)
  const retried = await platforms.registerPlatform(newPlatform('clinic'), changeLog())
  assert.equal(retried.outcome, 'registered')
})

test('only one of many concurrent registrations of a name succeeds', async ({ storage }) => {
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const hub_key = { key_hash: `hash ${index}`, hint: 'h', ciphertext: 's' }
      return storage.platforms.registerPlatform(newPlatform('school', { hub_key }), changeLog())
    }),
  )
  assert.equal(results.filter((result) => result.outcome === 'registered').length, 1)
  assert.equal(results.filter((result) => result.outcome === 'name_taken').length, 19)
  only(await storage.platforms.listPlatforms())
})

test('reading or changing an unknown platform returns null', async ({ storage, clock }) => {
  const { platforms } = storage
  assert.equal(await platforms.readPlatform(999), null)
  assert.equal(await platforms.readSource(999), null)
  assert.deepEqual(await platforms.listPlatforms(), [])
  const change = { platform_id: 999, status: 'inactive', at: clock.text } as const
  assert.equal(await setPlatformStatus(platforms, change, changeLog()), null)
  assert.deepEqual(await activityOf(storage), [])
})

test('a status change is logged with its platform, but setting the same status is not', async (kit) => {
  const { storage, clock } = kit
  const school = await registerTestPlatform({ storage, clock })
  const { platform_id } = school
  const before = await readAll(storage)
  const setTo = (status: 'active' | 'inactive') =>
    setPlatformStatus(
      storage.platforms,
      { platform_id, status, at: clock.text },
      changeLog(`platform.${status}`),
    )
  assert.equal((await setTo('active'))?.status, 'active')
  assert.deepEqual(await readAll(storage), before)
  assert.equal((await setTo('inactive'))?.status, 'inactive')
  assert.equal((await setTo('inactive'))?.status, 'inactive')
  const [entry] = await activityOf(storage)
  assert.deepEqual([entry?.kind, entry?.platform_name], ['platform.inactive', 'school'])
  assert.equal((await activityOf(storage)).length, 2)
  assert.equal(await kit.countRows('audit'), 2)
  assert.equal((await setTo('active'))?.status, 'active')
  assert.equal((await activityOf(storage)).length, 3)
})

test('an accepted push sets last_push_at, a rejected one does not, and only pulls set latest_sync_at', async (kit) => {
  const school = await kit.register()
  kit.clock.advance(60)
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['created'])
  const acceptedAt = kit.clock.text
  kit.clock.advance(60)
  await kit.saveRejected([rejection(school)])
  const platform = only(await kit.storage.platforms.listPlatforms())
  const { latest_sync_at, last_push_at } = platform
  assert.deepEqual(
    { latest_sync_at, last_push_at },
    { latest_sync_at: null, last_push_at: acceptedAt },
  )
})

function activityOf(storage: StorageKit['storage']) {
  const query = { platform: null, level: null, limit: 100, before: null }
  return listActivity(storage.activity, query)
}

async function readAll(storage: StorageKit['storage']) {
  const tables = ['platforms', 'modules', 'hub_keys', 'secrets', 'activity', 'audit']
  return {
    platforms: await storage.platforms.listPlatforms(),
    rows: await Promise.all(tables.map((table) => countRows(storage, table))),
  }
}
