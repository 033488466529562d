import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import { registerTestPlatform, setStatus } from '../../helpers/storage/fixtures.ts'
import { runSql } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`hub API keys on ${engine.name}`, () => {
    test(
      'a platform is found by its key, with the modules that it may push',
      withStorage(engine, async (kit) => {
        const { platforms } = kit.storage
        const types = { modules: ['students', 'rooms'], offered: ['staff'] }
        const school = await registerTestPlatform(kit, types)
        await registerTestPlatform(kit, { name: 'clinic' })
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
      }),
    )

    test(
      'a key is invalid while its platform is inactive',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const find = () => kit.storage.platforms.findPlatformByKey(school.key_hash, kit.clock.text)
        await setStatus(kit, school, 'inactive')
        assert.equal(await find(), null)
        await setStatus(kit, school, 'active')
        assert.ok(await find())
      }),
    )

    test(
      'an expired or revoked key is invalid',
      withStorage(engine, async ({ storage, clock }) => {
        const school = await registerTestPlatform({ storage, clock })
        const find = (at: string) => storage.platforms.findPlatformByKey(school.key_hash, at)
        await runSql(storage, `UPDATE hub_keys SET expires_at = '2026-03-10T09:00:00.000Z'`)
        assert.ok(await find('2026-03-10T08:59:59.999Z'))
        assert.equal(await find('2026-03-10T09:00:00.000Z'), null)
        await runSql(storage, `UPDATE hub_keys SET expires_at = NULL, revoked_at = '${clock.text}'`)
        assert.equal(await find(clock.text), null)
      }),
    )
  })
})
