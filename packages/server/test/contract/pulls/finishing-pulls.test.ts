import assert from 'node:assert/strict'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import { listActivity, only } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { EMPTY_READ, NO_COUNTS, SOME_COUNTS, taskResult } from '../../helpers/storage/pulls.ts'

test('a late report or a second result does not change a finished task', async (kit) => {
  await kit.register()
  const { pulls } = kit.storage
  const { pull_id } = await kit.startPull()
  await pulls.startTask(pull_id, 1)
  kit.clock.advance(9)
  const warnings = ['total differs: 11 "announced", 10 received', 'ü']
  const entry = { level: 'info', kind: 'task.first', message: 'Read' } as const
  const result = taskResult({ total: 11, counts: SOME_COUNTS, warnings, read: EMPTY_READ })
  await pulls.finishTask(pull_id, 1, result, entry)
  const finished = only(await listTasks(kit.storage, pull_id))
  const { started_at, ...task } = finished
  assert.ok(started_at)
  assert.deepEqual(task, {
    task_number: 1,
    platform_name: 'school',
    platform_title: 'Title school',
    record_type: 'students',
    module_name: 'Module students',
    state: 'succeeded',
    total: 11,
    expected: 11,
    ...SOME_COUNTS,
    error: null,
    warnings,
    ...{ mode: 'full', full_because: 'due', digest: null },
    waiting_since: null,
    finished_at: kit.clock.text,
  })
  kit.clock.advance(9)
  await pulls.reportTask(pull_id, 1, { total: 99, counts: NO_COUNTS })
  const second = taskResult({ state: 'failed', error: 'Second' })
  await pulls.finishTask(pull_id, 1, second, { ...entry, kind: 'task.second' })
  await pulls.finishTask(pull_id, 77, second, { ...entry, kind: 'task.none' })
  assert.deepEqual(await listTasks(kit.storage, pull_id), [finished])
  assert.equal((await readPlatform(kit.storage)).last_error, null)
  const kinds = await kindsOf(kit.storage)
  assert.deepEqual([kinds[0], kinds.includes('task.second')], ['task.first', false])
})

test('the error of a failed task is the last error of its platform until a task succeeds', async (kit) => {
  await kit.register()
  const failed = await endOneTask(kit, { state: 'failed', error: 'HTTP 500' })
  assert.deepEqual(failed, { last_error: 'HTTP 500', latest_sync_at: null })
  const succeeded = await endOneTask(kit, { read: EMPTY_READ })
  assert.deepEqual(succeeded, { last_error: null, latest_sync_at: kit.clock.text })
  const timedOut = await endOneTask(kit, { state: 'timed_out', error: 'Too slow' })
  assert.deepEqual(timedOut, { ...succeeded, last_error: 'Too slow' })
})

test('an ended pull names how many platforms failed, and the first of them with its error', async (kit) => {
  for (const platform of ['school', 'clinic']) await kit.register({ name: platform })
  const { pulls } = kit.storage
  const { pull_id } = await kit.startPull()
  for (const [number, error] of ['HTTP 500', 'HTTP 503'].entries()) {
    await pulls.startTask(pull_id, number + 1)
    await pulls.finishTask(pull_id, number + 1, taskResult({ state: 'failed', error }), null)
  }
  assert.equal((await pulls.readPull(pull_id))?.failure, null)
  await kit.finishPull(pull_id, 'failed')
  const failure = { platforms: 2, platform_title: 'Title school', error: 'HTTP 500' }
  assert.deepEqual((await pulls.readPull(pull_id))?.failure, failure)
})

test('a task that ends without success and without an error does not change the last error', async (kit) => {
  await kit.register()
  const failed = await endOneTask(kit, { state: 'failed', error: 'HTTP 500' })
  assert.deepEqual(await endOneTask(kit, { state: 'cancelled' }), failed)
  assert.deepEqual(await endOneTask(kit, { state: 'not_reached' }), failed)
})

test('a task that has requested nothing does not end the failures of its platform', async (kit) => {
  await kit.register()
  for (let pull = 0; pull < 5; pull++) {
    await endOneTask(kit, { state: 'failed', error: 'HTTP 503' })
    assert.equal((await kindsOf(kit.storage)).includes('platform.passed_over'), pull === 4)
    await endOneTask(kit, { is_idle: true })
  }
  assert.equal((await readPlatform(kit.storage)).last_error, 'HTTP 503')
})

test('finishing a pull finishes only its unfinished tasks, and a second call changes nothing', async (kit) => {
  await kit.register({ modules: ['a', 'b', 'c'] })
  const { pulls } = kit.storage
  const { pull_id } = await kit.startPull()
  await pulls.startTask(pull_id, 1)
  await pulls.startTask(pull_id, 2)
  await pulls.finishTask(pull_id, 1, taskResult({ counts: SOME_COUNTS }), null)
  kit.clock.advance(900)
  const entry = { level: 'error', kind: 'pull.timed_out', message: 'Too long' } as const
  const end = { state: 'timed_out', unfinishedTasks: 'timed_out' } as const
  assert.equal(await pulls.finishPull(pull_id, end, entry), true)
  const ended = await pulls.readPull(pull_id)
  assert.deepEqual([ended?.state, ended?.finished_at], ['timed_out', kit.clock.text])
  assert.deepEqual([ended?.progress.tasks_done, ended?.progress.percent], [3, 100])
  const tasks = await listTasks(kit.storage, pull_id)
  assert.deepEqual(
    tasks.map((task) => task.state),
    ['succeeded', 'timed_out', 'timed_out'],
  )
  kit.clock.advance(1)
  assert.equal(await kit.finishPull(pull_id, 'succeeded'), false)
  await pulls.finishTask(pull_id, 2, taskResult(), null)
  await pulls.reportTask(pull_id, 2, { total: 1, counts: SOME_COUNTS })
  assert.deepEqual(await pulls.readPull(pull_id), ended)
  assert.deepEqual(await listTasks(kit.storage, pull_id), tasks)
  const kinds = await kindsOf(kit.storage)
  assert.deepEqual([kinds[0], kinds.includes('pull.succeeded')], ['pull.timed_out', false])
})

function listTasks(storage: Storage, pullId: number) {
  return storage.pulls.listTasks({ pull_id: pullId, limit: 100, after: null })
}

/** Runs one pull of the only module and returns the resulting platform state. */
async function endOneTask(kit: StorageKit, result: Parameters<typeof taskResult>[0]) {
  const { storage, clock } = kit
  const { pull_id } = await kit.startPull()
  clock.advance(60)
  await storage.pulls.finishTask(pull_id, 1, taskResult(result), null)
  await kit.finishPull(pull_id)
  const { last_error, latest_sync_at } = await readPlatform(storage)
  return { last_error, latest_sync_at }
}

async function readPlatform(storage: Storage) {
  return only(await storage.platforms.listPlatforms())
}

async function kindsOf(storage: Storage): Promise<string[]> {
  const query = { platform: null, level: null, limit: 100, before: null }
  return (await listActivity(storage.activity, query)).map((line) => line.kind)
}
