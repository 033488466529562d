import assert from 'node:assert/strict'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'
import { NO_COUNTS, pullWrite, taskOf, taskResult } from '../../helpers/storage/pulls.ts'

test('the snapshot of an empty hub contains only zeros and empty lists', async (kit) => {
  const { storage, clock } = kit
  assert.deepEqual(await storage.snapshot.readSnapshot(clock.day), {
    stats: {
      platforms: 0,
      active_platforms: 0,
      modules: 0,
      records: 0,
      received_today: 0,
      created_today: 0,
      updated_today: 0,
      rejected_today: 0,
    },
    platforms: [],
    records: [],
    logs: [],
    alerts: { open: 0, latest: [] },
    latest_sync: null,
    pull: { running: false, pull: null, last: null, tasks: [], schedule_paused: false },
  })
  assert.deepEqual(await storage.snapshot.readRecentPulls([]), [])
})

test('the numbers match the stored data', async (kit) => {
  const school = await kit.register({ modules: ['students', 'rooms'] })
  const clinic = await kit.register({ name: 'clinic', offered: ['staff'] })
  const inactive = await kit.register({ name: 'inactive' })
  await kit.setStatus(inactive, 'inactive')
  await kit.write(
    pushWrite(school),
    pushWrite(school, { full_name: 'Bob' }),
    pushWrite(school, { record_type: 'rooms', source: 'PATCH' }),
  )
  await clinic.pull(async (read) => {
    await kit.write(pullWrite(read), pullWrite(read, { reference: 'r-2' }))
  })
  await kit.storage.rejectedPushes.saveRejectedPushes(
    [
      {
        platform_id: school.platform_id,
        method: 'POST',
        code: 'invalid_record',
        message: 'No',
        errors: {},
        body: '{}',
        pull_id: null,
        request_id: null,
        record_type: null,
        position: null,
        activity: null,
      },
    ],
    { at: kit.clock.text, day: kit.clock.day, quotaBytes: 1_000_000 },
  )
  const { stats, platforms } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  assert.deepEqual(stats, {
    platforms: 3,
    active_platforms: 2,
    modules: 4,
    records: 4,
    received_today: 5,
    created_today: 4,
    updated_today: 1,
    rejected_today: 1,
  })
  const listed = await kit.storage.platforms.listPlatforms()
  assert.deepEqual(
    platforms,
    listed.toSorted((one, other) => (one.display_title < other.display_title ? -1 : 1)),
  )
  assert.deepEqual(
    platforms.map((platform) => [platform.platform_name, platform.records]),
    [
      ['clinic', 2],
      ['inactive', 0],
      ['school', 2],
    ],
  )
})

test('the snapshot contains the 20 most recently changed records, without their data', async (kit) => {
  const school = await kit.register()
  const references = Array.from({ length: 30 }, (_, index) => `r-${index}`)
  await kit.write(...references.map((reference) => pushWrite(school, { reference })))
  await school.post({ reference: 'r-3', full_name: 'Bob' })
  await school.post({ reference: 'r-5' })
  const { records } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  const query = { sort: 'updated_at', descending: true, limit: 20 } as const
  const latest = await kit.records(query)
  assert.equal(latest[0]?.reference_number, 'r-3')
  assert.equal(latest[1]?.reference_number, 'r-29')
  assert.deepEqual(
    records,
    latest.map(({ data: _, change_seq: __, ...summary }) => summary),
  )
})

test('the snapshot contains the 20 latest activity entries', async (kit) => {
  const { storage, clock } = kit
  for (let number = 0; number < 25; number += 1) {
    const message = `${number}`
    await storage.activity.appendActivity({ level: 'info', kind: 'test.entry', message })
  }
  const { logs } = await storage.snapshot.readSnapshot(clock.day)
  const query = { platform: null, level: null, limit: 20, before: null }
  assert.deepEqual(logs, await kit.activity(query))
  assert.equal(logs[0]?.message, '24')
})

test('the snapshot lists at most 200 platforms, failing ones first, and counts all', async (kit) => {
  const { pulls, snapshot } = kit.storage
  const failing = await kit.register({ name: 'zebra' })
  const copied = `display_title, platform_description, source_base_url, source_key_secret_id, status,
    manifest_fetched_at, created_at, updated_at`
  await kit.runSql(`INSERT INTO platforms (platform_name, ${copied})
    WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 301)
    SELECT 'p-' || i, ${copied} FROM platforms CROSS JOIN n`)
  const pull = await kit.startPull()
  const { task_number } = taskOf(pull, failing)
  const failed = taskResult({ state: 'failed', error: 'HTTP 500' })
  await pulls.finishTask(pull.pull_id, task_number, failed, null)
  const shown = await snapshot.readSnapshot(kit.clock.day)
  assert.equal(shown.platforms.length, 200)
  const [first, second] = shown.platforms
  assert.deepEqual([first?.platform_name, first?.last_error], ['zebra', 'HTTP 500'])
  assert.equal(second?.platform_name, 'p-100')
  assert.equal(shown.stats.platforms, 203)
})

test('the version changes with every commit', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  let version = await storage.snapshot.readVersion()
  const assertChanged = async (change: string) => {
    const before = version
    version = await storage.snapshot.readVersion()
    assert.notEqual(version, before, change)
  }
  await school.post()
  await assertChanged('a record')
  await kit.setStatus(school, 'inactive')
  await assertChanged('a platform')
  await storage.checkWritable()
  await assertChanged('a lease')
})

