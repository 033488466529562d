import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { ANY_REJECTED, changeLog, only, pushWrite } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import {
  countPlatformRows,
  createTwoPlatforms,
  expectMatchingCounters,
  expectVisible,
  idsOf,
  PLATFORM_TABLES,
  removePlatform,
  runRemovals,
} from '../../helpers/storage/removals.ts'
import { rejection } from '../../helpers/storage/replays.ts'
import { countIndexedTexts } from '../../helpers/storage/search.ts'

test('a removed platform is hidden immediately, its keys become invalid, and its name can be used again', async (kit) => {
  const { storage } = kit
  const { school, clinic } = await createTwoPlatforms(kit)
  assert.deepEqual(await storage.removals.previewPlatform(school.platform_id), {
    platform_name: 'school',
    modules: 2,
    records: 280,
    rejected_pushes: 1,
    hub_api_keys: 1,
  })
  const hidden = await idsOf(kit, { platform: 'school' })
  const removal = await removePlatform(kit, school)
  await expectVisible(kit, await idsOf(kit, { platform: 'clinic' }), hidden)
  assert.deepEqual(
    { ...removal, id: 0 },
    {
      id: 0,
      platform_name: 'school',
      platform_title: 'Title school',
      record_type: null,
      module_name: null,
      records: 280,
      removed: 0,
      requested_by: 'ann',
      requested_at: kit.clock.text,
      finished_at: null,
    },
  )
  const names = (await storage.platforms.listPlatforms()).map((one) => one.platform_name)
  assert.deepEqual(names, ['clinic'])
  assert.equal(await storage.platforms.readPlatform(school.platform_id), null)
  assert.equal(await storage.platforms.readSource(school.platform_id), null)
  const { searchIndex } = storage
  assert.equal(await searchIndex.listIndexedFields(school.platform_id, 'students'), null)
  assert.equal(await kit.setIndexedFields(school, ['a']), null)
  assert.equal(await storage.platforms.findPlatformByKey(school.key_hash, kit.clock.text), null)
  assert.equal(await storage.removals.previewPlatform(school.platform_id), null)
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['api_key_invalid'])
  const { stats, platforms, records } = await storage.snapshot.readSnapshot(kit.clock.day)
  assert.deepEqual([stats.platforms, stats.modules, stats.records], [1, 1, 1])
  assert.deepEqual(
    platforms.map((one) => one.platform_name),
    ['clinic'],
  )
  assert.ok(records.every((record) => record.platform_name === 'clinic'))
  const ciphertexts = JSON.stringify(await kit.runSql('SELECT ciphertext FROM secrets'))
  assert.doesNotMatch(ciphertexts, /of school/)
  assert.match(ciphertexts, /of clinic/)
  const again = await kit.register()
  assert.deepEqual(await kit.outcomesOf(pushWrite(again)), ['created'])
  assert.deepEqual(await kit.outcomesOf(pushWrite(clinic)), ['unchanged'])
})

test('the deletion steps delete only that platform, record the deletions and update the counters exactly', async (kit) => {
  const { storage } = kit
  const { school, clinic } = await createTwoPlatforms(kit)
  const remaining = await kit.records({ platform: 'clinic' })
  const [newest] = await kit.runSql('SELECT max(change_seq) AS n FROM records')
  await kit.setIndexedFields(school, ['a'])
  await kit.indexAll()
  assert.equal(await kit.countRows('record_index'), 250)
  await removePlatform(kit, school)
  let steps = 0
  let rows = await countPlatformRows(kit)
  while (await storage.removals.runNextStep()) {
    steps += 1
    const now = await countPlatformRows(kit)
    for (const [table, count] of Object.entries(rows)) {
      assert.ok(count - Number(now[table]) <= 200, `${table} lost more than 200 rows at once`)
    }
    rows = now
  }
  assert.ok(steps > 3)
  const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
  assert.deepEqual([removal.removed, removal.finished_at], [280, kit.clock.text])
  for (const table of PLATFORM_TABLES) {
    const found = await kit.runSql(
      `SELECT 1 FROM ${table} WHERE platform_id = ${school.platform_id}`,
    )
    assert.deepEqual(found, [], table)
  }
  const [batch] = await kit.runSql('SELECT platforms, lines FROM request_batches')
  assert.equal(batch?.['platforms'], `,${clinic.platform_id},`)
  assert.match(
    String(batch?.['lines']),
    new RegExp(`^\\[null,\\[${clinic.platform_id},[^\\]]+\\]\\]$`),
  )
  assert.equal(await kit.countRows('request_details'), 1)
  assert.equal(await kit.countRows('secrets'), 2)
  assert.equal(await countIndexedTexts(storage), remaining.length)
  assert.deepEqual(await kit.records(), remaining)
  const deletions = await kit.runSql('SELECT * FROM record_deletions')
  assert.equal(deletions.length, 280)
  assert.equal(new Set(deletions.map((row) => row['record_id'])).size, 280)
  for (const { change_seq, platform_name, platform_id } of deletions) {
    assert.ok(Number(change_seq) > Number(newest?.['n']))
    assert.deepEqual([platform_name, Number(platform_id)], ['school', school.platform_id])
  }
  await expectMatchingCounters(kit)
  assert.deepEqual(await kit.outcomesOf(pushWrite(clinic)), ['unchanged'])
  const entries = await kit.activity({ ...ALL_ACTIVITY, platform: 'school' })
  assert.equal(entries[0]?.kind, 'platform.deleted')
  assert.ok(
    entries.some((entry) => entry.kind === 'push.created'),
    'the activity remains',
  )
})

