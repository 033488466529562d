import assert from 'node:assert/strict'
import type { PullTask } from '@recordhub/protocol'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  only,
  outcomesOf,
  pushWrite,
  readPages,
  testModule,
} from '../../helpers/storage/fixtures.ts'
import {
  EMPTY_READ,
  LEASE,
  NO_COUNTS,
  pullWrite,
  SOME_COUNTS,
  type TestPull,
  taskOf,
  taskResult,
} from '../../helpers/storage/pulls.ts'

test('starting a pull returns its tasks with the data needed to fetch their modules', async (kit) => {
  const school = await kit.register()
  const { tasks } = await kit.startPull()
  const { module_id, ...task } = only(tasks)
  assert.ok(module_id > 0)
  const { record_type, module_name, fields } = testModule('students')
  const { platform_id } = school
  const rest = { drift_policy: 'accept', pull_mode: 'auto', error: null, problem: null } as const
  const content = { record_type, module_name, fields, ...rest }
  assert.deepEqual(task, { task_number: 1, platform_id, trigger: 'operator', ...content })
})

test('the tasks of a pull are counted by state', async (kit) => {
  await kit.register({ modules: ['a', 'b', 'c'] })
  const { pulls } = kit.storage
  const { pull_id, tasks } = await kit.startPull()
  assert.deepEqual(await pulls.tallyTasks(pull_id), { queued: 3 })
  const [first, second] = tasks.map((task) => task.task_number)
  await pulls.startTask(pull_id, first ?? 0)
  await pulls.finishTask(pull_id, first ?? 0, taskResult(), null)
  await pulls.startTask(pull_id, second ?? 0)
  assert.deepEqual(await pulls.tallyTasks(pull_id), { succeeded: 1, running: 1, queued: 1 })
  assert.deepEqual(await pulls.tallyTasks(pull_id + 1), {})
})

test('tasks are ordered by the last complete pull of their module, and modules that were never pulled come first', async (kit) => {
  const types = ['a', 'b', 'c', 'd']
  await kit.register({ modules: types })
  const { pulls } = kit.storage
  const orderOf = (pull: TestPull) => pull.tasks.map((task) => task.record_type)
  const first = await kit.startPull()
  for (const type of ['c', 'a']) {
    kit.clock.advance(1)
    const task = first.tasks.find((one) => one.record_type === type)
    await pulls.finishTask(
      first.pull_id,
      task?.task_number ?? 0,
      taskResult({ read: EMPTY_READ }),
      null,
    )
  }
  const incomplete = first.tasks.find((one) => one.record_type === 'd')
  await pulls.finishTask(first.pull_id, incomplete?.task_number ?? 0, taskResult(), null)
  await kit.finishPull(first.pull_id)

  const second = await kit.startPull()
  assert.deepEqual(orderOf(second).slice(0, 2).sort(), ['b', 'd'])
  assert.deepEqual(orderOf(second).slice(2), ['c', 'a'])
  for (const task of second.tasks) {
    kit.clock.advance(1)
    await pulls.finishTask(second.pull_id, task.task_number, taskResult({ read: EMPTY_READ }), null)
  }
  await kit.finishPull(second.pull_id)
  assert.deepEqual(orderOf(await kit.startPull()), orderOf(second))
})

test('a task overwrites records pushed before it started, but not those pushed after', async (kit) => {
  const school = await kit.register({ modules: ['students', 'rooms'] })
  const pull = await kit.startPull()
  await school.post({ reference: 'before' })
  const students = await kit.startRead(pull, school)
  await school.post({ reference: 'between' })
  await school.post({ reference: 'between', record_type: 'rooms' })
  const rooms = await kit.startRead(pull, school, { record_type: 'rooms' })
  assert.ok(rooms.read.snapshotSeq > students.read.snapshotSeq)
  const data = '{"a":"read"}'
  const outcomes = await kit.write(
    pullWrite(students, { reference: 'before', data }),
    pullWrite(students, { reference: 'between', data }),
    pullWrite(rooms, { reference: 'between', data }),
  )
  assert.deepEqual(outcomesOf(outcomes), ['updated', 'stale', 'updated'])
})

