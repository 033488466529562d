/** One pull of platforms with every kind of fault: healthy ones succeed, and each fault has its own error. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MissingReviewPage, type PullCounts, type PullTask } from '@recordhub/protocol'
import { noCounts } from '../../src/domain/pull/pull.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectAbsent, expectBody } from '../helpers/hub/response.ts'
import {
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import {
  createPullFaults,
  PULLED_RECORDS,
  type PullFault,
  RECORDS_ABOVE_THRESHOLD,
  SUCCESSFUL_PULLS,
  type SuccessfulPull,
} from '../helpers/platform/pull-faults.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { onEachEngineWhenDeep } from '../helpers/storage/engines.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { createManualTimer } from '../helpers/time/manual-timer.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

/** Timeouts of one second instead of a minute. They expire after all other tasks are done. */
const STALL = { silenceMs: 500, windowMs: 1000 }
/** This timeout runs in real time and must be long enough for all other platforms. */
const FIRST_BYTE = { firstByteSeconds: 20 }
/** Rows that end only by a timeout. The quick tier checks these in `pull-timeouts.test.ts`. */
const TIMEOUTS = new Set([
  'hangs',
  'hangs before the body',
  'hangs within the body',
  'sends too slowly',
])
/** The number of tasks that end only by a timeout of the manual timer. */
const ENDLESS = isDeep ? 3 : 0
const ADVICE = /check|must fix|enter the final|tries again/i

onEachEngineWhenDeep((engine) => {
  test(`one pull reports each fault with its own error and reads the other platforms, on ${engine.name}`, async () => {
    await using kit = await startPlatforms(engine)
    const { hub, elsewhere, failing, healthy, emptied, older } = kit
    assert.equal((await hub.pullAll()).pull.state, 'succeeded')

    const recover = await kit.applyFaults()
    const delayed = older.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await delayed.arrived
    const changed = newRecord('R-1', { data: { status: 'pushed during the pull' } })
    assert.equal((await hub.push(kit.keyOf(older), changed)).status, 200)
    delayed.release()
    await until(async () => {
      const { tasks_total, tasks_done } = (await hub.readPull(id)).pull.progress
      return tasks_done === tasks_total - ENDLESS ? true : null
    }, 'all tasks except the endless ones are done')
    const ending = hub.untilPullEnds(id)
    // The time advances with each chunk; otherwise the slow platform would look silent to the hub.
    const untilChunk = () => kit.timer.untilScheduled(1).then(() => false)
    while (!(await Promise.race([untilChunk(), ending.then(() => true)]))) kit.timer.advance(100)
    const { pull, tasks } = await ending
    const taskOf = ({ platform_name }: SimulatedPlatform) =>
      only(tasks.filter((task) => task.platform_name === platform_name))

    assert.equal(pull.state, 'partial')
    assert.deepEqual(
      elsewhere.requests,
      [],
      'the hub sends no request to the target of a redirect or link',
    )
    assert.ok(kit.pauses.includes(7000), 'the hub waits for Retry-After')
    for (const [platform, row] of failing) await checkFailure(hub, row, platform, taskOf(platform))
    checkMessages(
      [...failing].map(([platform, { error }]) => [error, taskOf(platform).error ?? '']),
    )
    for (const [platform, row] of healthy) checkSuccess(row, taskOf(platform))

    checkCounts(
      taskOf(emptied),
      { received: 1, unchanged: 1, not_listed: 10 },
      'most records are missing',
    )
    const page = expectBody(await hub.get('/api/v1/missing-reviews'), 200, MissingReviewPage)
    const { platform_name, missing, records } = only(page.missing_reviews)
    assert.deepEqual([platform_name, missing, records], [emptied.platform_name, 10, 11])

    checkCounts(taskOf(older), { received: 4, unchanged: 3, stale: 1 }, 'older than a push')
    const [pushed] = await hub.records(older.platform_name)
    assert.deepEqual(pushed?.data, { status: 'pushed during the pull' })

    await recover()
    assert.equal((await hub.pullAll()).pull.state, 'succeeded', 'the next pull succeeds')
  })
})

