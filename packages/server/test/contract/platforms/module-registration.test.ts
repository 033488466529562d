import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StorageKit, withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { missingReview } from '../../helpers/storage/missing.ts'
import {
  finishRead,
  finishTestPull,
  pullOnce,
  pullWrite,
  requestPull,
  startPullAndRead,
  startRead,
  startTestPull,
  taskResult,
} from '../../helpers/storage/pulls.ts'
import { countRows } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`registering and unregistering modules on ${engine.name}`, () => {
    test(
      'an unregistered module is neither pushed nor pulled; its records remain and can be updated later',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        await write(kit, pushWrite(school))
        const [before] = await listRecords(kit.storage)
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
        assert.deepEqual(outcomesOf(await write(kit, pushWrite(school))), ['module_not_registered'])
        assert.deepEqual(
          outcomesOf(await write(kit, pushWrite(school, { record_type: 'staff' }))),
          ['created'],
        )
        assert.deepEqual((await listRecords(kit.storage))[0], before)
        const pull = await startTestPull(kit.storage)
        assert.equal(only(pull.tasks).record_type, 'staff')
        await finishTestPull(kit.storage, pull.pull_id)
        await register(kit, school, ['staff', 'students'])
        const outcome = only(await write(kit, pushWrite(school, { full_name: 'Bea' })))
        assert.equal(outcome.outcome, 'updated')
        assert.equal(outcome.outcome === 'updated' && outcome.record_id, before?.record_id)
      }),
    )

    test(
      'unregistering a module during a pull stops the pull from storing records',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(kit.storage, school)
        assert.deepEqual(outcomesOf(await write(kit, pullWrite(read))), ['created'])
        await register(kit, school, [])
        const late = pullWrite(read, { reference: 'r-2' })
        assert.deepEqual(outcomesOf(await write(kit, late)), ['module_not_registered'])
        only(await listRecords(kit.storage))
      }),
    )

    test(
      'an unchanged registration is not logged, and an unknown module changes nothing',
      withStorage(engine, async (kit) => {
        const { storage, clock } = kit
        const school = await registerTestPlatform(kit, { offered: ['staff'] })
        const entries = await countRows(storage, 'activity')
        await register(kit, school, ['students'])
        assert.equal(await countRows(storage, 'activity'), entries)
        const { platform_id } = school
        const change = { platform_id, record_types: ['staff', 'unknown'], at: clock.text }
        assert.deepEqual(await storage.platforms.setRegisteredModules(change, changeLog()), {
          outcome: 'unknown_module',
          record_type: 'unknown',
        })
        const platform = await storage.platforms.readPlatform(platform_id)
        assert.equal(platform?.modules_registered, 1)
        assert.equal(await countRows(storage, 'activity'), entries)
        await register(kit, school, ['staff'])
        assert.equal(await countRows(storage, 'activity'), entries + 1)
        const none = { platform_id: 999, record_types: [], at: clock.text }
        assert.equal(await storage.platforms.setRegisteredModules(none, changeLog()), null)
      }),
    )

    test(
      'unregistering invalidates the cached response, including that of a running task',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        const cached = {
          etag: '"1"',
          last_modified: null,
          read_fingerprint: 'fingerprint',
          records: 0,
          pushes: 0,
          missing_members: [],
        }
        const startPullTask = async () => {
          const pull = await startTestPull(storage)
          const [task] = pull.tasks
          assert.ok(task)
          const started = await storage.pulls.startTask(pull.pull_id, task.task_number)
          return {
            found: started?.cached_response ?? null,
            async end() {
              const result = taskResult({
                cached_response: { ...cached, pushes: started?.pushes ?? 0 },
              })
              await storage.pulls.finishTask(pull.pull_id, task.task_number, result, null)
              await finishTestPull(storage, pull.pull_id)
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
      }),
    )

    test(
      'unregistering closes the missing review and deletes the missing candidates',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        const read = await startPullAndRead(storage, school)
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
      }),
    )

    test(
      'each concurrent write is either stored or rejected while a module is unregistered',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const { pull } = await requestPull(kit.storage)
        const tasks = await kit.storage.pulls.startPull(pull.id, { owner: 'node-1', seconds: 30 })
        assert.ok(tasks)
        const read = await startRead(kit.storage, { pull_id: pull.id, tasks }, school)
        const outcomes = await Promise.all([
          ...Array.from({ length: 20 }, (_, n) =>
            write(kit, pushWrite(school, { reference: `p-${n}` })),
          ),
          register(kit, school, []).then(() => []),
          ...Array.from({ length: 20 }, (_, n) =>
            write(kit, pullWrite(read, { reference: `r-${n}` })),
          ),
        ])
        const results = outcomesOf(outcomes.flat())
        const created = results.filter((result) => result === 'created').length
        const rejected = results.filter((result) => result === 'module_not_registered').length
        assert.equal(created + rejected, 40)
        assert.equal((await listRecords(kit.storage)).length, created)
        await finishRead(kit.storage, read)
        await finishTestPull(kit.storage, pull.id)
        await register(kit, school, ['students'])
        await pullOnce(kit, school, async (again) => {
          assert.deepEqual(outcomesOf(await write(kit, pullWrite(again, { reference: 'new' }))), [
            'created',
          ])
        })
      }),
    )
  })
})

async function register(
  { storage, clock }: Pick<StorageKit, 'storage' | 'clock'>,
  { platform_id }: TestPlatform,
  record_types: string[],
) {
  const change = { platform_id, record_types, at: clock.text }
  const changed = await storage.platforms.setRegisteredModules(change, changeLog())
  assert.ok(changed?.outcome === 'changed')
  return changed.platform
}
