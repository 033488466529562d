import assert from 'node:assert/strict'
import type { Pull, PullCounts, PullOutcome } from '@recordhub/protocol'
import type { EndState, PullTaskResult } from '../../../src/storage/port/pull-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { listActivity, only, readPages } from '../../helpers/storage/fixtures.ts'
import { completeRead, LEASE, NO_COUNTS, taskResult } from '../../helpers/storage/pulls.ts'

const OTHER = { owner: 'node-2', seconds: 30 }

test('a pull started by an operator is logged with its size, and a scheduled pull is not', async (kit) => {
  const { pulls, activity } = kit.storage
  await kit.register({ name: 'school', modules: ['a', 'b'] })
  await kit.register({ name: 'clinic' })
  for (const requested_by of [null, 'ann@example.org', 'ann@example.org']) {
    const trigger = requested_by === null ? 'schedule' : 'operator'
    const request = { trigger, requested_by, lease: LEASE, only: null } as const
    const { pull } = await pulls.requestPull(request)
    // A pull is already running, so this request must not be logged.
    await pulls.requestPull({ ...request, requested_by: 'bob@example.org' })
    await kit.finishPull(pull.id)
  }
  const query = { platform: null, level: null, limit: 100, before: null }
  const entries = (await listActivity(activity, query)).filter(
    (entry) => entry.kind === 'pull.started',
  )
  assert.deepEqual(
    entries.map(({ actor, message }) => [actor, message.replace(/^Pull \d+ /, '')]),
    Array(2).fill(['ann@example.org', 'was started: 3 modules of 2 platforms']),
  )
})

test('a requested pull is queued with one task per registered module of each active platform', async (kit) => {
  await kit.register({ modules: ['students', 'rooms'], offered: ['staff'] })
  await kit.register({ name: 'clinic' })
  const inactive = await kit.register({ name: 'inactive' })
  await kit.setStatus(inactive, 'inactive')
  const { pulls } = kit.storage
  const requested = await kit.requestPull()
  assert.equal(requested.outcome, 'queued')
  const { id, ...pull } = requested.pull
  assert.deepEqual(pull, {
    trigger: 'operator',
    started_by: 'ann@example.org',
    state: 'queued',
    requested_at: kit.clock.text,
    started_at: null,
    finished_at: null,
    progress: {
      tasks_total: 3,
      tasks_done: 0,
      task_states: { queued: 3 },
      records_total: null,
      records_received: 0,
      records_expected: null,
      records_done: null,
      percent: 0,
      records_per_second: null,
      seconds_left: null,
      waiting: null,
    },
    counts: NO_COUNTS,
    begun: { rejected: false, not_listed: false },
    failure: null,
  })
  assert.deepEqual(await pulls.readPull(id), requested.pull)
  const tasks = await pulls.listTasks({ pull_id: id, limit: 10, after: null })
  assert.deepEqual(
    tasks.map((task) => `${task.platform_name} ${task.record_type} ${task.state}`).sort(),
    ['clinic students queued', 'school rooms queued', 'school students queued'],
  )
})

test('a pull without registered modules has no tasks and can be started and finished', async (kit) => {
  const { storage } = kit
  const pull = await kit.startPull()
  assert.deepEqual(pull.tasks, [])
  await kit.finishPull(pull.pull_id)
  assert.equal((await storage.pulls.readPull(pull.pull_id))?.state, 'succeeded')
})

test('only one of 20 concurrent requests queues a pull, and all of them return that pull', async (kit) => {
  await kit.register()
  const results = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      kit.requestPull({ owner: `node-${index}`, seconds: 30 }),
    ),
  )
  const queued = only(results.filter((result) => result.outcome === 'queued'))
  for (const result of results) assert.deepEqual(result.pull, queued.pull)
  only(await kit.storage.pulls.listPulls({ limit: 10, before: null }))
})

test('a request returns the running pull until it has finished', async (kit) => {
  await kit.register()
  const first = await kit.startPull()
  const meanwhile = await kit.requestPull(OTHER)
  assert.deepEqual([meanwhile.outcome, meanwhile.pull.state], ['already_running', 'running'])
  assert.equal(meanwhile.pull.id, first.pull_id)
  await kit.finishPull(first.pull_id)
  const next = await kit.requestPull(OTHER)
  assert.equal(next.outcome, 'queued')
  assert.ok(next.pull.id > first.pull_id)
})

