/** The facts from which the health of a platform follows; `domain/platform/health.test.ts` has the rule. */
import assert from 'node:assert/strict'
import { pino } from 'pino'
import { createCertificateRecorder } from '../../../src/features/platforms/create-platforms.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, newPlatform, pushWrite } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, TestKit } from '../../helpers/storage/kit.ts'
import { setRegisteredModules, setSource } from '../../helpers/storage/platform-changes.ts'
import { rejection } from '../../helpers/storage/replays.ts'

async function healthOf({ storage }: TestKit, { platform_id }: KitPlatform) {
  const platform = await storage.platforms.readPlatform(platform_id)
  const listed = (await storage.platforms.listPlatforms()).find(({ id }) => id === platform_id)
  const shown = (await storage.snapshot.readSnapshot('2026-03-10')).platforms
  assert.ok(platform)
  assert.deepEqual(listed?.health, platform.health)
  const all = await storage.platforms.listHealth()
  assert.deepEqual(all.find(({ id }) => id === platform_id)?.health, platform.health)
  assert.deepEqual(shown.find(({ id }) => id === platform_id)?.health, platform.health)
  const { state, reasons } = platform.health
  return [state, ...reasons.map(({ code, message }) => `${code}: ${message}`)]
}

test('a platform is failing while at least half of its last 20 pushes are rejected', async (kit) => {
  const school = await kit.register()
  const other = await kit.register({ name: 'clinic' })
  await kit.write(pushWrite(other))
  assert.deepEqual(await healthOf(kit, other), ['healthy'])
  await kit.write(pushWrite(school))
  // Identical ones, whose stored rejection has a count, and others.
  await kit.saveRejected([rejection(school), rejection(school), rejection(school, { body: '1' })])
  const open = 'rejections_open: 2 rejected pushes are neither corrected nor accepted.'
  const read = await kit.storage.platforms.readPlatform(school.platform_id)
  assert.equal(read?.rejected_pushes, 2)
  const ofFour = 'pushes_rejected: 3 of the last 4 pushes were rejected.'
  assert.deepEqual(await healthOf(kit, school), ['failing', ofFour, open])
  // What invalidates the cached response of a module is not a push.
  for (const record_types of [[], ['students']]) {
    const registration = { platform_id: school.platform_id, record_types, at: kit.clock.text }
    await setRegisteredModules(kit.storage.platforms, registration, changeLog())
    assert.equal((await healthOf(kit, school))[1], ofFour)
  }
  for (const reference of ['2', '3', '4']) await kit.write(pushWrite(school, { reference }))
  assert.deepEqual(await healthOf(kit, school), ['needs_attention', open])
  await kit.saveRejected(Array.from({ length: 15 }, () => rejection(school)))
  const [state, reason] = await healthOf(kit, school)
  assert.deepEqual(
    [state, reason],
    ['failing', 'pushes_rejected: 17 of the last 20 pushes were rejected.'],
  )
  await kit.runSql("UPDATE rejected_pushes SET replayed_at = '2026-03-10T09:00:00.000Z'")
  assert.deepEqual(await healthOf(kit, school), ['healthy'])
})

test('only the modules with an error have failed, of the others the health names none', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic' })
  const fail = (where: string) =>
    kit.runSql(`UPDATE modules SET last_error = 'HTTP 503', failing_since = '${kit.clock.text}'
      WHERE platform_id = ${school.platform_id} AND record_type ${where}`)
  await fail("= 'students'")
  const named = ['failing', 'pulls_failing: The last pull of Module students failed: HTTP 503']
  assert.deepEqual(await healthOf(kit, school), named)
  await fail('IS NOT NULL')
  assert.deepEqual(await healthOf(kit, school), [
    'failing',
    'pulls_failing: The last pull failed: HTTP 503',
  ])
  assert.equal((await healthOf(kit, clinic))[0], 'new')
})

test('silence, an expiring key that is used, an expiring certificate, and the status determine the health', async (kit) => {
  const school = await kit.register()
  await kit.write(pushWrite(school))
  const raise = [
    {
      kind: 'platform_silent' as const,
      subject: String(school.platform_id),
      platform: { platform_id: school.platform_id, platform_name: 'school' },
      message: 'No pushes.',
    },
  ]
  await kit.storage.alerts.applyAlertChanges({ raise, resolve: [], reword: [] })
  assert.deepEqual(await healthOf(kit, school), ['needs_attention', 'silent: No pushes.'])
  await kit.storage.alerts.applyAlertChanges({
    ...{ raise: [], reword: [] },
    resolve: await kit.storage.alerts.listOpenAlerts(),
  })
  await kit.runSql(
    "UPDATE hub_keys SET expires_at = '2027-01-01T00:00:00.000Z', last_used_at = created_at",
  )
  const [state, reason] = await healthOf(kit, school)
  assert.equal(state, 'needs_attention')
  assert.match(String(reason), /^key_expiring: .* expires at 2027-01-01T00:00:00.000Z\.$/)
  await kit.runSql("UPDATE hub_keys SET expires_at = '2026-01-01T00:00:00.000Z'")
  assert.deepEqual(await healthOf(kit, school), ['healthy'])
  const read_at = kit.clock.text
  const record = (origin: string, expires_at: string) =>
    kit.storage.connections.recordCertificate({ origin, expires_at, read_at })
  const soon = '2026-03-20T08:00:00.000Z'
  await record('https://school.exampl', soon)
  await record('https://school.example:8443', soon)
  assert.deepEqual(await healthOf(kit, school), ['healthy'])
  await record('https://school.example', soon)
  assert.deepEqual(await healthOf(kit, school), [
    'needs_attention',
    `certificate_expiring: The certificate of the platform, read at ${read_at}, expires at ${soon}. Renew it on the platform.`,
  ])
  await record('https://school.example', '2027-03-20T08:00:00.000Z')
  assert.deepEqual(await healthOf(kit, school), ['healthy'])
  await kit.setStatus(school, 'inactive')
  assert.equal((await healthOf(kit, school))[0], 'inactive')
})

test('a new connection stores the certificate for each platform of its origin that has none', async (kit) => {
  const { storage, clock } = kit
  const log = pino({ level: 'silent' })
  const recordCertificate = createCertificateRecorder({ ...storage, clock, log })
  const origin = 'https://school.example'
  const record = () => recordCertificate({ origin, expires_at: '2026-03-20T08:00:00.000Z' })
  const readTimes = async () =>
    (await kit.runSql('SELECT certificate_read_at AS at FROM platforms ORDER BY platform_id')).map(
      ({ at }) => at,
    )
  const { platform_id } = await kit.register()
  await record()
  const first = clock.text
  clock.advance(60)
  const second = newPlatform('clinic', { source_base_url: `${origin}/clinic` })
  await storage.platforms.registerPlatform(second, changeLog())
  await record()
  // The certificate of the first platform is unchanged, and stored again after an hour.
  assert.deepEqual(await readTimes(), [first, clock.text])
  for (const source_base_url of ['https://other.example', origin]) {
    const source = { platform_id, source_base_url, encrypted_source_key: 'x', at: clock.text }
    await setSource(storage.platforms, source, changeLog())
  }
  await record()
  assert.deepEqual(await readTimes(), [clock.text, clock.text])
  clock.advance(3600)
  await record()
  assert.deepEqual(await readTimes(), [clock.text, clock.text])
})
