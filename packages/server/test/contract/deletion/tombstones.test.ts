import assert from 'node:assert/strict'
import { moduleRef } from '../../helpers/storage/digests.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  createRecordWithTraces,
  ERASURE_MODES,
  erase,
  expectTextsAbsent,
  NAME,
  REFERENCE,
  saveRejectedPush,
  VALUE,
} from '../../helpers/storage/erasure.ts'
import {
  changeLog,
  MAX_RECORD_KEYS,
  newPlatform,
  only,
  outcomesOf,
  pushWrite,
} from '../../helpers/storage/fixtures.ts'
import { pullWrite, taskResult } from '../../helpers/storage/pulls.ts'
import { removePlatform } from '../../helpers/storage/removals.ts'
import { rejection, replayWrite } from '../../helpers/storage/replays.ts'

/** Tombstones prevent erased records from being stored again. */

for (const mode of ERASURE_MODES) {
  test(`after ${mode}, pushes and pulls of the record are rejected until the tombstone is removed`, async (kit) => {
    const { storage } = kit
    const { school, id } = await createRecordWithTraces(kit)
    const { tombstone_id } = await erase(kit, id, mode)
    const stored = await kit.records()
    const patch = pushWrite(school, { source: 'PATCH', reference: REFERENCE })
    const other = pushWrite(school, { reference: 'other' })
    const outcomes = await kit.write(pushWrite(school, { reference: REFERENCE }), patch, other)
    assert.deepEqual(outcomesOf(outcomes), ['record_erased', 'record_erased', 'unchanged'])
    await school.pull(async (read) => {
      const twice = pullWrite(read, { reference: REFERENCE, full_name: NAME })
      const pulled = await kit.outcomesOf(twice, twice, pullWrite(read, { reference: 'x' }))
      assert.deepEqual(pulled, ['record_erased', 'record_erased', 'created'])
    })
    await expectTextsAbsent(kit, [REFERENCE, NAME])
    assert.equal((await kit.records()).length, stored.length + 1)

    const deleted = await storage.erasure.deleteTombstone(tombstone_id, changeLog())
    assert.equal(deleted, true)
    assert.equal(await storage.erasure.deleteTombstone(tombstone_id, changeLog()), false)
    const again = await school.post({ reference: REFERENCE })
    assert.equal(again.outcome, 'created')
    assert.notEqual(again.record_id, id)
  })

  for (const state of ['present', 'missing']) {
    test(`the count of unmarked records matches a pull that contains a ${state} record removed by ${mode}`, async (kit) => {
      const { storage } = kit
      const school = await kit.register()
      const references = ['r-1', 'r-2', 'r-3']
      await school.pull(async (read) => {
        await kit.write(...references.map((reference) => pullWrite(read, { reference })))
        if (state === 'missing') await kit.markMissing(read, ['r-1'], 0)
      })
      const { record_id } = only(await kit.records({ reference_number: 'r-1' }))
      await erase(kit, record_id, mode)
      const read = await school.startRead()
      await kit.write(...references.map((reference) => pullWrite(read, { reference })))
      assert.equal(read.read.seen.size, await storage.missing.countUnmarked(read.read))
      await kit.finishRead(read)
      await kit.finishPull(read.read.pull_id)
    })
  }
}

test('an erased record stays erased when its platform is renamed, and registered again under the new name', async (kit) => {
  const { school, id } = await createRecordWithTraces(kit)
  await erase(kit, id, 'erase')
  const { platforms } = kit.storage
  const at = kit.clock.text
  const rename = async ({ platform_id }: { platform_id: number }, platform_name: string) => {
    const change = { platform_id, platform_name, at }
    return (await platforms.renamePlatform(change, changeLog()))?.outcome
  }
  const pushTo = async (platform: typeof school) =>
    only(await kit.outcomesOf(pushWrite(platform, { reference: REFERENCE })))
  assert.equal(await rename(school, 'academy'), 'renamed')
  assert.equal(await pushTo(school), 'record_erased')
  const rejected = await kit.countRows('rejected_pushes')
  await saveRejectedPush(kit, school, REFERENCE)
  assert.equal(await kit.countRows('rejected_pushes'), rejected)
  // The platform that takes the former name has other records. The keys of the kit have the names of the platforms.
  await kit.runSql("UPDATE hub_keys SET key_hash = 'another hash'")
  const other = await kit.register({ name: 'school' })
  assert.equal(await pushTo(other), 'created')
  assert.equal(await rename(other, 'academy'), 'name_taken')
  assert.equal(await rename({ platform_id: 999 }, 'club'), undefined)
  await removePlatform(kit, { ...school, platform_name: 'academy' })
  assert.equal(await pushTo(await kit.register({ name: 'academy' })), 'record_erased')
  // The erased records of that platform stay erased, too. A rejected registration of its name changes nothing.
  const { record_id } = only((await kit.records()).filter((one) => one.platform_name === 'school'))
  await erase(kit, record_id, 'erase')
  kit.clock.advance(60)
  const repeated = newPlatform('school', { at: kit.clock.text })
  assert.equal((await platforms.registerPlatform(repeated, changeLog())).outcome, 'name_taken')
  await removePlatform(kit, other)
  assert.equal(await pushTo(await kit.register()), 'record_erased')
})