for (const state of ['queued', 'running']) {
  test(`a ${state} pull is interrupted when its lease expires, and a new pull can be queued`, async (kit) => {
    await kit.register({ modules: ['students', 'rooms'] })
    const { pulls } = kit.storage
    // The owner is a live process, so the pull can only end because its lease expires.
    const lease = { ...LEASE, owner: kit.storage.processName }
    const { pull } = await kit.requestPull(lease)
    if (state === 'running') {
      await pulls.startPull(pull.id, lease)
      await pulls.startTask(pull.id, 1)
    }
    kit.clock.advance(LEASE.seconds - 1)
    assert.equal(await pulls.interruptAbandonedPulls(), 0)
    assert.equal((await kit.requestPull(OTHER)).outcome, 'already_running')
    kit.clock.advance(2)
    const next = await kit.requestPull(OTHER)
    assert.equal(next.outcome, 'queued')
    const interrupted = await pulls.readPull(pull.id)
    assert.deepEqual(
      [interrupted?.state, interrupted?.finished_at],
      ['interrupted', kit.clock.text],
    )
    const tasks = await pulls.listTasks({ pull_id: pull.id, limit: 10, after: null })
    assert.deepEqual(
      tasks.map((task) => [task.state, task.finished_at]),
      tasks.map(() => ['interrupted', kit.clock.text]),
    )
    const query = { platform: null, level: 'warning', limit: 1, before: null } as const
    const entry = only(await kit.activity(query))
    assert.equal(entry.kind, 'pull.interrupted')
    assert.equal(await pulls.startPull(pull.id, lease), null)
    assert.equal(await pulls.renewLease(pull.id, lease), false)
    assert.equal(await pulls.startTask(pull.id, 2), null)
    assert.equal(await pulls.interruptAbandonedPulls(), 0)
  })
}

test('a pull whose process ended before the clock was set back an hour is interrupted', async (kit) => {
  const { pull_id } = await kit.startPull()
  kit.clock.advance(-3600)
  assert.equal((await kit.requestPull(OTHER)).outcome, 'queued')
  assert.equal((await kit.storage.pulls.readPull(pull_id))?.state, 'interrupted')
})

test('a pull is not interrupted after the clock was set, if its process renews its lease first', async (kit) => {
  const { pull_id } = await kit.startPull()
  for (const seconds of [3600, -7200]) {
    kit.clock.advance(seconds)
    assert.equal(await kit.storage.pulls.renewLease(pull_id, LEASE), true)
    assert.equal((await kit.requestPull(OTHER)).outcome, 'already_running')
  }
})

test('a pull that renews its lease is not interrupted', async (kit) => {
  const { pull_id } = await kit.startPull()
  for (let round = 0; round < 5; round += 1) {
    kit.clock.advance(20)
    assert.equal(await kit.storage.pulls.renewLease(pull_id, LEASE), true)
    assert.equal((await kit.requestPull(OTHER)).outcome, 'already_running')
  }
  kit.clock.advance(31)
  assert.equal((await kit.requestPull(OTHER)).outcome, 'queued')
})

test('only its owner renews a lease, and only until the pull ends', async (kit) => {
  const { storage } = kit
  const { pull_id } = await kit.startPull()
  const { pulls } = storage
  assert.equal(await pulls.renewLease(pull_id, OTHER), false)
  assert.equal(await pulls.renewLease(999, LEASE), false)
  assert.equal(await pulls.renewLease(pull_id, LEASE), true)
  assert.equal(await pulls.holdsLease(pull_id, LEASE.owner), true)
  assert.equal(await pulls.holdsLease(pull_id, OTHER.owner), false)
  await kit.finishPull(pull_id)
  assert.equal(await pulls.renewLease(pull_id, LEASE), false)
  assert.equal(await pulls.holdsLease(pull_id, LEASE.owner), false)
})

test('a pull of one platform contains only the requested registered modules', async (kit) => {
  const school = await kit.register({ modules: ['a', 'b'], offered: ['c'] })
  await kit.register({ name: 'clinic' })
  const scopes = [
    { record_types: null, expected: ['a', 'b'] },
    { record_types: ['b'], expected: ['b'] },
    { record_types: ['c', 'unknown'], expected: [] },
  ]
  for (const { record_types, expected } of scopes) {
    const only = { platform_id: school.platform_id, record_types }
    const request = { trigger: 'api', requested_by: null, lease: LEASE, only } as const
    const { pull } = await kit.storage.pulls.requestPull(request)
    const tasks = await kit.storage.pulls.startPull(pull.id, LEASE)
    assert.deepEqual(
      tasks?.map((task) => task.record_type),
      expected,
    )
    await kit.finishPull(pull.id)
  }
})

