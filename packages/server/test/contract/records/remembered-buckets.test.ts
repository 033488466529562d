/** What a module remembers of its comparisons: buckets that stay different, and what is known of its versions. */
import assert from 'node:assert/strict'
import type { DigestStore } from '../../../src/storage/port/digest-store.ts'
import type { PullTaskResult } from '../../../src/storage/port/pull-store.ts'
import type { ModuleRef } from '../../../src/storage/port/record-list-store.ts'
import { moduleRef, rememberedBucket } from '../../helpers/storage/digests.ts'
import { test } from '../../helpers/storage/engines.ts'
import { erase } from '../../helpers/storage/erasure.ts'
import { changeLog, testModule } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { moduleWithKeys, saveManifest } from '../../helpers/storage/manifests.ts'
import { missingReview } from '../../helpers/storage/missing.ts'
import { startPullAndRead, taskOf, taskResult } from '../../helpers/storage/pulls.ts'

/** How often an explanation of the module has ended. */
async function epochOf({ runSql }: StorageKit, { module_id }: ModuleRef): Promise<number> {
  const [row] = await runSql(`SELECT digest_epoch FROM modules WHERE module_id = ${module_id}`)
  return Number(row?.['digest_epoch'])
}

type Change = Omit<Parameters<DigestStore['remember']>[1], 'epoch'>

/** Saves as a pull during which no explanation ends. */
async function remember(kit: StorageKit, module: ModuleRef, change: Change): Promise<void> {
  const epoch = await epochOf(kit, module)
  assert.equal(await kit.storage.digests.remember(module, { ...change, epoch }), true)
}

test('remembered buckets and what is known of a module are saved member by member', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const module = await moduleRef(kit, school)
  const other = await moduleRef(kit, school, 'staff')
  const { digests } = kit.storage
  const named = {
    ...rememberedBucket('a01'),
    state: 'disagreement' as const,
    reference_number: 'r',
    version: '1',
  }
  await remember(kit, module, { save: [named, rememberedBucket('3f4')], delete: [] })
  await remember(kit, other, { save: [rememberedBucket('3f4')], delete: [] })
  assert.deepEqual(await digests.listRemembered(module), [rememberedBucket('3f4'), named])
  const changed = { ...rememberedBucket('3f4'), local_count: 4 }
  await remember(kit, module, { save: [changed], delete: ['a01', '000'] })
  assert.deepEqual(await digests.listRemembered(module), [changed])
  await remember(kit, module, { save: [], delete: 'all' })
  assert.deepEqual(await digests.listRemembered(module), [])
  assert.equal((await digests.listRemembered(other)).length, 1)
  const unknown = await digests.readDigest(module)
  assert.deepEqual([unknown.verified_at, unknown.unstable_reads], [null, 0])
  await digests.saveDigest(module, { digest_ms: 40, unstable_reads: 1 })
  await digests.saveDigest(module, {
    verified_at: '2026-03-10T08:00:00.000Z',
    verified_by: 'digest',
  })
  const expected = { digest_ms: 40, unstable_reads: 1, verified_by: 'digest' }
  assert.deepEqual(await digests.readDigest(module), {
    ...{ ...unknown, ...expected, verified_at: '2026-03-10T08:00:00.000Z' },
  })
  assert.deepEqual(await digests.readDigest(other), unknown)
})

test('a task begins with what is known of its module, and its end saves what it has found', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  const { digests, missing, pulls } = kit.storage
  const unknown = await digests.readDigest(module)
  const claim = { verified_at: '2026-03-10T08:00:00.000Z', verified_by: 'digest' as const }
  const run = async (digest_change: PullTaskResult['digest_change']) => {
    const pull = await kit.startPull()
    const { task_number } = taskOf(pull, school)
    const started = await pulls.startTask(pull.pull_id, task_number)
    await pulls.finishTask(pull.pull_id, task_number, taskResult({ digest_change }), null)
    await pulls.finishTask(pull.pull_id, task_number, taskResult({ digest_change: claim }), null)
    await kit.finishPull(pull.pull_id)
    return started ?? assert.fail()
  }
  const first = await run({ asked_at: '2026-03-10T07:00:00.000Z', unstable_reads: 1 })
  assert.deepEqual([{ ...first.history }, first.review], [unknown, null])
  const known = await digests.readDigest(module)
  assert.deepEqual(known, { ...unknown, asked_at: '2026-03-10T07:00:00.000Z', unstable_reads: 1 })
  const read = await startPullAndRead(kit.storage, school)
  const activity = { level: 'warning', kind: 'missing.needs_review', message: 'Many' } as const
  await missing.createReview(missingReview(read), null, activity)
  await kit.finishPull(read.read.pull_id)
  assert.equal((await run(null)).review, 'pending')
  const { review_id = 0 } = (await missing.readMissingState(module)).review ?? {}
  const decision = { review_id, state: 'approved', by: 'ann', at: kit.clock.text } as const
  await missing.decideReview(decision, changeLog())
  const second = await run(claim)
  assert.deepEqual([{ ...second.history }, second.review], [known, 'approved'])
  assert.deepEqual(await digests.readDigest(module), { ...known, ...claim })
})

