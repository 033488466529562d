/** One pull over platforms with every misbehaviour: the good ones succeed, each failure is told apart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MissingReviewPage, type PullCounts, type PullTask } from '@recordhub/protocol'
import { noCounts } from '../../src/domain/pull.ts'
import {
  newRecord,
  pullAll,
  push,
  recordsOf,
  registerPlatform,
  startPull,
  untilPullEnds,
} from '../helpers/http-actions.ts'
import { expectAbsent, expectAnswer } from '../helpers/http-answer.ts'
import { startTestHub } from '../helpers/http-hub.ts'
import { failuresWith, KNOWN, MANY, SUCCESSES } from '../helpers/http-misbehaviours.ts'
import {
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatePlatform,
} from '../helpers/http-platform.ts'
import type { StorageEngine } from '../helpers/storage-engine.ts'
import { only } from '../helpers/storage-fixtures.ts'

/** Scaled down: a minute of patience is a second. */
const PATIENCE = { silenceMs: 500, windowMs: 1000, firstByteSeconds: 2.5 }
const ADVICE = /Check|say why|say what|has to mend|enter the final|asks again/i

const withKnown = (records: unknown[] = KNOWN) =>
  simulatePlatform({ modules: [simulatedModule('cases', { records: [...records] })] })

const countsOf = (task: PullTask): PullCounts => {
  const { received, created, updated, unchanged, stale, rejected, missing } = task
  return { received, created, updated, unchanged, stale, rejected, missing }
}

export function describePullMisbehaviour(engine: StorageEngine): void {
  test(`one pull over platforms with every misbehaviour, on ${engine.name}`, async () => {
    const pauses: number[] = []
    const pause = async (milliseconds: number) => pauses.push(milliseconds) > 0
    await using stack = new AsyncDisposableStack()
    const hub = stack.use(
      await startTestHub(engine, {
        env: { HUB_PULL_CONCURRENCY: '16' },
        patience: { ...PATIENCE, pause },
      }),
    )
    const elsewhere = stack.use(await simulatePlatform())
    const register = async (records?: unknown[]) => {
      const platform = stack.use(await withKnown(records))
      return { platform, registered: await registerPlatform(hub, platform) }
    }
    const failing: { row: ReturnType<typeof failuresWith>[number]; platform: SimulatedPlatform }[] =
      []
    for (const row of failuresWith(elsewhere.source_base_url)) {
      failing.push({ row, ...(await register()) })
    }
    const well: { row: (typeof SUCCESSES)[number]; platform: SimulatedPlatform }[] = []
    for (const row of SUCCESSES) well.push({ row, ...(await register()) })
    const emptied = await register(MANY)
    const older = await register()
    assert.equal((await pullAll(hub)).pull.state, 'succeeded')

    const gone = []
    for (const { row, platform } of failing) {
      platform.requests.length = 0
      if (row.behaviour) platform.behave('records/cases', row.behaviour)
      else gone.push(await platform.goAway())
    }
    for (const { row, platform } of well) platform.behaveInTurn('records/cases', ...row.inTurn)
    const [kept] = MANY
    emptied.platform.behave('records/cases', respond.json({ records: [kept] }))
    const held = older.platform.hold('records/cases')

    const { id } = await startPull(hub)
    await held.arrived
    const changed = newRecord('R-1', { data: { status: 'pushed meanwhile' } })
    assert.equal((await push(hub, older.registered.hub_api_key, changed)).status, 200)
    held.release()
    const { pull, tasks } = await untilPullEnds(hub, id)
    const taskOf = ({ platform_name }: SimulatedPlatform) =>
      only(tasks.filter((task) => task.platform_name === platform_name))

    assert.equal(pull.state, 'partial')
    assert.deepEqual(elsewhere.requests, [], 'nothing goes where a platform points')

    const words = new Map<RegExp, string>()
    for (const { row, platform } of failing) {
      const { what, error, asked, stores } = row
      const task = taskOf(platform)
      assert.equal(task.state, 'failed', what)
      assert.match(task.error ?? '', error, what)
      assert.match(task.error ?? '', ADVICE, `${what}: it is said what to do`)
      assert.doesNotMatch(task.error ?? '', /\.\.|\{|undefined|_ERR_|ERR_/, what)
      assert.equal(task.error, words.get(error) ?? task.error, 'one cause, one text')
      words.set(error, task.error ?? '')
      assert.equal(platform.asked().length, asked, `${what}: how often it is asked`)
      const counts = stores ? { received: 1, created: 1 } : {}
      assert.deepEqual(countsOf(task), { ...noCounts(), ...counts }, what)
      const records = await recordsOf(hub, platform.platform_name)
      const references = ['R-1', 'R-2', 'R-3', 'R-4', ...(stores ? ['R-9'] : [])]
      assert.deepEqual(
        records.map((record) => record.reference_number),
        references,
        what,
      )
      assert.ok(
        records.every((record) => record.missing_since === null),
        what,
      )
      expectAbsent([platform.source_api_key], [JSON.stringify(task), hub.log()])
    }
    assert.equal(new Set(words.values()).size, words.size, 'causes are told apart')

    for (const { row, platform } of well) {
      const task = taskOf(platform)
      assert.deepEqual([task.state, task.error], ['succeeded', null], row.what)
      assert.deepEqual(countsOf(task), { ...noCounts(), ...row.counts }, row.what)
      if (row.warning) assert.match(only(task.warnings), row.warning)
      else assert.deepEqual(task.warnings, [], row.what)
    }
    assert.ok(pauses.includes(7000), 'Retry-After is minded')

    const few = taskOf(emptied.platform)
    assert.deepEqual(countsOf(few), { ...noCounts(), received: 1, unchanged: 1 })
    const asked = expectAnswer(await hub.get('/api/v1/missing-reviews'), 200, MissingReviewPage)
    const { platform_name, missing, records } = only(asked.missing_reviews)
    assert.deepEqual([platform_name, missing, records], [emptied.platform.platform_name, 10, 11])

    const stale = taskOf(older.platform)
    assert.deepEqual(countsOf(stale), { ...noCounts(), received: 4, unchanged: 3, stale: 1 })
    const [pushed] = await recordsOf(hub, older.platform.platform_name)
    assert.deepEqual(pushed?.data, { status: 'pushed meanwhile' })

    for (const { comeBack } of gone) await comeBack()
    for (const { platform } of failing) platform.behave('records/cases', null)
    emptied.platform.behave('records/cases', null)
    const next = await pullAll(hub)
    assert.equal(next.pull.state, 'succeeded', 'the next pull may start, and finds all well')
  })
}