test('a started task is running, and no task can be started after its pull has finished', async (kit) => {
  await kit.register({ modules: ['students', 'rooms'] })
  const { pulls } = kit.storage
  const { pull_id } = await kit.startPull()
  kit.clock.advance(3)
  assert.ok(await pulls.startTask(pull_id, 1))
  const [task] = await listTasks(kit.storage, pull_id)
  assert.deepEqual([task?.state, task?.started_at], ['running', kit.clock.text])
  await kit.finishPull(pull_id, 'cancelled')
  assert.equal(await pulls.startTask(pull_id, 2), null)
  assert.equal(await pulls.startTask(999, 1), null)
  const states = (await listTasks(kit.storage, pull_id)).map((one) => one.state)
  assert.deepEqual(states, ['not_reached', 'not_reached'])
})

test('the progress of a pull is the sum of the reports of its tasks', async (kit) => {
  await kit.register({ modules: ['a', 'b', 'c'] })
  const { pulls } = kit.storage
  const { pull_id } = await kit.startPull()
  await pulls.startTask(pull_id, 1)
  await pulls.startTask(pull_id, 2)
  await pulls.reportTask(pull_id, 1, { total: null, counts: { ...NO_COUNTS, received: 1 } })
  assert.equal((await pulls.readPull(pull_id))?.progress.records_total, null)
  await pulls.reportTask(pull_id, 1, { total: 40, counts: { ...SOME_COUNTS, received: 5 } })
  await pulls.reportTask(pull_id, 2, { total: 0, counts: SOME_COUNTS })
  await pulls.finishTask(pull_id, 2, taskResult({ total: 0, counts: SOME_COUNTS }), null)
  const pull = await pulls.readPull(pull_id)
  assert.deepEqual(pull?.progress, {
    tasks_total: 3,
    tasks_done: 1,
    task_states: { queued: 1, running: 1, succeeded: 1 },
    records_total: 40,
    records_received: 15,
    // The module that has not been read counts as the average of the others.
    records_expected: 75,
    records_done: 15,
    percent: 20,
    records_per_second: 5,
    seconds_left: null,
    waiting: null,
  })
  assert.deepEqual(pull?.counts, {
    received: 15,
    created: 8,
    updated: 6,
    unchanged: 2,
    stale: 2,
    held: 2,
    rejected: 2,
    accepted: 12,
    missing: 4,
    not_listed: 10,
  })
  const { snapshot } = kit.storage
  const shown = (await snapshot.readSnapshot(kit.clock.day)).pull
  assert.deepEqual([shown.running, shown.pull], [true, pull])
})

test('progress uses the total of the platform, or without one the number of stored records', async (kit) => {
  const school = await kit.register({ modules: ['a', 'b'] })
  const pushes = Array.from({ length: 10 }, (_, index) =>
    pushWrite(school, { record_type: 'a', reference: `r-${index}` }),
  )
  await kit.write(...pushes)
  await school.post({ record_type: 'b' })
  const { pulls } = kit.storage
  const pull = await kit.startPull()
  const task = taskOf(pull, school, 'a')
  await pulls.startTask(pull.pull_id, task.task_number)
  kit.clock.advance(2)
  const progress = async () => (await pulls.readPull(pull.pull_id))?.progress
  const report = (received: number, total: number | null) =>
    pulls.reportTask(pull.pull_id, task.task_number, {
      total,
      counts: { ...NO_COUNTS, received },
    })
  await report(4, null)
  const early = await progress()
  assert.deepEqual(
    [early?.percent, early?.records_per_second, early?.seconds_left],
    [Math.floor(400 / 11), 2, null],
  )
  await report(4, 99)
  const withTotal = await progress()
  assert.deepEqual([withTotal?.percent, withTotal?.seconds_left], [4, 48])
  // A module with more records than its total does not complete the pull.
  await report(500, 99)
  assert.equal((await progress())?.percent, 99)
  await kit.finishPull(pull.pull_id)
  assert.deepEqual((await progress())?.percent, 100)
})

