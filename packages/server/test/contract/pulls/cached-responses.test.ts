import assert from 'node:assert/strict'
import type { CachedResponse } from '../../../src/domain/pull/unchanged.ts'
import type { StartedTask } from '../../../src/storage/port/pull-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite, type TestPlatform } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { EMPTY_READ, pullWrite, taskOf, taskResult } from '../../helpers/storage/pulls.ts'

const RESPONSE = {
  ...{ etag: '"v1"', last_modified: null, read_fingerprint: 'fingerprint', records: 1 },
  missing_members: [],
}

/** Runs one pull of one module that saves a cached response. Returns the started task. */
async function pullAndCache(
  kit: StorageKit,
  platform: TestPlatform,
  toCache: (started: StartedTask) => CachedResponse | null,
  type = 'students',
): Promise<StartedTask> {
  const { storage } = kit
  const pull = await kit.startPull()
  const { task_number } = taskOf(pull, platform, type)
  const started = await storage.pulls.startTask(pull.pull_id, task_number)
  assert.ok(started)
  const result = taskResult({ cached_response: toCache(started) })
  await storage.pulls.finishTask(pull.pull_id, task_number, result, null)
  await kit.finishPull(pull.pull_id)
  return started
}

const cacheNew = ({ version }: StartedTask): CachedResponse => ({ ...RESPONSE, version })
const cacheSame = ({ cached_response }: StartedTask) => cached_response

test('the response that a task saves is available unchanged to the next task', async (kit) => {
  const school = await kit.register()
  const first = await pullAndCache(kit, school, cacheNew)
  assert.deepEqual([first.cached_response, first.pushes], [null, 0])
  await kit.reopen()
  for (let count = 0; count < 2; count++) {
    const { cached_response } = await pullAndCache(kit, school, cacheSame)
    assert.deepEqual(cached_response, { ...RESPONSE, version: 0 })
  }
  const dated = {
    ...{ ...RESPONSE, etag: null, last_modified: 'Tue, 10 Mar 2026 08:00:00 GMT' },
    missing_members: ['success', 'total'],
  }
  await pullAndCache(kit, school, ({ version }) => ({ ...dated, version }))
  const { cached_response } = await pullAndCache(kit, school, cacheSame)
  assert.deepEqual(cached_response, { ...dated, version: 0 })
})

test('the cached response is deleted if the next task starts but does not save it again', async (kit) => {
  const school = await kit.register()
  await pullAndCache(kit, school, cacheNew)
  assert.ok((await pullAndCache(kit, school, () => null)).cached_response)
  assert.equal((await pullAndCache(kit, school, cacheNew)).cached_response, null)

  const interrupted = await kit.startPull()
  const { task_number } = taskOf(interrupted, school)
  assert.ok((await kit.storage.pulls.startTask(interrupted.pull_id, task_number))?.cached_response)
  await kit.storage.pulls.interruptPulls()
  const late = taskResult({ cached_response: { ...RESPONSE, version: 0 } })
  await kit.storage.pulls.finishTask(interrupted.pull_id, task_number, late, null)
  assert.equal((await pullAndCache(kit, school, cacheSame)).cached_response, null)
})

for (const [effect, over, outcome] of [
  ['creates a record', { reference: 'r-2' }, 'created'],
  ['changes a record', { data: '{"a":2}' }, 'updated'],
  ['changes nothing', { data: '{"a":1}' }, 'unchanged'],
  ['is stale', { data: '{"a":2}', occurred_at: '2026-01-01T00:00:00.000000000Z' }, 'stale'],
] as const) {
  test(`a push that ${effect} invalidates the cached response, even within the same millisecond`, async (kit) => {
    const school = await kit.register()
    await school.pull(async (read) => {
      await kit.write(pullWrite(read, { data: '{"a":1}' }))
    })
    await pullAndCache(kit, school, cacheNew)
    assert.deepEqual(await kit.outcomesOf(pushWrite(school, over)), [outcome])
    const { cached_response, pushes } = await pullAndCache(kit, school, cacheNew)
    assert.deepEqual([cached_response, pushes], [null, 1])
    assert.ok((await pullAndCache(kit, school, cacheSame)).cached_response)
  })
}

