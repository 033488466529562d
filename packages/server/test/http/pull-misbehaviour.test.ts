/** One pull over platforms with every misbehaviour: the good ones succeed, each failure is told apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MissingReviewPage, type PullCounts, type PullTask } from '@recordhub/protocol'
import { noCounts } from '../../src/domain/pull.ts'
import {
  newRecord,
  pullAll,
  push,
  readPull,
  recordsOf,
  registerPlatform,
  startPull,
  untilPullEnds,
} from '../helpers/hub/actions.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectAbsent, expectAnswer } from '../helpers/hub/response.ts'
import {
  type Failure,
  failuresWith,
  KNOWN,
  MANY,
  SUCCESSES,
  type Success,
} from '../helpers/platform/misbehaviours.ts'
import {
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { onEachEngineWhenDeep } from '../helpers/storage/engines.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { createManualPassing } from '../helpers/time/manual-passing.ts'
import { until } from '../helpers/time/until.ts'

/** Scaled down: a minute of patience is a second, which passes once all others are done. */
const PACE = { silenceMs: 500, windowMs: 1000 }
/** This one passes by itself, and must be enough for all others. */
const FIRST_BYTE = { firstByteSeconds: 20 }
/** Those that end by the time that passes. */
const UNENDING = 3
const ADVICE = /check|say why|has to mend|enter the final|asks again/i

onEachEngineWhenDeep((engine) => {
  test(`one pull over platforms with every misbehaviour, on ${engine.name}`, async () => {
    await using scene = await startScene(engine)
    const { hub, elsewhere, failing, well, emptied, older } = scene
    assert.equal((await pullAll(hub)).pull.state, 'succeeded')

    const back = await scene.misbehave()
    const held = older.hold('records/cases')
    const { id } = await startPull(hub)
    await held.arrived
    const changed = newRecord('R-1', { data: { status: 'pushed meanwhile' } })
    assert.equal((await push(hub, scene.keyOf(older), changed)).status, 200)
    held.release()
    await until(async () => {
      const { tasks_total, tasks_done } = (await readPull(hub, id)).pull.progress
      return tasks_done === tasks_total - UNENDING ? true : null
    }, 'all but those without an end are done')
    const ending = untilPullEnds(hub, id)
    // Time passes drip by drip, or the dripping one would be silent to a hub that is asked often.
    const dripOf = () => scene.passing.nextWaits(1).then(() => false)
    while (!(await Promise.race([dripOf(), ending.then(() => true)]))) scene.passing.pass(100)
    const { pull, tasks } = await ending
    const taskOf = ({ platform_name }: SimulatedPlatform) =>
      only(tasks.filter((task) => task.platform_name === platform_name))

    assert.equal(pull.state, 'partial')
    assert.deepEqual(elsewhere.requests, [], 'nothing goes where a platform points')
    assert.ok(scene.pauses.includes(7000), 'Retry-After is minded')
    for (const [platform, row] of failing) await checkFailure(hub, row, platform, taskOf(platform))
    checkWords([...failing].map(([platform, { error }]) => [error, taskOf(platform).error ?? '']))
    for (const [platform, row] of well) checkSuccess(row, taskOf(platform))

    checkCounts(taskOf(emptied), { received: 1, unchanged: 1 }, 'very many have vanished')
    const asked = expectAnswer(await hub.get('/api/v1/missing-reviews'), 200, MissingReviewPage)
    const { platform_name, missing, records } = only(asked.missing_reviews)
    assert.deepEqual([platform_name, missing, records], [emptied.platform_name, 10, 11])

    checkCounts(taskOf(older), { received: 4, unchanged: 3, stale: 1 }, 'older than a push')
    const [pushed] = await recordsOf(hub, older.platform_name)
    assert.deepEqual(pushed?.data, { status: 'pushed meanwhile' })

    await back()
    assert.equal((await pullAll(hub)).pull.state, 'succeeded', 'the next pull finds all well')
  })
})

