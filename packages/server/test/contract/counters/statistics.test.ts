import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'
import { NO_COUNTS, type TestPull, taskOf, taskResult } from '../../helpers/storage/pulls.ts'

const NO_ACTIVITY = {
  received_post: 0,
  received_patch: 0,
  received_pull: 0,
  created: 0,
  updated: 0,
  rejected: 0,
  pulls: 0,
  pulls_failed: 0,
  platforms_added: 0,
  modules_added: 0,
}

test('hourly statistics cover all platforms and omit hours without activity', async (kit) => {
  kit.clock.set('2026-03-09T22:59:59.999Z')
  await kit.register({ name: 'outside' })
  kit.clock.set('2026-03-09T23:00:00.000Z')
  const school = await kit.register({ modules: ['students', 'rooms'] })
  await kit.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  kit.clock.set('2026-03-10T01:59:59.999Z')
  const clinic = await kit.register({ name: 'clinic' })
  await kit.write(pushWrite(clinic), pushWrite(school, { source: 'PATCH', data: '{"a":9}' }))
  for (const state of ['succeeded', 'partial', 'cancelled'] as const) {
    await kit.finishPull((await kit.startPull()).pull_id, state)
  }
  kit.clock.set('2026-03-10T02:00:00.000Z')
  await clinic.post({ reference: 'r-2' })
  const hours = await kit.storage.statistics.readHours('2026-03-09T23', '2026-03-10T01')
  assert.deepEqual(
    hours.toSorted((one, other) => one.hour.localeCompare(other.hour)),
    [
      {
        ...NO_ACTIVITY,
        hour: '2026-03-09T23',
        received_post: 2,
        created: 2,
        platforms_added: 1,
        modules_added: 2,
      },
      {
        ...NO_ACTIVITY,
        hour: '2026-03-10T01',
        received_post: 1,
        received_patch: 1,
        created: 1,
        updated: 1,
        pulls: 3,
        pulls_failed: 1,
        platforms_added: 1,
        modules_added: 1,
      },
    ],
  )
  assert.deepEqual(await kit.storage.statistics.readHours('2026-03-10T03', '2026-03-10T04'), [])
})

test('pushes are counted by minute, accepted and rejected, since the oldest entry that is left', async (kit) => {
  const { activity, retention } = kit.storage
  const since = '2026-03-10T01:00:00.000Z'
  const append = (kind: string) => activity.appendActivity({ level: 'info', kind, message: kind })
  assert.deepEqual(await activity.countPushesByMinute({ since }), {
    from: '2026-03-10T01:00',
    minutes: [],
  })
  kit.clock.set('2026-03-10T00:59:59.999Z')
  for (const kind of ['push.created', 'push.rejected']) await append(kind)
  kit.clock.set(since)
  for (const kind of ['push.created', 'push.unchanged', 'push.rejected', 'pull.started', 'pushes'])
    await append(kind)
  kit.clock.set('2026-03-10T01:02:59.999Z')
  await append('push.held')
  const latest = { minute: '2026-03-10T01:02', accepted: 1, rejected: 0 }
  const all = await activity.countPushesByMinute({ since })
  assert.equal(all.from, '2026-03-10T01:00')
  assert.deepEqual(
    all.minutes.toSorted((one, other) => one.minute.localeCompare(other.minute)),
    [{ minute: '2026-03-10T01:00', accepted: 2, rejected: 1 }, latest],
  )
  await retention.trimActivity(5, { limit: 10, after: null })
  assert.deepEqual(await activity.countPushesByMinute({ since }), {
    from: '2026-03-10T01:01',
    minutes: [latest],
  })
})

test('pulled records are counted in the minute in which the read of their module ended', async (kit) => {
  const school = await kit.register({ modules: ['students', 'rooms'] })
  const { pulls } = kit.storage
  const read = async (pull: TestPull, type: string, created: number) => {
    const { task_number } = taskOf(pull, school, type)
    await pulls.startTask(pull.pull_id, task_number)
    const counts = { ...NO_COUNTS, received: 10, created, updated: 1 }
    await pulls.finishTask(pull.pull_id, task_number, taskResult({ counts }), null)
  }
  kit.clock.set('2026-03-10T00:58:00.000Z')
  const old = await kit.startPull()
  await read(old, 'students', 8)
  await kit.finishPull(old.pull_id)
  kit.clock.set('2026-03-10T00:59:00.000Z')
  const last = await kit.startPull()
  await read(last, 'students', 4)
  kit.clock.set('2026-03-10T01:00:00.000Z')
  await read(last, 'rooms', 2)
  await kit.finishPull(last.pull_id)
  assert.deepEqual(await pulls.countPulledByMinute('2026-03-10T01:00:00.000Z'), [
    { minute: '2026-03-10T01:00', pulled: 3, pulls: 1, pulls_failed: 0 },
  ])
})