test('a rejected body is not saved if it contains the reference of an erased record', async (kit) => {
  const { school, id } = await createRecordWithTraces(kit)
  await erase(kit, id, 'erase')
  const before = await kit.countRows('rejected_pushes')
  await saveRejectedPush(kit, school, REFERENCE)
  await saveRejectedPush(kit, school, REFERENCE, 'pull')
  assert.equal(await kit.countRows('rejected_pushes'), before)
  await expectTextsAbsent(kit, [REFERENCE])
  // The reference is found at any depth, in arrays, as a key, and with a wrong record type.
  const wrapped = { record: { reference_number: REFERENCE, full_name: NAME } }
  for (const body of [wrapped, [{}, wrapped], { [REFERENCE]: NAME }, { person: REFERENCE }]) {
    await saveRejectedPush(kit, school, body)
    const wrongModule = { record_type: 'studentz', body: JSON.stringify(body) }
    await kit.saveRejected([
      rejection(school, wrongModule),
      rejection(school, { ...wrongModule, method: 'pull' }),
    ])
  }
  assert.equal(await kit.countRows('rejected_pushes'), before)
  await expectTextsAbsent(kit, [REFERENCE, NAME])
  await saveRejectedPush(kit, school, 'r-99')
  assert.equal(await kit.countRows('rejected_pushes'), before + 1)
  await saveRejectedPush(kit, school, { note: `about ${REFERENCE}` })
  assert.equal(await kit.countRows('rejected_pushes'), before + 2)
})

test('a rejected body with too many texts to check is saved only in modules without erasures', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const { record_id } = await school.post()
  const body = JSON.stringify(Array.from({ length: 1001 }, (_, n) => `text ${n}`))
  const many = (record_type: string) => rejection(school, { record_type, body })
  await kit.saveRejected([many('students')])
  await erase(kit, record_id, 'erase')
  const before = await kit.countRows('rejected_pushes')
  await kit.saveRejected([{ ...many('students'), code: 'other' }])
  assert.equal(await kit.countRows('rejected_pushes'), before)
  await kit.saveRejected([{ ...many('staff'), code: 'third' }])
  const fewer = JSON.stringify(Array.from({ length: 1000 }, (_, n) => `text ${n}`))
  await kit.saveRejected([rejection(school, { record_type: 'students', body: fewer })])
  assert.equal(await kit.countRows('rejected_pushes'), before + 2)
})

test('a tombstone remains after its platform is removed and registered again', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register()
  const { record_id } = await school.post()
  await erase(kit, record_id, 'erase')
  const { platform_id, platform_name } = school
  const removal = { platform_id, platform_name, requested_by: 'ann', at: clock.text }
  assert.ok(await storage.platforms.removePlatform(removal, changeLog()))
  const again = await kit.register()
  assert.deepEqual(await kit.outcomesOf(pushWrite(again)), ['record_erased'])
})

test('an erasure and removing a tombstone invalidate the cached response of the module', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const { record_id } = await school.post()
  const readOnce = async () => {
    const read = await school.startRead()
    await storage.pulls.finishTask(read.read.pull_id, read.task.task_number, taskResult(), null)
    await kit.finishPull(read.read.pull_id)
  }
  const invalidations = async () => {
    const [row] = await kit.runSql('SELECT sum(invalidations) AS n FROM module_counters')
    return Number(row?.['n'])
  }
  const first = await invalidations()
  const { tombstone_id } = await erase(kit, record_id, 'erase')
  const second = await invalidations()
  assert.ok(second > first)
  await readOnce()
  assert.equal(await invalidations(), second)
  await storage.erasure.deleteTombstone(tombstone_id, changeLog())
  assert.ok((await invalidations()) > second)
})

for (const mode of ERASURE_MODES) {
  test(`a replay of a record removed by ${mode} is rejected and leaves no data`, async (kit) => {
    const { storage } = kit
    const school = await kit.register()
    const content = { reference: REFERENCE, full_name: NAME }
    const { record_id } = await school.post(content)
    const { tombstone_id } = await erase(kit, record_id, mode)
    await saveRejectedPush(kit, school, {})
    const rejected = only(await kit.rejected())
    const replay = replayWrite(rejected, { reference: REFERENCE, data: `{"a":"${VALUE}"}` })
    const other = replayWrite(rejected, { reference: 'other' })
    const { text: at, day } = kit.clock
    const dryRun = { at, day, maxRecordKeys: MAX_RECORD_KEYS, writes: [replay] }
    assert.deepEqual(outcomesOf(await storage.records.tryWrites(dryRun)), ['record_erased'])
    const forced = { ...replay, replay: { ...replay.replay, overwrite: true } }
    for (const one of [replay, forced]) {
      assert.deepEqual(await kit.outcomesOf(one), ['record_erased'])
    }
    await expectTextsAbsent(kit, [REFERENCE, NAME, VALUE])
    assert.deepEqual(await kit.rejected(), [rejected])
    assert.deepEqual(await kit.outcomesOf(other), ['created'])
    await saveRejectedPush(kit, school, {})
    const again = only(await kit.rejected())
    await storage.erasure.deleteTombstone(tombstone_id, changeLog())
    const allowed = replayWrite(again, { reference: REFERENCE })
    assert.deepEqual(await kit.outcomesOf(allowed), ['created'])
  })
}

test('the present records of a module that were anonymised are counted, also after a rename', async (kit) => {
  const school = await kit.register({ modules: ['students', 'teachers'] })
  const module = await moduleRef(kit, school, 'students')
  for (const record_type of ['students', 'teachers']) {
    for (const mode of ERASURE_MODES) {
      const { record_id } = await school.post({ record_type, reference: mode })
      await erase(kit, record_id, mode)
    }
    await school.post({ record_type, reference: 'other' })
  }
  const { digests, platforms } = kit.storage
  assert.equal(await digests.countAnonymised(module), 1)
  const { platform_id } = school
  const change = { platform_id, platform_name: 'academy', at: kit.clock.text }
  await platforms.renamePlatform(change, changeLog())
  assert.equal(await digests.countAnonymised(module), 1)
})
