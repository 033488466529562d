import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  setStatus,
  write,
  writeOne,
} from '../../helpers/storage/fixtures.ts'
import {
  finishTestPull,
  LEASE,
  pullWrite,
  requestPull,
  startPullAndRead,
} from '../../helpers/storage/pulls.ts'
import { runSql } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`write authorization on ${engine.name}`, () => {
    test(
      'a push with a revoked key is rejected',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await writeOne(kit, pushWrite(school))
        await runSql(kit.storage, `UPDATE hub_keys SET revoked_at = '${kit.clock.text}'`)
        const outcomes = await write(kit, pushWrite(school), pushWrite(school, { reference: 'n' }))
        assert.deepEqual(outcomesOf(outcomes), ['api_key_invalid', 'api_key_invalid'])
        only(await listRecords(kit.storage))
      }),
    )

    test(
      'a key is valid until the moment it expires',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await runSql(kit.storage, `UPDATE hub_keys SET expires_at = '2026-03-10T09:00:00.000Z'`)
        kit.clock.set('2026-03-10T08:59:59.999Z')
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['created'])
        kit.clock.set('2026-03-10T09:00:00.000Z')
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['api_key_invalid'])
      }),
    )

    test(
      'a push with an unknown key or with the key of another platform is rejected',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const clinic = await registerTestPlatform(kit, { name: 'clinic' })
        const outcomes = await write(
          kit,
          { ...pushWrite(school), hub_key_id: 999 },
          { ...pushWrite(school), hub_key_id: clinic.hub_key_id },
          { ...pushWrite(school), platform_id: 999 },
        )
        assert.deepEqual(new Set(outcomesOf(outcomes)), new Set(['api_key_invalid']))
        assert.deepEqual(await listRecords(kit.storage), [])
      }),
    )

    test(
      'pushes of an inactive platform are rejected until it is active again',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await setStatus(kit, school, 'inactive')
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['api_key_invalid'])
        assert.deepEqual(await listRecords(kit.storage), [])
        await setStatus(kit, school, 'active')
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['created'])
      }),
    )

    test(
      'a push to a module that is unregistered, unknown or of another platform is rejected',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { offered: ['staff'] })
        await registerTestPlatform(kit, { name: 'clinic', modules: ['patients'] })
        const types = ['staff', 'unknown', 'patients', 'Students', '']
        const pushes = types.map((record_type) => pushWrite(school, { record_type }))
        const outcomes = outcomesOf(await write(kit, ...pushes))
        assert.deepEqual(new Set(outcomes), new Set(['module_not_registered']))
        assert.deepEqual(await listRecords(kit.storage), [])
      }),
    )

    test(
      'a rejected write does not affect its batch or any counter, history or activity',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { offered: ['staff'] })
        const outcomes = await write(
          kit,
          pushWrite(school, { record_type: 'staff' }),
          pushWrite(school, { reference: 'r-1' }),
          { ...pushWrite(school), hub_key_id: 999 },
          pushWrite(school, { reference: 'r-2' }),
        )
        const expected = ['module_not_registered', 'created', 'api_key_invalid', 'created']
        assert.deepEqual(outcomesOf(outcomes), expected)
        assert.equal((await listRecords(kit.storage)).length, 2)
        const { stats, logs } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
        assert.deepEqual([stats.records, stats.received_today, stats.created_today], [2, 2, 2])
        assert.equal(logs.filter((entry) => entry.kind.startsWith('push.')).length, 2)
      }),
    )

    test(
      'a pulled record is rejected unless its pull is running',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(kit.storage, school)
        const unknown = { ...read, read: { ...read.read, pull_id: 999 } }
        assert.deepEqual(outcomesOf(await write(kit, pullWrite(unknown))), ['pull_not_running'])
        assert.deepEqual(outcomesOf(await write(kit, pullWrite(read))), ['created'])
        await finishTestPull(kit.storage, read.read.pull_id)
        const late = pullWrite(read, { reference: 'late' })
        assert.deepEqual(outcomesOf(await write(kit, late)), ['pull_not_running'])

        const { pull } = await requestPull(kit.storage)
        const queued = { ...read, read: { ...read.read, pull_id: pull.id } }
        const early = pullWrite(queued, { reference: 'early' })
        assert.deepEqual(outcomesOf(await write(kit, early)), ['pull_not_running'])
        only(await listRecords(kit.storage))
        assert.equal(read.read.seen.size, 1)
      }),
    )

    test(
      'a pulled record is rejected after the lease of its pull has expired and another pull was requested',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(kit.storage, school)
        kit.clock.advance(LEASE.seconds + 1)
        const next = await requestPull(kit.storage, { owner: 'node-2', seconds: 30 })
        assert.equal(next.outcome, 'queued')
        assert.deepEqual(outcomesOf(await write(kit, pullWrite(read))), ['pull_not_running'])
        assert.deepEqual(await listRecords(kit.storage), [])
      }),
    )

    test(
      'pulled records are rejected once their platform is deactivated',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(kit.storage, school)
        await write(kit, pullWrite(read))
        await setStatus(kit, school, 'inactive')
        const outcome = only(await write(kit, pullWrite(read, { reference: 'r-2' })))
        assert.equal(outcome.outcome, 'rejected')
        only(await listRecords(kit.storage))
      }),
    )

    test(
      'pulled records are rejected once their module is unregistered',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(kit.storage, school)
        await runSql(kit.storage, 'UPDATE modules SET registered_at = NULL')
        assert.deepEqual(outcomesOf(await write(kit, pullWrite(read))), ['module_not_registered'])
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['module_not_registered'])
        assert.deepEqual(await listRecords(kit.storage), [])
      }),
    )

    test(
      'a pulled record of an unknown module is rejected with module_not_registered',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(kit.storage, school)
        const unknown = { ...read, read: { ...read.read, module_id: 999 } }
        assert.deepEqual(outcomesOf(await write(kit, pullWrite(unknown))), [
          'module_not_registered',
        ])
      }),
    )

    test(
      'a pulled record with a module of another platform is rejected, and others are stored',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const clinic = await registerTestPlatform(kit, { name: 'clinic' })
        const read = await startPullAndRead(kit.storage, school)
        const wrong = { ...read, read: { ...read.read, platform_id: clinic.platform_id } }
        const wrongWrite = (reference: string) => pullWrite(wrong, { reference })
        const outcomes = await write(kit, wrongWrite('x'), pullWrite(read), wrongWrite('y'))
        assert.deepEqual(
          outcomes.map((outcome) => outcome.outcome),
          ['rejected', 'created', 'rejected'],
        )
      }),
    )
  })
})