test('another process can start a queued pull and then owns its lease', async (kit) => {
  const { storage } = kit
  const { pull } = await kit.requestPull(LEASE)
  assert.ok(await storage.pulls.startPull(pull.id, OTHER))
  assert.equal(await storage.pulls.renewLease(pull.id, LEASE), false)
  assert.equal(await storage.pulls.renewLease(pull.id, OTHER), true)
})

test('only the owner renews the lease of a queued pull', async (kit) => {
  const { storage } = kit
  const { pull } = await kit.requestPull(LEASE)
  assert.equal(await storage.pulls.renewLease(pull.id, LEASE), true)
  assert.equal(await storage.pulls.renewLease(pull.id, { ...LEASE, owner: 'other' }), false)
})

test('only one of many concurrent callers starts a pull', async (kit) => {
  await kit.register()
  const { pull } = await kit.requestPull()
  kit.clock.advance(5)
  const results = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      kit.storage.pulls.startPull(pull.id, { owner: `node-${index}`, seconds: 30 }),
    ),
  )
  const tasks = only(results.filter((result) => result !== null))
  assert.equal(tasks?.length, 1)
  const started = await kit.storage.pulls.readPull(pull.id)
  assert.deepEqual([started?.state, started?.started_at], ['running', kit.clock.text])
  assert.equal(await kit.storage.pulls.startPull(999, LEASE), null)
})

test('interruptPulls ends queued and running pulls and returns their number', async (kit) => {
  await kit.register()
  const { pulls } = kit.storage
  assert.equal(await pulls.interruptPulls(), 0)
  const running = await kit.startPull()
  assert.equal(await pulls.interruptPulls(), 1)
  assert.equal(await pulls.interruptPulls(), 0)
  const pull = await pulls.readPull(running.pull_id)
  assert.deepEqual([pull?.state, pull?.progress.tasks_done], ['interrupted', 1])
  const { pull: queued } = await kit.requestPull()
  assert.equal(await pulls.interruptPulls(), 1)
  assert.equal((await pulls.readPull(queued.id))?.state, 'interrupted')
  assert.equal((await kit.requestPull()).outcome, 'queued')
})

test('pulls are listed by platform, by what started them and by the time of their request', async (kit) => {
  const { storage, clock } = kit
  const { pulls } = storage
  const school = await kit.register({ name: 'school' })
  await kit.register({ name: 'clinic' })
  const start = clock.text
  const ids: number[] = []
  for (const [trigger, only] of [
    ['schedule', null],
    ['api', null],
    ['operator', { platform_id: school.platform_id, record_types: null }],
  ] as const) {
    clock.advance(60)
    const request = { trigger, requested_by: null, lease: LEASE, only }
    const { pull } = await pulls.requestPull(request)
    await kit.finishPull(pull.id)
    ids.push(pull.id)
  }
  const [first, second, third] = ids
  const at = (await pulls.readPull(second ?? 0))?.requested_at ?? ''
  const cases = [
    [{}, [third, second, first]],
    [{ platform: 'clinic' }, [second, first]],
    [{ platform: 'school', trigger: 'operator' }, [third]],
    [{ platform: 'unknown' }, []],
    [{ trigger: 'api' }, [second]],
    [{ since: at }, [third, second]],
    [{ until: at }, [second, first]],
    [{ since: at, until: at }, [second]],
    [{ until: start }, []],
  ] as const
  for (const [filter, expected] of cases) {
    const found = await readPages<Pull>(1, (last) =>
      pulls.listPulls({ ...filter, limit: 1, before: last?.id ?? null }),
    )
    assert.deepEqual(
      found.map(({ id }) => id),
      expected,
      JSON.stringify(filter),
    )
  }
})