/** Starts a hub with one registered platform for each row, all of them healthy. */
async function startPlatforms(engine: StorageEngine) {
  const stack = new AsyncDisposableStack()
  const pauses: number[] = []
  const pause = async (milliseconds: number) => pauses.push(milliseconds) > 0
  const timer = createManualTimer()
  const env = { HUB_PULL_CONCURRENCY: '16' }
  const timeouts = { ...STALL, ...FIRST_BYTE, pause, timer }
  const hub = stack.use(await startTestHub(engine, { env, timeouts }))
  const elsewhere = stack.use(await simulatePlatform())
  const keys = new Map<SimulatedPlatform, string>()
  async function register(records: unknown[] = PULLED_RECORDS): Promise<SimulatedPlatform> {
    const modules = [simulatedModule('cases', { records: [...records] })]
    const platform = stack.use(await simulatePlatform({ modules }))
    keys.set(platform, (await hub.register(platform)).hub_api_key)
    return platform
  }
  const failing = new Map<SimulatedPlatform, PullFault>()
  for (const row of createPullFaults(elsewhere.source_base_url)) {
    if (isDeep || !TIMEOUTS.has(row.name)) failing.set(await register(), row)
  }
  const healthy = new Map<SimulatedPlatform, SuccessfulPull>()
  for (const row of SUCCESSFUL_PULLS) healthy.set(await register(), row)
  const [emptied, older] = [await register(RECORDS_ABOVE_THRESHOLD), await register()]
  return {
    ...{ hub, elsewhere, failing, healthy, emptied, older, pauses, timer },
    keyOf: (platform: SimulatedPlatform) => keys.get(platform) ?? '',
    /** Applies the fault of its row to each platform. The returned function makes all healthy again. */
    async applyFaults(): Promise<() => Promise<void>> {
      const offline: { goOnline: () => Promise<void> }[] = []
      for (const [platform, { responder }] of failing) {
        platform.requests.length = 0
        if (responder) platform.setResponse('records/cases', responder)
        else offline.push(await platform.goOffline())
      }
      for (const [platform, { responses }] of healthy)
        platform.queueResponses('records/cases', ...responses)
      emptied.setResponse(
        'records/cases',
        respond.json({ success: true, records: RECORDS_ABOVE_THRESHOLD.slice(0, 1) }),
      )
      return async () => {
        for (const { goOnline } of offline) await goOnline()
        for (const platform of [...failing.keys(), emptied])
          platform.setResponse('records/cases', null)
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function checkFailure(
  hub: TestHub,
  { name, error, requests, storesNewRecord }: PullFault,
  platform: SimulatedPlatform,
  task: PullTask,
): Promise<void> {
  assert.equal(task.state, 'failed', name)
  assert.match(task.error ?? '', error, name)
  assert.match(task.error ?? '', ADVICE, `${name}: the error recommends an action`)
  assert.doesNotMatch(task.error ?? '', /\.\.|\{\w+\}|undefined|ERR_/, name)
  assert.equal(platform.listRecordsRequests().length, requests, `${name}: number of requests`)
  checkCounts(task, storesNewRecord ? { received: 1, created: 1 } : {}, name)
  const records = await hub.records(platform.platform_name)
  assert.deepEqual(
    records.map((record) => record.reference_number),
    ['R-1', 'R-2', 'R-3', 'R-4', ...(storesNewRecord ? ['R-9'] : [])],
    name,
  )
  assert.ok(
    records.every((record) => record.missing_since === null),
    name,
  )
  expectAbsent([platform.source_api_key], [JSON.stringify(task), hub.log()])
}

/** Asserts that each cause has exactly one message and that no two causes share a message. */
function checkMessages(messages: (readonly [cause: RegExp, text: string])[]): void {
  const texts = new Map(messages)
  for (const [cause, text] of messages) assert.equal(text, texts.get(cause))
  assert.equal(new Set(texts.values()).size, texts.size)
}

function checkSuccess({ name, counts, warning }: SuccessfulPull, task: PullTask): void {
  assert.deepEqual([task.state, task.error], ['succeeded', null], name)
  checkCounts(task, counts, name)
  if (warning) assert.match(only(task.warnings), warning, name)
  else assert.deepEqual(task.warnings, [], name)
}

function checkCounts(task: PullTask, counts: Partial<PullCounts>, what: string): void {
  const { received, created, updated, unchanged, stale, held } = task
  const { rejected, missing, not_listed, accepted } = task
  const actual = {
    received,
    created,
    updated,
    unchanged,
    stale,
    held,
    rejected,
    missing,
    not_listed,
    accepted,
  }
  assert.deepEqual(actual, { ...noCounts(), ...counts }, what)
}
