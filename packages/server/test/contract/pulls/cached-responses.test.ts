import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CachedResponse } from '../../../src/domain/pull/cached-response.ts'
import type { StartedTask } from '../../../src/storage/port/pull-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import {
  finishTestPull,
  pullOnce,
  pullWrite,
  startTestPull,
  taskOf,
  taskResult,
} from '../../helpers/storage/pulls.ts'

const RESPONSE = {
  ...{ etag: '"v1"', last_modified: null, read_fingerprint: 'fingerprint', records: 1 },
  missing_members: [],
}

/** Runs one pull of one module that saves a cached response. Returns the started task. */
async function pullAndCache(
  storage: Storage,
  platform: TestPlatform,
  toCache: (started: StartedTask) => CachedResponse | null,
  type = 'students',
): Promise<StartedTask> {
  const pull = await startTestPull(storage)
  const { task_number } = taskOf(pull, platform, type)
  const started = await storage.pulls.startTask(pull.pull_id, task_number)
  assert.ok(started)
  const result = taskResult({ cached_response: toCache(started) })
  await storage.pulls.finishTask(pull.pull_id, task_number, result, null)
  await finishTestPull(storage, pull.pull_id)
  return started
}

const cacheNew = ({ pushes }: StartedTask): CachedResponse => ({ ...RESPONSE, pushes })
const cacheSame = ({ cached_response }: StartedTask) => cached_response

onEachEngine((engine) => {
  describe(`cached responses on ${engine.name}`, () => {
    test(
      'the response that a task saves is available unchanged to the next task',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const first = await pullAndCache(kit.storage, school, cacheNew)
        assert.deepEqual([first.cached_response, first.pushes], [null, 0])
        const storage = await kit.reopen()
        for (let count = 0; count < 2; count++) {
          const { cached_response } = await pullAndCache(storage, school, cacheSame)
          assert.deepEqual(cached_response, { ...RESPONSE, pushes: 0 })
        }
        const dated = {
          ...{ ...RESPONSE, etag: null, last_modified: 'Tue, 10 Mar 2026 08:00:00 GMT' },
          missing_members: ['success', 'total'],
        }
        await pullAndCache(storage, school, ({ pushes }) => ({ ...dated, pushes }))
        const { cached_response } = await pullAndCache(storage, school, cacheSame)
        assert.deepEqual(cached_response, { ...dated, pushes: 0 })
      }),
    )

    test(
      'the cached response is deleted if the next task starts but does not save it again',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await pullAndCache(kit.storage, school, cacheNew)
        assert.ok((await pullAndCache(kit.storage, school, () => null)).cached_response)
        assert.equal((await pullAndCache(kit.storage, school, cacheNew)).cached_response, null)

        const interrupted = await startTestPull(kit.storage)
        const { task_number } = taskOf(interrupted, school)
        assert.ok(
          (await kit.storage.pulls.startTask(interrupted.pull_id, task_number))?.cached_response,
        )
        await kit.storage.pulls.interruptPulls()
        const late = taskResult({ cached_response: { ...RESPONSE, pushes: 0 } })
        await kit.storage.pulls.finishTask(interrupted.pull_id, task_number, late, null)
        assert.equal((await pullAndCache(kit.storage, school, cacheSame)).cached_response, null)
      }),
    )

    for (const [effect, over, outcome] of [
      ['creates a record', { reference: 'r-2' }, 'created'],
      ['changes a record', { data: '{"a":2}' }, 'updated'],
      ['changes nothing', { data: '{"a":1}' }, 'unchanged'],
      ['is stale', { data: '{"a":2}', occurred_at: '2026-01-01T00:00:00.000000000Z' }, 'stale'],
    ] as const) {
      test(
        `a push that ${effect} invalidates the cached response, even within the same millisecond`,
        withStorage(engine, async (kit) => {
          const school = await registerTestPlatform(kit)
          await pullOnce(kit, school, async (read) => {
            await write(kit, pullWrite(read, { data: '{"a":1}' }))
          })
          await pullAndCache(kit.storage, school, cacheNew)
          assert.deepEqual(outcomesOf(await write(kit, pushWrite(school, over))), [outcome])
          const { cached_response, pushes } = await pullAndCache(kit.storage, school, cacheNew)
          assert.deepEqual([cached_response, pushes], [null, 1])
          assert.ok((await pullAndCache(kit.storage, school, cacheSame)).cached_response)
        }),
      )
    }

    test(
      'a push while the task is running invalidates the response that the task saves',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const pull = await startTestPull(kit.storage)
        const { task_number } = taskOf(pull, school)
        const started = await kit.storage.pulls.startTask(pull.pull_id, task_number)
        assert.ok(started)
        await write(kit, pushWrite(school))
        const result = taskResult({ cached_response: cacheNew(started) })
        await kit.storage.pulls.finishTask(pull.pull_id, task_number, result, null)
        await finishTestPull(kit.storage, pull.pull_id)
        assert.equal((await pullAndCache(kit.storage, school, cacheSame)).cached_response, null)
      }),
    )

    test(
      'pushes to other modules and records changed by a pull do not invalidate the cached response',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'rooms'] })
        const college = await registerTestPlatform(kit, { name: 'college' })
        await pullAndCache(kit.storage, school, cacheNew)
        await write(kit, pushWrite(school, { record_type: 'rooms' }), pushWrite(college))
        await pullOnce(
          kit,
          school,
          async (read) => {
            await write(kit, pullWrite(read, { reference: 'r-7' }))
          },
          { record_type: 'rooms' },
        )
        assert.ok((await pullAndCache(kit.storage, school, cacheSame)).cached_response)
        assert.equal((await pullAndCache(kit.storage, school, cacheSame, 'rooms')).pushes, 1)
      }),
    )

    test(
      'each concurrent push is counted exactly once',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            write(
              kit,
              pushWrite(school, { reference: `r-${index % 5}` }),
              pushWrite(school, { reference: `s-${index}`, source: 'PATCH' }),
            ),
          ),
        )
        assert.equal((await pullAndCache(kit.storage, school, cacheSame)).pushes, 40)
      }),
    )
  })
})