test('the snapshot contains the running pull and the last finished pull', async (kit) => {
  await kit.register()
  const read = () => kit.storage.snapshot.readSnapshot(kit.clock.day)
  const first = await kit.startPull()
  const during = await read()
  assert.equal(during.latest_sync, null)
  assert.equal(during.pull.running, true)
  assert.deepEqual(during.pull.pull, await kit.storage.pulls.readPull(first.pull_id))
  kit.clock.advance(60)
  await kit.finishPull(first.pull_id, 'partial')
  const ended = {
    pull_id: first.pull_id,
    trigger: 'operator',
    state: 'partial',
    started_at: '2026-03-10T08:00:00.000Z',
    finished_at: '2026-03-10T08:01:00.000Z',
  }
  const after = await read()
  assert.deepEqual(after.latest_sync, ended)
  assert.deepEqual(
    [after.pull.running, after.pull.pull, after.pull.last],
    [false, null, await kit.storage.pulls.readPull(first.pull_id)],
  )
  await kit.startPull()
  const next = await read()
  assert.deepEqual(next.latest_sync, ended)
  assert.equal(next.pull.running, true)
})

test('the snapshot contains 20 modules of the running pull, running and failed ones first', async (kit) => {
  const { pulls, snapshot } = kit.storage
  const modules = Array.from({ length: 30 }, (_, index) => `m${index}`)
  const school = await kit.register({ modules })
  const pull = await kit.startPull()
  const finish = async (type: string, over: Parameters<typeof taskResult>[0]) => {
    const { task_number } = taskOf(pull, school, type)
    await pulls.startTask(pull.pull_id, task_number)
    await pulls.finishTask(pull.pull_id, task_number, taskResult(over), null)
  }
  await finish('m0', {})
  await finish('m29', { state: 'failed', error: 'HTTP 500' })
  await pulls.startTask(pull.pull_id, taskOf(pull, school, 'm28').task_number)
  const read = async () => (await snapshot.readSnapshot(kit.clock.day)).pull.tasks
  const shown = await read()
  assert.equal(shown.length, 20)
  assert.deepEqual(
    shown.map(({ record_type }) => record_type),
    [...modules.slice(1, 19), 'm28', 'm29'],
  )
  const { task_number: _, ...failed } =
    (await pulls.listTasks({ pull_id: pull.pull_id, limit: 30, after: null })).at(-1) ??
    assert.fail()
  assert.deepEqual(shown.at(-1), failed)
  await kit.finishPull(pull.pull_id, 'partial')
  assert.equal((await read()).length, 20, 'the modules of the last pull remain')
})

test('the recent pulls of a platform are its last 30 finished pulls, with their rejected records', async (kit) => {
  const { pulls, snapshot } = kit.storage
  const school = await kit.register({ modules: ['students', 'rooms'] })
  const clinic = await kit.register({ name: 'clinic', modules: ['patients'] })
  const inactive = await kit.register({ name: 'inactive' })
  await kit.setStatus(inactive, 'inactive')
  const pullPlatform = async (only: number) => {
    const lease = { owner: 'node-1', seconds: 30 }
    const only_platform = { platform_id: only, record_types: null }
    const { pull } = await pulls.requestPull({
      trigger: 'schedule',
      requested_by: null,
      lease,
      only: only_platform,
    })
    const tasks = await pulls.startPull(pull.id, lease)
    for (const { task_number, record_type } of tasks ?? []) {
      await pulls.startTask(pull.id, task_number)
      const result = taskResult(
        record_type === 'rooms'
          ? { state: 'failed', error: 'HTTP 500' }
          : { counts: { ...NO_COUNTS, received: 3, rejected: 2 } },
      )
      await pulls.finishTask(pull.id, task_number, result, null)
    }
    await kit.finishPull(pull.id, 'partial')
    return pull.id
  }
  const ofClinic = await pullPlatform(clinic.platform_id)
  const ids: number[] = []
  for (let count = 0; count < 32; count += 1) ids.unshift(await pullPlatform(school.platform_id))
  await kit.startPull()
  const all = [inactive, clinic, school].map(({ platform_id }) => platform_id)
  const found = new Map(
    (await snapshot.readRecentPulls(all)).map((one) => [one.platform_id, one.pulls]),
  )
  assert.deepEqual([...found.keys()].sort(), [clinic.platform_id, school.platform_id].sort())
  const pullsOf = (platform: { platform_id: number }) => found.get(platform.platform_id) ?? []
  assert.deepEqual(
    pullsOf(clinic).map(({ pull_id, state, rejected }) => [pull_id, state, rejected]),
    [[ofClinic, 'succeeded', 2]],
  )
  // The running pull is one of the last 30, but is not listed before it has finished.
  assert.deepEqual(
    pullsOf(school).map(({ pull_id }) => pull_id),
    ids.slice(0, 29),
  )
  const [latest] = pullsOf(school)
  assert.deepEqual([latest?.state, latest?.rejected], ['partial', 2])
  assert.ok(latest?.finished_at)
})

test('reading the snapshot repeatedly changes nothing', async (kit) => {
  const school = await kit.register()
  await school.post()
  const read = () => kit.storage.snapshot.readSnapshot(kit.clock.day)
  const first = await read()
  kit.clock.advance(60)
  for (const again of await Promise.all([read(), read(), read()])) {
    assert.deepEqual(again, first)
  }
})
