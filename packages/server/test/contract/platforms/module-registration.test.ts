import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  only,
  outcomesOf,
  pushWrite,
  type TestPlatform,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { missingReview } from '../../helpers/storage/missing.ts'
import { setRegisteredModules } from '../../helpers/storage/platform-changes.ts'
import { pullWrite, taskResult } from '../../helpers/storage/pulls.ts'

test('an unregistered module is neither pushed nor pulled; its records remain and can be updated later', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  await school.post()
  const [before] = await kit.records()
  const platform = await register(kit, school, ['staff'])
  assert.deepEqual(
    platform.modules.map((module) => [module.record_type, module.registered]),
    [
      ['students', false],
      ['staff', true],
    ],
  )
  assert.equal(platform.modules_registered, 1)
  assert.equal(platform.records, 1)
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['module_not_registered'])
  assert.deepEqual(await kit.outcomesOf(pushWrite(school, { record_type: 'staff' })), ['created'])
  assert.deepEqual((await kit.records())[0], before)
  const pull = await kit.startPull()
  assert.equal(only(pull.tasks).record_type, 'staff')
  await kit.finishPull(pull.pull_id)
  await register(kit, school, ['staff', 'students'])
  const outcome = only(await kit.write(pushWrite(school, { full_name: 'Bea' })))
  assert.equal(outcome.outcome, 'updated')
  assert.equal(outcome.outcome === 'updated' && outcome.record_id, before?.record_id)
})

test('unregistering a module during a pull stops the pull from storing records', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  assert.deepEqual(await kit.outcomesOf(pullWrite(read)), ['created'])
  await register(kit, school, [])
  const late = pullWrite(read, { reference: 'r-2' })
  assert.deepEqual(await kit.outcomesOf(late), ['module_not_registered'])
  only(await kit.records())
})

test('an unchanged registration is not logged, and an unknown module changes nothing', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register({ offered: ['staff'] })
  const entries = await kit.countRows('activity')
  await register(kit, school, ['students'])
  assert.equal(await kit.countRows('activity'), entries)
  const { platform_id } = school
  const change = { platform_id, record_types: ['staff', 'unknown'], at: clock.text }
  assert.deepEqual(await setRegisteredModules(storage.platforms, change, changeLog()), {
    outcome: 'unknown_module',
    record_type: 'unknown',
  })
  // Nor do the other changes of the request apply.
  const log = changeLog()
  const source = { source_base_url: 'https://new.example', encrypted_source_key: 'new', log }
  const modules = { record_types: ['unknown'], log }
  const status = { status: 'inactive', log } as const
  const update = { platform_id, at: clock.text, source, modules, status }
  assert.equal((await storage.platforms.changePlatform(update))?.outcome, 'unknown_module')
  const platform = await storage.platforms.readPlatform(platform_id)
  assert.equal(platform?.modules_registered, 1)
  assert.equal(platform.status, 'active')
  assert.notEqual(platform.source_base_url, 'https://new.example')
  assert.equal(await kit.countRows('activity'), entries)
  await register(kit, school, ['staff'])
  assert.equal(await kit.countRows('activity'), entries + 1)
  const none = { platform_id: 999, record_types: [], at: clock.text }
  assert.equal(await setRegisteredModules(storage.platforms, none, changeLog()), null)
})

test('unregistering invalidates the cached response, including that of a running task', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const cached = {
    etag: '"1"',
    last_modified: null,
    read_fingerprint: 'fingerprint',
    records: 0,
    version: 0,
    missing_members: [],
  }
  const startPullTask = async () => {
    const pull = await kit.startPull()
    const [task] = pull.tasks
    assert.ok(task)
    const started = await storage.pulls.startTask(pull.pull_id, task.task_number)
    return {
      found: started?.cached_response ?? null,
      async end() {
        const result = taskResult({
          cached_response: { ...cached, version: started?.version ?? 0 },
        })
        await storage.pulls.finishTask(pull.pull_id, task.task_number, result, null)
        await kit.finishPull(pull.pull_id)
      },
    }
  }
  await (await startPullTask()).end()
  const second = await startPullTask()
  assert.equal(second.found?.etag, '"1"')
  await register(kit, school, [])
  await register(kit, school, ['students'])
  await second.end()
  const third = await startPullTask()
  assert.equal(third.found, null)
  await third.end()
  assert.equal((await startPullTask()).found?.etag, '"1"')
})

test('unregistering closes the missing review and deletes the missing candidates', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const read = await school.startRead()
  const entry = { level: 'info', kind: 'test.entry', message: 'Test entry' } as const
  await storage.missing.createReview(missingReview(read), null, entry)
  await storage.missing.saveCandidates(read.read, [1, 2])
  await register(kit, school, [])
  assert.deepEqual(await storage.missing.readMissingState(read.read), {
    review: null,
    candidates: null,
  })
  const [review] = await storage.missing.listReviews({ state: null, limit: 5, before: null })
  assert.equal(review?.state, 'resolved')
  assert.equal(review?.closed_at, kit.clock.text)
})

test('each concurrent write is either stored or rejected while a module is unregistered', async (kit) => {
  const school = await kit.register()
  const { pull } = await kit.requestPull()
  const tasks = await kit.storage.pulls.startPull(pull.id, { owner: 'node-1', seconds: 30 })
  assert.ok(tasks)
  const read = await kit.startRead({ pull_id: pull.id, tasks }, school)
  const outcomes = await Promise.all([
    ...Array.from({ length: 20 }, (_, n) => kit.write(pushWrite(school, { reference: `p-${n}` }))),
    register(kit, school, []).then(() => []),
    ...Array.from({ length: 20 }, (_, n) => kit.write(pullWrite(read, { reference: `r-${n}` }))),
  ])
  const results = outcomesOf(outcomes.flat())
  const created = results.filter((result) => result === 'created').length
  const rejected = results.filter((result) => result === 'module_not_registered').length
  assert.equal(created + rejected, 40)
  assert.equal((await kit.records()).length, created)
  await kit.finishRead(read)
  await kit.finishPull(pull.id)
  await register(kit, school, ['students'])
  await school.pull(async (again) => {
    assert.deepEqual(await kit.outcomesOf(pullWrite(again, { reference: 'new' })), ['created'])
  })
})

async function register(
  { storage, clock }: Pick<StorageKit, 'storage' | 'clock'>,
  { platform_id }: TestPlatform,
  record_types: string[],
) {
  const change = { platform_id, record_types, at: clock.text }
  const changed = await setRegisteredModules(storage.platforms, change, changeLog())
  assert.ok(changed?.outcome === 'changed')
  return changed.platform
}
