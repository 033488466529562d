import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import { LEASE, pullWrite } from '../../helpers/storage/pulls.ts'

test('a push with a revoked key is rejected', async (kit) => {
  const school = await kit.register()
  await school.post()
  await kit.runSql(`UPDATE hub_keys SET revoked_at = '${kit.clock.text}'`)
  const outcomes = await kit.write(pushWrite(school), pushWrite(school, { reference: 'n' }))
  assert.deepEqual(outcomesOf(outcomes), ['api_key_invalid', 'api_key_invalid'])
  only(await kit.records())
})

test('a key is valid until the moment it expires', async (kit) => {
  const school = await kit.register()
  await kit.runSql(`UPDATE hub_keys SET expires_at = '2026-03-10T09:00:00.000Z'`)
  kit.clock.set('2026-03-10T08:59:59.999Z')
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['created'])
  kit.clock.set('2026-03-10T09:00:00.000Z')
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['api_key_invalid'])
})

test('a push with an unknown key or with the key of another platform is rejected', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  const outcomes = await kit.write(
    { ...pushWrite(school), hub_key_id: 999 },
    { ...pushWrite(school), hub_key_id: clinic.hub_key_id },
    { ...pushWrite(school), platform_id: 999 },
  )
  assert.deepEqual(new Set(outcomesOf(outcomes)), new Set(['api_key_invalid']))
  assert.deepEqual(await kit.records(), [])
})

test('pushes of an inactive platform are rejected until it is active again', async (kit) => {
  const school = await kit.register()
  await kit.setStatus(school, 'inactive')
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['api_key_invalid'])
  assert.deepEqual(await kit.records(), [])
  await kit.setStatus(school, 'active')
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['created'])
})

test('a push to a module that is unregistered, unknown or of another platform is rejected', async (kit) => {
  const school = await kit.register({ offered: ['staff'] })
  await kit.register({ name: 'clinic', modules: ['patients'] })
  const types = ['staff', 'unknown', 'patients', 'Students', '']
  const pushes = types.map((record_type) => pushWrite(school, { record_type }))
  const outcomes = await kit.outcomesOf(...pushes)
  assert.deepEqual(new Set(outcomes), new Set(['module_not_registered']))
  assert.deepEqual(await kit.records(), [])
})

test('a rejected write does not affect its batch or any counter, history or activity', async (kit) => {
  const school = await kit.register({ offered: ['staff'] })
  const outcomes = await kit.write(
    pushWrite(school, { record_type: 'staff' }),
    pushWrite(school, { reference: 'r-1' }),
    { ...pushWrite(school), hub_key_id: 999 },
    pushWrite(school, { reference: 'r-2' }),
  )
  const expected = ['module_not_registered', 'created', 'api_key_invalid', 'created']
  assert.deepEqual(outcomesOf(outcomes), expected)
  assert.equal((await kit.records()).length, 2)
  const { stats, logs } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  assert.deepEqual([stats.records, stats.received_today, stats.created_today], [2, 2, 2])
  assert.equal(logs.filter((entry) => entry.kind.startsWith('push.')).length, 2)
})

test('a pulled record is rejected unless its pull is running', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  const unknown = { ...read, read: { ...read.read, pull_id: 999 } }
  assert.deepEqual(await kit.outcomesOf(pullWrite(unknown)), ['pull_not_running'])
  assert.deepEqual(await kit.outcomesOf(pullWrite(read)), ['created'])
  await kit.finishPull(read.read.pull_id)
  const late = pullWrite(read, { reference: 'late' })
  assert.deepEqual(await kit.outcomesOf(late), ['pull_not_running'])

  const { pull } = await kit.requestPull()
  const queued = { ...read, read: { ...read.read, pull_id: pull.id } }
  const early = pullWrite(queued, { reference: 'early' })
  assert.deepEqual(await kit.outcomesOf(early), ['pull_not_running'])
  only(await kit.records())
  assert.equal(read.read.seen.size, 1)
})

test('a pulled record is rejected after the lease of its pull has expired and another pull was requested', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  kit.clock.advance(LEASE.seconds + 1)
  const next = await kit.requestPull({ owner: 'node-2', seconds: 30 })
  assert.equal(next.outcome, 'queued')
  assert.deepEqual(await kit.outcomesOf(pullWrite(read)), ['pull_not_running'])
  assert.deepEqual(await kit.records(), [])
})

test('pulled records are rejected once their platform is deactivated', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  await kit.write(pullWrite(read))
  await kit.setStatus(school, 'inactive')
  const outcome = only(await kit.write(pullWrite(read, { reference: 'r-2' })))
  assert.equal(outcome.outcome, 'rejected')
  only(await kit.records())
})

test('pulled records are rejected once their module is unregistered', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  await kit.runSql('UPDATE modules SET registered_at = NULL')
  assert.deepEqual(await kit.outcomesOf(pullWrite(read)), ['module_not_registered'])
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['module_not_registered'])
  assert.deepEqual(await kit.records(), [])
})

test('a pulled record of an unknown module is rejected with module_not_registered', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  const unknown = { ...read, read: { ...read.read, module_id: 999 } }
  assert.deepEqual(await kit.outcomesOf(pullWrite(unknown)), ['module_not_registered'])
})

test('a pulled record with a module of another platform is rejected, and others are stored', async (kit) => {
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  const read = await school.startRead()
  const wrong = { ...read, read: { ...read.read, platform_id: clinic.platform_id } }
  const wrongWrite = (reference: string) => pullWrite(wrong, { reference })
  const outcomes = await kit.write(wrongWrite('x'), pullWrite(read), wrongWrite('y'))
  assert.deepEqual(
    outcomes.map((outcome) => outcome.outcome),
    ['rejected', 'created', 'rejected'],
  )
})