/** A hub that knows a platform for each row, all of them well. */
async function startScene(engine: StorageEngine) {
  const stack = new AsyncDisposableStack()
  const pauses: number[] = []
  const pause = async (milliseconds: number) => pauses.push(milliseconds) > 0
  const passing = createManualPassing()
  const env = { HUB_PULL_CONCURRENCY: '16' }
  const patience = { ...PACE, ...FIRST_BYTE, pause, passing }
  const hub = stack.use(await startTestHub(engine, { env, patience }))
  const elsewhere = stack.use(await simulatePlatform())
  const keys = new Map<SimulatedPlatform, string>()
  async function register(records: unknown[] = KNOWN): Promise<SimulatedPlatform> {
    const modules = [simulatedModule('cases', { records: [...records] })]
    const platform = stack.use(await simulatePlatform({ modules }))
    keys.set(platform, (await registerPlatform(hub, platform)).hub_api_key)
    return platform
  }
  const failing = new Map<SimulatedPlatform, Failure>()
  for (const row of failuresWith(elsewhere.source_base_url)) failing.set(await register(), row)
  const well = new Map<SimulatedPlatform, Success>()
  for (const row of SUCCESSES) well.set(await register(), row)
  const [emptied, older] = [await register(MANY), await register()]
  return {
    ...{ hub, elsewhere, failing, well, emptied, older, pauses, passing },
    keyOf: (platform: SimulatedPlatform) => keys.get(platform) ?? '',
    /** From now on each does as its row says, until it is told to be well again. */
    async misbehave(): Promise<() => Promise<void>> {
      const gone: { comeBack: () => Promise<void> }[] = []
      for (const [platform, { behaviour }] of failing) {
        platform.requests.length = 0
        if (behaviour) platform.behave('records/cases', behaviour)
        else gone.push(await platform.goAway())
      }
      for (const [platform, { inTurn }] of well) platform.behaveInTurn('records/cases', ...inTurn)
      emptied.behave('records/cases', respond.json({ records: MANY.slice(0, 1) }))
      return async () => {
        for (const { comeBack } of gone) await comeBack()
        for (const platform of [...failing.keys(), emptied]) platform.behave('records/cases', null)
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function checkFailure(
  hub: TestHub,
  { what, error, asked, stores }: Failure,
  platform: SimulatedPlatform,
  task: PullTask,
): Promise<void> {
  assert.equal(task.state, 'failed', what)
  assert.match(task.error ?? '', error, what)
  assert.match(task.error ?? '', ADVICE, `${what}: it is said what to do`)
  assert.doesNotMatch(task.error ?? '', /\.\.|\{\w+\}|undefined|ERR_/, what)
  assert.equal(platform.asked().length, asked, `${what}: how often it is asked`)
  checkCounts(task, stores ? { received: 1, created: 1 } : {}, what)
  const records = await recordsOf(hub, platform.platform_name)
  assert.deepEqual(
    records.map((record) => record.reference_number),
    ['R-1', 'R-2', 'R-3', 'R-4', ...(stores ? ['R-9'] : [])],
    what,
  )
  assert.ok(
    records.every((record) => record.missing_since === null),
    what,
  )
  expectAbsent([platform.source_api_key], [JSON.stringify(task), hub.log()])
}

/** Each cause has one text, and no two have the same. */
function checkWords(told: (readonly [cause: RegExp, text: string])[]): void {
  const texts = new Map(told)
  for (const [cause, text] of told) assert.equal(text, texts.get(cause))
  assert.equal(new Set(texts.values()).size, texts.size)
}

function checkSuccess({ what, counts, warning }: Success, task: PullTask): void {
  assert.deepEqual([task.state, task.error], ['succeeded', null], what)
  checkCounts(task, counts, what)
  if (warning) assert.match(only(task.warnings), warning, what)
  else assert.deepEqual(task.warnings, [], what)
}

function checkCounts(task: PullTask, counts: Partial<PullCounts>, what: string): void {
  const { received, created, updated, unchanged, stale, rejected, missing } = task
  const got = { received, created, updated, unchanged, stale, rejected, missing }
  assert.deepEqual(got, { ...noCounts(), ...counts }, what)
}