test('the deletion continues after the storage is reopened', async (kit) => {
  const { school } = await createTwoPlatforms(kit)
  await removePlatform(kit, school)
  await kit.storage.removals.runNextStep()
  const storage = await kit.reopen()
  const [halfway] = await storage.removals.listRemovals({ limit: 5, before: null })
  assert.equal(halfway?.finished_at, null)
  await runRemovals(kit)
  assert.equal((await kit.records()).length, 1)
  await expectMatchingCounters(kit)
})

test('removing a platform cancels its running tasks, and later records are rejected', async (kit) => {
  const { storage } = kit
  const school = await kit.register({ modules: ['students', 'staff'] })
  const read = await school.startRead()
  await kit.write(pullWrite(read))
  await removePlatform(kit, school)
  const late = pullWrite(read, { reference: 'r-2' })
  assert.deepEqual(await kit.outcomesOf(late), ['module_not_registered'])
  const { pull_id } = read.read
  const query = { pull_id, limit: 10, after: null }
  const tasks = await storage.pulls.listTasks(query)
  assert.deepEqual(new Set(tasks.map((task) => task.state)), new Set(['cancelled']))
  assert.match(tasks[0]?.error ?? '', /removed/)
  assert.equal(await storage.pulls.startTask(pull_id, 2), null)
  await kit.finishRead(read)
  await runRemovals(kit)
  await kit.finishRead(read)
  assert.equal(await kit.finishPull(pull_id, 'failed'), true)
  assert.equal((await storage.pulls.listTasks(query)).length, 2)
  assert.deepEqual(await kit.records(), [])
  await expectMatchingCounters(kit)
})

test('a wrong name, a wrong id or a repeated request removes nothing', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register()
  const request = { ...school, requested_by: 'ann', at: clock.text }
  for (const over of [{ platform_name: 'School' }, { platform_id: 999 }]) {
    const rejected = await storage.platforms.removePlatform({ ...request, ...over }, changeLog())
    assert.equal(rejected, null)
  }
  only(await storage.platforms.listPlatforms())
  const concurrent = [1, 2, 3].map(() => storage.platforms.removePlatform(request, changeLog()))
  assert.equal((await Promise.all(concurrent)).filter((one) => one !== null).length, 1)
  only(await storage.removals.listRemovals({ limit: 5, before: null }))
})

test('pushes rejected during the deletion are not saved and do not block it', async (kit) => {
  const { storage } = kit
  const { school } = await createTwoPlatforms(kit)
  await removePlatform(kit, school)
  await kit.saveRejected([rejection(school)])
  await runRemovals(kit)
  await kit.saveRejected([rejection(school)])
  const query = { ...ANY_REJECTED, limit: 10, before: null }
  const { rejected_pushes } = await storage.rejectedPushes.listRejectedPushes(query)
  assert.deepEqual(rejected_pushes, [])
  const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
  assert.notEqual(removal.finished_at, null)
})

test('concurrent deletion steps and pushes give the same result as sequential ones', async (kit) => {
  const { storage } = kit
  const { school, clinic } = await createTwoPlatforms(kit)
  await removePlatform(kit, school)
  let pushed = 0
  const pushRecords = async () => {
    for (; pushed < 50; pushed += 1) {
      const reference = `c-${pushed}`
      assert.deepEqual(await kit.outcomesOf(pushWrite(clinic, { reference })), ['created'])
    }
  }
  await Promise.all([runRemovals(kit), runRemovals(kit), pushRecords()])
  const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
  assert.equal(removal.removed, 280)
  assert.equal(await kit.countRows('record_deletions'), 280)
  assert.equal((await kit.records()).length, 51)
  await expectMatchingCounters(kit)
})

const ALL_ACTIVITY = { platform: null, level: null, limit: 5000, before: null }
