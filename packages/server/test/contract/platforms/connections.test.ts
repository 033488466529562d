import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  outcomesOf,
  pushWrite,
  type TestPlatform,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { setSource } from '../../helpers/storage/platform-changes.ts'

const SOON = '2026-03-10T09:00:00.000Z'

function rotate(
  { storage, clock }: StorageKit,
  platform: { platform_id: number },
  name: string,
  until: string,
) {
  const { platform_id } = platform
  const hub_key = {
    key_hash: `hash ${name}`,
    hint: `rhk_…${name}`,
    ciphertext: `encrypted ${name}`,
  }
  const rotation = { platform_id, hub_key, old_expires_at: until, at: clock.text }
  return storage.connections.rotateHubKey(rotation, changeLog('hub_key.rotate'))
}

const findByKey = async ({ storage }: StorageKit, hash: string, at: string) =>
  (await storage.platforms.findPlatformByKey(hash, at))?.platform_name ?? null

test('a former hub API key shows when it was replaced, an unknown key nothing', async (kit) => {
  const school = await kit.register()
  const find = (hash: string) => kit.storage.platforms.findFormerKey(hash)
  assert.deepEqual(await find(school.key_hash), { replaced_at: null, is_inactive: false })
  await rotate(kit, school, 'two', SOON)
  const replaced_at = kit.clock.text
  assert.deepEqual(await find(school.key_hash), { replaced_at, is_inactive: false })
  assert.deepEqual(await find('hash two'), { replaced_at: null, is_inactive: false })
  assert.equal(await find('hash three'), null)
})

test('old hub API keys end early, and the newest key and those of other platforms stay', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  const at = kit.clock.text
  const end = ({ platform_id }: { platform_id: number }) =>
    kit.storage.connections.endOldHubKeys({ platform_id, at }, changeLog('hub_key.end'))
  await rotate(kit, school, 'two', SOON)
  await rotate(kit, clinic, 'three', SOON)
  assert.deepEqual([await end(school), await end(school)], [true, false])
  assert.equal(await findByKey(kit, school.key_hash, at), null)
  assert.equal(await findByKey(kit, 'hash two', SOON), 'school')
  assert.equal(await findByKey(kit, clinic.key_hash, at), 'clinic')
})

test('after a rotation both hub API keys work until the old one expires', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  assert.equal(await rotate(kit, school, 'two', SOON), true)
  for (const hash of [school.key_hash, 'hash two']) {
    assert.equal(await findByKey(kit, hash, '2026-03-10T08:59:59.999Z'), 'school')
  }
  assert.equal(await findByKey(kit, school.key_hash, SOON), null)
  assert.equal(await findByKey(kit, 'hash two', SOON), 'school')
  assert.equal(await findByKey(kit, clinic.key_hash, SOON), 'clinic')
  const { connections } = kit.storage
  const { platform_id } = school
  assert.deepEqual(await connections.readHubKeys(platform_id, kit.clock.text), [
    { hint: 'rhk_…two', created_at: kit.clock.text, expires_at: null, last_used_at: null },
    { hint: 'rhk_…1234', created_at: kit.clock.text, expires_at: SOON, last_used_at: null },
  ])
  const later = await connections.readHubKeys(platform_id, SOON)
  assert.deepEqual(
    later.map((key) => key.hint),
    ['rhk_…two'],
  )
  assert.equal(await connections.readEncryptedHubKey(platform_id), 'encrypted two')
})

test('a write is rejected when its hub API key expired after authentication', async (kit) => {
  const school = await kit.register()
  await rotate(kit, school, 'two', kit.clock.text)
  const outcomes = await kit.write(pushWrite(school))
  assert.deepEqual(outcomesOf(outcomes), ['api_key_invalid'])
  assert.equal(await kit.countRows('records'), 0)
})

test('a rotation never extends the validity of an older key', async (kit) => {
  const school = await kit.register()
  await rotate(kit, school, 'two', SOON)
  await rotate(kit, school, 'three', '2026-03-11T09:00:00.000Z')
  assert.equal(await findByKey(kit, school.key_hash, SOON), null)
  assert.equal(await findByKey(kit, 'hash two', SOON), 'school')
  assert.equal(await findByKey(kit, 'hash two', '2026-03-11T09:00:00.000Z'), null)
  assert.equal(await findByKey(kit, 'hash three', '2027-03-11T09:00:00.000Z'), 'school')
})

test('the time of the last push covers all keys and remains after the key expires', async (kit) => {
  const school = await kit.register()
  const at = kit.clock.text
  await school.post()
  await rotate(kit, school, 'two', kit.clock.text)
  const keys = await kit.storage.connections.readHubKeys(school.platform_id, SOON)
  const platform = await kit.storage.platforms.readPlatform(school.platform_id)
  assert.deepEqual([keys.length, platform?.last_push_at], [1, at])
})

test('a new address and its source API key replace the old ones, and the old key is deleted', async (kit) => {
  const school = await kit.register()
  const { platforms } = kit.storage
  const { platform_id } = school
  const secrets = await kit.countRows('secrets')
  const set = (encrypted_source_key: string) =>
    setSource(
      platforms,
      { platform_id, source_base_url: 'https://new.example', encrypted_source_key, at: SOON },
      changeLog('platform.change_source'),
    )
  for (const key of ['a new encrypted key', 'another encrypted key']) {
    assert.equal(await set(key), true)
    const source = await platforms.readSource(platform_id)
    assert.equal(source?.source_base_url, 'https://new.example')
    assert.equal(source.encrypted_source_key, key)
  }
  assert.equal(await kit.countRows('secrets'), secrets)
  const old = `SELECT * FROM secrets WHERE ciphertext = 'encrypted source key of school'`
  assert.deepEqual(await kit.runSql(old), [])
  const entries = await kit.activity(anyActivity(school))
  assert.equal(entries.filter((entry) => entry.kind === 'platform.change_source').length, 2)
})

test('an unknown or removed platform has no keys and no connection to change', async (kit) => {
  const { connections, platforms } = kit.storage
  const school = await kit.register()
  const { platform_id, platform_name } = school
  const removal = { platform_id, platform_name, requested_by: 'ann', at: kit.clock.text }
  await platforms.removePlatform(removal, changeLog())
  for (const id of [platform_id, 999]) {
    assert.deepEqual(await connections.readHubKeys(id, kit.clock.text), [])
    assert.equal(await connections.readEncryptedHubKey(id), null)
    assert.equal(await rotate(kit, { platform_id: id }, `of ${id}`, SOON), false)
    const source = { source_base_url: 'https://x', encrypted_source_key: 'x', at: SOON }
    assert.equal(await setSource(platforms, { platform_id: id, ...source }, changeLog()), false)
  }
  assert.equal(await kit.countRows('hub_keys'), 0)
})

function anyActivity({ platform_name }: TestPlatform) {
  return { platform: platform_name, level: null, limit: 50, before: null } as const
}