test('pulls are listed by outcome: those that could not read all modules, and ended ones that changed records', async (kit) => {
  const { pulls } = kit.storage
  await kit.register()
  const runPull = async (state: EndState | null, counts: Partial<PullCounts> = {}) => {
    kit.clock.advance(60)
    const { pull_id } = await kit.startPull()
    await pulls.startTask(pull_id, 1)
    const result = taskResult({ counts: { ...NO_COUNTS, received: 9, unchanged: 9, ...counts } })
    await pulls.finishTask(pull_id, 1, result, null)
    if (state === 'interrupted') await pulls.interruptPulls()
    else if (state) await kit.finishPull(pull_id, state)
    return pull_id
  }
  await runPull('succeeded')
  const updated = await runPull('succeeded', { updated: 1 })
  const partial = await runPull('partial', { missing: 1 })
  const failed = await runPull('failed')
  const interrupted = await runPull('interrupted', { created: 1 })
  const timedOut = await runPull('timed_out')
  await runPull('cancelled')
  await runPull(null, { created: 1 })
  const since = (await pulls.readPull(failed))?.requested_at ?? ''
  const cases = [
    [{ outcome: 'failed' }, [timedOut, failed, partial]],
    [{ outcome: 'changed' }, [interrupted, partial, updated]],
    [{ outcome: 'failed', since }, [timedOut, failed]],
    [{ outcome: 'changed', since }, [interrupted]],
    [{ outcome: 'changed', trigger: 'api' }, []],
  ] as const
  for (const [filter, expected] of cases) {
    const found = await readPages<Pull>(2, (last) =>
      pulls.listPulls({ ...filter, limit: 2, before: last?.id ?? null }),
    )
    assert.deepEqual(
      found.map(({ id }) => id),
      expected,
      JSON.stringify(filter),
    )
  }
})

test('pulls are listed in which rejections or unlisted records began, until another read of the whole list counts fewer', async (kit) => {
  const { pulls } = kit.storage
  await kit.register()
  const runPull = async (counts: Partial<PullCounts>, overrides: Partial<PullTaskResult> = {}) => {
    kit.clock.advance(60)
    const { pull_id } = await kit.startPull()
    await pulls.startTask(pull_id, 1)
    const all = { ...NO_COUNTS, received: 9, ...counts }
    await pulls.finishTask(pull_id, 1, taskResult({ counts: all, ...overrides }), null)
    await kit.finishPull(pull_id)
    return pull_id
  }
  const whole = { read: completeRead({ snapshotSeq: 1 }), rejection_groups: [] }
  await runPull({}, whole)
  const rejected = await runPull({ rejected: 4 }, whole)
  const notListed = await runPull({ rejected: 4, not_listed: 3 }, whole)
  // Neither a failed read nor one of some buckets shows that there are fewer.
  await runPull({ rejected: 1 }, { state: 'failed', error: 'HTTP 503' })
  await runPull({ not_listed: 1 })
  await runPull({ rejected: 4, not_listed: 3 }, whole)
  const both = await runPull({ rejected: 5, not_listed: 4 })
  await runPull({ rejected: 5, not_listed: 4 }, whole)
  await runPull({ rejected: 2 }, whole)
  const again = await runPull({ rejected: 3 }, whole)
  const idsOf = async (outcome: PullOutcome) => {
    const found = await pulls.listPulls({ outcome, limit: 9, before: null })
    return found.map(({ id }) => id)
  }
  assert.deepEqual(await idsOf('new_rejections'), [again, both, rejected])
  assert.deepEqual(await idsOf('newly_not_listed'), [both, notListed])
  const { begun } = (await pulls.readPull(rejected)) ?? {}
  assert.deepEqual(begun, { rejected: true, not_listed: false })
})

test('pulls are listed newest first, each on one page', async (kit) => {
  const { storage, clock } = kit
  const ids: number[] = []
  for (const state of ['succeeded', 'partial', 'failed', 'cancelled', 'timed_out'] as const) {
    clock.advance(60)
    const { pull_id } = await kit.startPull()
    await kit.finishPull(pull_id, state)
    ids.unshift(pull_id)
  }
  const paged = await readPages<Pull>(2, (last) =>
    storage.pulls.listPulls({ limit: 2, before: last?.id ?? null }),
  )
  assert.deepEqual(
    paged.map((pull) => pull.id),
    ids,
  )
  assert.deepEqual(
    paged.map((pull) => pull.state),
    ['timed_out', 'cancelled', 'failed', 'partial', 'succeeded'],
  )
  for (const pull of paged) assert.deepEqual(await storage.pulls.readPull(pull.id), pull)
  assert.equal(await storage.pulls.readPull(999), null)
})