test('a pull waits while each running task does, for the platform that has waited longest', async (kit) => {
  await kit.register({ modules: ['a', 'b'] })
  const { pulls } = kit.storage
  const { pull_id } = await kit.startPull()
  await pulls.startTask(pull_id, 1)
  await pulls.startTask(pull_id, 2)
  const since = kit.clock.text
  const report = (task: number, waiting_since: string | null) =>
    pulls.reportTask(pull_id, task, { total: null, counts: NO_COUNTS, waiting_since })
  const readWaiting = async () => (await pulls.readPull(pull_id))?.progress.waiting
  await report(1, since)
  assert.equal(await readWaiting(), null)
  kit.clock.advance(3)
  await report(2, kit.clock.text)
  const { display_title } = only(await kit.storage.platforms.listPlatforms())
  assert.deepEqual(await readWaiting(), { platform_title: display_title, since })
  const waits = async () => (await listTasks(kit.storage, pull_id)).map((one) => one.waiting_since)
  assert.deepEqual(await waits(), [since, kit.clock.text])
  await report(1, null)
  assert.equal(await readWaiting(), null)
  await pulls.finishTask(pull_id, 2, taskResult(), null)
  assert.deepEqual(await waits(), [null, null])
})

test('the rate of a pull and the time left depend on the running tasks', async (kit) => {
  const school = await kit.register({ modules: ['fast', 'slow'] })
  const { pulls } = kit.storage
  const pull = await kit.startPull()
  const report = (task_number: number, received: number, total: number) =>
    pulls.reportTask(pull.pull_id, task_number, {
      total,
      counts: { ...NO_COUNTS, received },
    })
  const fast = taskOf(pull, school, 'fast')
  const slow = taskOf(pull, school, 'slow')
  await pulls.startTask(pull.pull_id, fast.task_number)
  kit.clock.advance(1)
  await report(fast.task_number, 6000, 6000)
  await pulls.startTask(pull.pull_id, slow.task_number)
  const counts = { ...NO_COUNTS, received: 6000, unchanged: 6000 }
  const result = taskResult({ total: 6000, counts })
  await pulls.finishTask(pull.pull_id, fast.task_number, result, null)
  kit.clock.advance(10)
  await report(slow.task_number, 500, 2000)
  const progress = (await pulls.readPull(pull.pull_id))?.progress
  assert.deepEqual(
    [progress?.percent, progress?.records_per_second, progress?.seconds_left],
    [81, 50, 30],
  )
})

test('the tasks of one pull are listed in order, each on one page', async (kit) => {
  const modules = Array.from({ length: 25 }, (_, index) => `type-${index}`)
  await kit.register({ modules })
  const first = await kit.startPull()
  await kit.finishPull(first.pull_id)
  const { pull } = await kit.requestPull()
  const tasks = await kit.storage.pulls.startPull(pull.id, LEASE)
  const query = { pull_id: pull.id, limit: 10 }
  const paged = await readPages<PullTask & { task_number: number }>(10, (last) =>
    kit.storage.pulls.listTasks({ ...query, after: last?.task_number ?? null }),
  )
  assert.deepEqual(
    paged.map((task) => [task.task_number, task.record_type]),
    tasks?.map((task) => [task.task_number, task.record_type]),
  )
  assert.deepEqual(await listTasks(kit.storage, 999), [])
})

function listTasks(storage: Storage, pullId: number) {
  return storage.pulls.listTasks({ pull_id: pullId, limit: 100, after: null })
}