test('a disagreement is listed by module once two pulls have found it, until it is deleted', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const module = await moduleRef(kit, school)
  const { digests } = kit.storage
  const found = { ...rememberedBucket('a01'), state: 'disagreement' as const }
  await remember(kit, module, { save: [found, rememberedBucket('3f4')], delete: [] })
  assert.deepEqual(await digests.listDisagreements(), [])
  const at = '2026-03-10T09:00:00.000Z'
  const unnamed = { ...found, at, reference_number: '', version: null }
  const named = { ...found, prefix: 'b01', reference_number: 'r', version: '1' }
  await remember(kit, module, { save: [unnamed, named], delete: [] })
  const { platform_id } = school
  const listed = {
    ...{ platform_id, record_type: 'students', module_name: 'Module students', buckets: 2 },
    ...{ reference_number: 'r', version: '1', since: found.since, last_at: at },
  }
  assert.deepEqual(await digests.listDisagreements(), [listed])
  await kit.setStatus(school, 'inactive')
  assert.deepEqual(await digests.listDisagreements(), [])
  await kit.setStatus(school, 'active')
  await remember(kit, module, { save: [], delete: ['a01'] })
  assert.equal((await digests.listDisagreements())[0]?.buckets, 1)
  await remember(kit, module, { save: [], delete: 'all' })
  assert.deepEqual(await digests.listDisagreements(), [])
})

test('explained buckets are deleted when an explanation ends that no sum shows', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  const { platform_id } = school
  const { digests, erasure, holds, manifests } = kit.storage
  const { record_id } = await school.post({ reference: 'held', data: '{"a":"1"}' })
  const hold = () =>
    kit.runSql(`INSERT INTO holds (record_id, revert_id, path, platform_id, module_id, refused, at)
      VALUES (${record_id}, 1, '/data/a', ${platform_id}, ${module.module_id}, 'x', '${kit.clock.text}')`)
  const erased = await school.post({ reference: 'erased' })
  const { tombstone_id } = await erase(kit, erased.record_id, 'erase')
  const policy = { platform_id, record_type: 'students', drift_policy: 'reject' } as const
  const events: Record<string, () => Promise<unknown>> = {
    'a tombstone is deleted': () => erasure.deleteTombstone(tombstone_id, changeLog()),
    'an operator ends a hold': async () => {
      await hold()
      await holds.liftHolds({ record_id }, changeLog('holds.lifted'))
    },
    'a push ends a hold': async () => {
      await hold()
      await school.post({ reference: 'held', data: '{"a":"2"}' })
    },
    'the manifest changes': () =>
      saveManifest(kit, school, moduleWithKeys('students', ['a', 'new']), testModule('staff')),
    'the drift policy changes': () =>
      manifests.setDriftPolicy({ ...policy, at: kit.clock.text }, changeLog('drift')),
  }
  const known = { ...rememberedBucket('a01'), state: 'disagreement' as const }
  for (const [event, cause] of Object.entries(events)) {
    await remember(kit, module, { save: [known, rememberedBucket('3f4')], delete: [] })
    const epoch = await epochOf(kit, module)
    await cause()
    assert.deepEqual(await digests.listRemembered(module), [known], event)
    // A pull that has read before the event does not save its explanation after it.
    const late = { save: [rememberedBucket('3f4')], delete: [], epoch }
    assert.equal(await digests.remember(module, late), false, event)
    assert.deepEqual(await digests.listRemembered(module), [known], event)
  }
  assert.equal(await kit.countRows('holds'), 0)
})

test('an erasure deletes the bucket and the claim that name the record', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  const { digests } = kit.storage
  for (const mode of ['erase', 'anonymise'] as const) {
    const { record_id } = await school.post({ reference: mode })
    const named = { ...rememberedBucket('a01'), reference_number: mode, version: '1' }
    await remember(kit, module, { save: [named, rememberedBucket('3f4')], delete: 'all' })
    const epoch = await epochOf(kit, module)
    const withdrawn = { withdrawn_records: 3, withdrawn_reference: mode }
    await digests.saveDigest(module, withdrawn, epoch)
    assert.equal((await digests.readDigest(module)).withdrawn_reference, mode)
    await erase(kit, record_id, mode)
    // A pull that has read the record before does not name it after.
    assert.equal(await digests.remember(module, { save: [named], delete: [], epoch }), false)
    await digests.saveDigest(module, withdrawn, epoch)
    assert.deepEqual(await digests.listRemembered(module), [rememberedBucket('3f4')])
    const { withdrawn_records, withdrawn_reference } = await digests.readDigest(module)
    assert.deepEqual([withdrawn_records, withdrawn_reference], [3, null])
  }
  const hashed = await kit.runSql('SELECT 1 FROM records WHERE reference_hash IS NOT NULL')
  assert.deepEqual(hashed, [])
})