test('a push while the task is running invalidates the response that the task saves', async (kit) => {
  const school = await kit.register()
  const pull = await kit.startPull()
  const { task_number } = taskOf(pull, school)
  const started = await kit.storage.pulls.startTask(pull.pull_id, task_number)
  assert.ok(started)
  await school.post()
  const result = taskResult({ cached_response: cacheNew(started) })
  await kit.storage.pulls.finishTask(pull.pull_id, task_number, result, null)
  await kit.finishPull(pull.pull_id)
  assert.equal((await pullAndCache(kit, school, cacheSame)).cached_response, null)
})

test('pushes to other modules and records changed by a pull do not invalidate the cached response', async (kit) => {
  const school = await kit.register({ modules: ['students', 'rooms'] })
  const college = await kit.register({ name: 'college' })
  await pullAndCache(kit, school, cacheNew)
  await kit.write(pushWrite(school, { record_type: 'rooms' }), pushWrite(college))
  await school.pull(
    async (read) => {
      await kit.write(pullWrite(read, { reference: 'r-7' }))
    },
    { record_type: 'rooms' },
  )
  assert.ok((await pullAndCache(kit, school, cacheSame)).cached_response)
  assert.equal((await pullAndCache(kit, school, cacheSame, 'rooms')).pushes, 1)
})

test('each concurrent push is counted exactly once', async (kit) => {
  const school = await kit.register()
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      kit.write(
        pushWrite(school, { reference: `r-${index % 5}` }),
        pushWrite(school, { reference: `s-${index}`, source: 'PATCH' }),
      ),
    ),
  )
  assert.equal((await pullAndCache(kit, school, cacheSame)).pushes, 40)
})

test('the mode of the next pull can be set for all modules, a platform and a module, until a read succeeds', async (kit) => {
  const { pulls } = kit.storage
  const school = await kit.register({ modules: ['students', 'rooms'], offered: ['staff'] })
  const college = await kit.register({ name: 'college' })
  const modules = [
    [school, 'students'],
    [school, 'rooms'],
    [college, 'students'],
  ] as const
  /** Pulls each module, and returns the modes of those that are not read as usual. */
  const pullAndFindModes = async (
    mode?: 'full' | 'digest',
    end = taskResult({ read: EMPTY_READ }),
  ) => {
    const modes: string[] = []
    const pull = await kit.startPull(undefined, mode)
    for (const [platform, type] of modules) {
      const { task_number, pull_mode } = taskOf(pull, platform, type)
      if (pull_mode !== 'auto') modes.push(`${platform.platform_name} ${type} ${pull_mode}`)
      await pulls.startTask(pull.pull_id, task_number)
      await pulls.finishTask(pull.pull_id, task_number, end, null)
    }
    await kit.finishPull(pull.pull_id)
    return modes
  }
  const all = (mode: string) =>
    modules.map(([{ platform_name }, type]) => `${platform_name} ${type} ${mode}`)
  assert.deepEqual(await pullAndFindModes(), [])
  const { platform_id } = school
  assert.equal(await pulls.setNextMode(null, 'full'), 3)
  const failed = taskResult({ state: 'failed', error: 'HTTP 500' })
  assert.deepEqual(await pullAndFindModes(undefined, failed), all('full'))
  assert.deepEqual(await pullAndFindModes(), all('full'))
  assert.equal(await pulls.setNextMode({ platform_id, record_types: null }, 'digest'), 2)
  assert.equal(await pulls.setNextMode({ platform_id, record_types: ['rooms'] }, 'auto'), 1)
  assert.deepEqual(await pullAndFindModes(), ['school students digest'])
  await pulls.setNextMode(null, 'full')
  assert.deepEqual(await pullAndFindModes('digest'), all('digest'))
  assert.deepEqual(await pullAndFindModes(), [])
  // A task that runs when the mode is set may not read all records.
  await pulls.setNextMode(null, 'full')
  assert.deepEqual(
    await pullAndFindModes('digest', taskResult({ mode: 'not_modified', read: EMPTY_READ })),
    all('digest'),
  )
  assert.deepEqual(await pullAndFindModes(), all('full'))
  // A pull that was requested in full stays so until it succeeds.
  assert.deepEqual(await pullAndFindModes('full', failed), all('full'))
  assert.deepEqual(await pullAndFindModes(), all('full'))
})
