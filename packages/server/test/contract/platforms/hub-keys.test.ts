import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { registerTestPlatform } from '../../helpers/storage/fixtures.ts'

test('a platform is found by its key, with the modules that it may push', async (kit) => {
  const { platforms } = kit.storage
  const types = { modules: ['students', 'rooms'], offered: ['staff'] }
  const school = await kit.register(types)
  await kit.register({ name: 'clinic' })
  const platform = await platforms.findPlatformByKey(school.key_hash, kit.clock.text)
  assert.ok(platform)
  const { modules, ...rest } = platform
  assert.deepEqual(rest, {
    hub_key_id: school.hub_key_id,
    expires_at: null,
    platform_id: school.platform_id,
    platform_name: 'school',
    display_title: 'Title school',
  })
  assert.deepEqual(
    modules.map((module) => [module.record_type, module.module_name]),
    [
      ['students', 'Module students'],
      ['rooms', 'Module rooms'],
    ],
  )
  assert.equal(await platforms.findPlatformByKey('no such hash', kit.clock.text), null)
  assert.equal(await platforms.findPlatformByKey('', kit.clock.text), null)
})

test('a key is invalid while its platform is inactive', async (kit) => {
  const school = await kit.register()
  const find = () => kit.storage.platforms.findPlatformByKey(school.key_hash, kit.clock.text)
  await kit.setStatus(school, 'inactive')
  assert.equal(await find(), null)
  await kit.setStatus(school, 'active')
  assert.ok(await find())
})

test('an expired or revoked key is invalid', async (kit) => {
  const { storage, clock } = kit
  const school = await registerTestPlatform({ storage, clock })
  const find = (at: string) => storage.platforms.findPlatformByKey(school.key_hash, at)
  await kit.runSql(`UPDATE hub_keys SET expires_at = '2026-03-10T09:00:00.000Z'`)
  assert.ok(await find('2026-03-10T08:59:59.999Z'))
  assert.equal(await find('2026-03-10T09:00:00.000Z'), null)
  await kit.runSql(`UPDATE hub_keys SET expires_at = NULL, revoked_at = '${clock.text}'`)
  assert.equal(await find(clock.text), null)
})
