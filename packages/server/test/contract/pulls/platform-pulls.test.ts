import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { NO_COUNTS, taskOf, taskResult } from '../../helpers/storage/pulls.ts'

test('pulls are listed newest first, each with a summary of only the modules of the platform', async (kit) => {
  const school = await kit.register({ modules: ['students', 'rooms'] })
  const clinic = await kit.register({ name: 'clinic', modules: ['patients'] })
  const { pulls } = kit.storage
  const first = await kit.startPull()
  for (const [platform, type, over] of [
    [school, 'students', { counts: { ...NO_COUNTS, received: 5, created: 4, rejected: 1 } }],
    [school, 'rooms', { state: 'failed', error: 'It hangs' }],
    [clinic, 'patients', { counts: { ...NO_COUNTS, received: 70, not_listed: 1 } }],
  ] as const) {
    const { task_number } = taskOf(first, platform, type)
    await pulls.startTask(first.pull_id, task_number)
    await pulls.finishTask(first.pull_id, task_number, taskResult(over), null)
  }
  const list = (before: number | null = null, limit = 5) =>
    pulls.listPlatformPulls({ platform_id: school.platform_id, limit, before })
  await kit.finishPull(first.pull_id)
  const second = await kit.startPull()
  const [newest, oldest, ...none] = await list()
  assert.deepEqual(none, [])
  assert.deepEqual(
    { ...newest, started_at: null },
    {
      pull_id: second.pull_id,
      trigger: 'operator',
      state: 'queued',
      started_at: null,
      finished_at: null,
      modules: 2,
      modules_read: 0,
      counts: NO_COUNTS,
      begun: { rejected: false, not_listed: false },
      error: null,
    },
  )
  assert.ok(oldest?.started_at && oldest.finished_at)
  const { started_at: _, finished_at: __, ...rest } = oldest
  assert.deepEqual(rest, {
    pull_id: first.pull_id,
    trigger: 'operator',
    state: 'partial',
    modules: 2,
    modules_read: 1,
    counts: { ...NO_COUNTS, received: 5, created: 4, rejected: 1 },
    begun: { rejected: true, not_listed: false },
    error: 'It hangs',
  })
  assert.deepEqual(await list(second.pull_id), [oldest])
  assert.deepEqual(await list(null, 1), [newest])
  assert.deepEqual(await list(first.pull_id), [])
})

test('a platform that was never pulled has no pulls', async (kit) => {
  const { platform_id } = await kit.register()
  for (const id of [platform_id, 999]) {
    const query = { platform_id: id, limit: 5, before: null }
    assert.deepEqual(await kit.storage.pulls.listPlatformPulls(query), [])
  }
})
