/** Platforms push faster than the database stores: too many large bodies, and a database that is locked. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { scrapeProcess, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { createDatabaseFromTemplate } from '../helpers/postgres/database.ts'
import { createPostgresSandbox, ENGINES } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { PUSHED_TYPE } from '../helpers/process/ledger.ts'
import {
  type BegunPush,
  beginPush,
  type Push,
  type PushResult,
  pushOnce,
} from '../helpers/process/push.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { type RunningHub, test } from '../helpers/process/sandbox.ts'
import { prepareDatabase, withDatabase } from '../helpers/storage/postgres.ts'
import { deepOnly, rounds } from '../helpers/time/tier.ts'
import { untilTrue } from '../helpers/time/until.ts'

/** Bodies of one platform that the hub holds at the same time: its share of 8 MiB. */
const LARGE = 600_000
const ADMITTED = 13
const PUSHES = rounds(30, 300)
/** Less than the bodies of all pushes of the deep tier. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' }

for (const engine of ENGINES) {
  test(`a hub with a small heap acknowledges only pushes that it stores, and recovers after an overload (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub({ env: { ...WITH_METRICS, ...SMALL_HEAP } })
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const report = createFaultReport('overload: large pushes', engine.name)
    const target = { address: hub.address, hubApiKey }
    const results = new Map<Push, PushResult>()
    const begin = (index: number): BegunPush => {
      const push = largePush(index)
      const begun = beginPush(target, push)
      void begun.result.then((result) => {
        ledger.record(push, result)
        results.set(push, result)
      })
      return begun
    }
    const begun = Array.from({ length: PUSHES }, (_, index) => begin(index))
    await untilTrue('all others are rejected', () => results.size === PUSHES - ADMITTED)
    for (const result of results.values()) {
      assertBusy(result)
      report.caused()
    }
    const rejected = [...results.keys()]
    const gauges = await scrapeProcess(hub)
    const bytes = gauges.get('recordhub_bodies_bytes{sender="platform"}') ?? Number.NaN
    assert.ok(bytes <= 8 * 1024 * 1024 && bytes > ADMITTED * LARGE, `${bytes} bytes`)
    assert.equal((await fetch(`${hub.address}/healthz`)).status, 200)
    assert.equal((await fetch(`${hub.address}/readyz`)).status, 200)
    assert.equal((await operator.call('GET', '/dashboard/realtime')).status, 200)

    for (const one of begun) if (!results.has(one.push)) one.finish()
    await Promise.all(begun.map(({ result }) => result))
    report.ended()
    for (const push of rejected) {
      const result = await pushOnce(target, push)
      ledger.record(push, result)
      assert.ok(result.kind === 'response' && result.status === 201, JSON.stringify(result))
      report.recovered()
    }
    report.save(await ledger.compare(operator))
    assert.equal(ledger.acknowledged(), 3 + PUSHES)
    await ledger.assertStored(operator)
    await assertEmpty(hub)
    assert.deepEqual(await hub.stop(), { code: 0, signal: null })
  })

  test(
    `pushes from many connections that retry after 503 are all acknowledged and stored (${engine.name})`,
    async (t) => {
      const kit = await engine.createSandbox(t)
      const hub = await kit.sandbox.startHub({ env: { ...WITH_METRICS, ...SMALL_HEAP } })
      const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
      const report = createFaultReport('overload: 200 connections', engine.name)
      const target = { address: hub.address, hubApiKey }
      let busy = 0
      async function pushUntilAcknowledged(index: number): Promise<void> {
        for (;;) {
          const push = largePush(index)
          const result = await pushOnce(target, push)
          ledger.record(push, result)
          if (result.kind === 'response' && result.status < 300) return
          assertBusy(result)
          busy += 1
          report.caused()
        }
      }
      await Promise.all(Array.from({ length: 200 }, (_, index) => pushUntilAcknowledged(index)))
      assert.ok(busy > 0)
      report.save(await ledger.compare(operator))
      await ledger.assertStored(operator)
      await assertEmpty(hub)
    },
    { ...deepOnly },
  )
}

test('pushes that wait for a locked table of PostgreSQL are stored when the lock ends', async (t) => {
  const { hub, operator, hubApiKey, ledger, lockRecords } = await startHubOnPostgres(t)
  const report = createFaultReport('overload: locked table', 'PostgreSQL')
  const connections = rounds(40, 400)
  const lock = await lockRecords()
  report.caused()
  const pushing = startPushing(t, [hub], ledger, { name: 'locked', hubApiKey, connections })
  await untilTrue('all of them wait', async () => {
    const gauges = await scrapeProcess(hub)
    return gauges.get('recordhub_bodies{sender="platform"}') === connections
  })
  assert.equal((await fetch(`${hub.address}/healthz`)).status, 200)
  await lock.release()
  report.ended()
  await pushing.untilAttempts(1, isAcknowledged)
  report.recovered()
  await pushing.untilAttempts(connections, isAcknowledged)
  await pushing.finish()
  report.save(await ledger.compare(operator))
  await ledger.assertStored(operator)
  await assertEmpty(hub)
})

test(
  'requests that get no connection to PostgreSQL return 503, and the next ones succeed when the lock ends',
  async (t) => {
    const { operator, lockRecords } = await startHubOnPostgres(t)
    const lock = await lockRecords()
    // A process has eight connections for reads. The others wait for one, for five seconds.
    const lists = Array.from({ length: 12 }, () => operator.call('GET', '/api/v1/records'))
    const { status, headers } = await Promise.race(lists)
    assert.equal(status, 503)
    assert.match(headers.get('retry-after') ?? '', /^\d+$/)
    await lock.release()
    for (const list of await Promise.all(lists)) assert.ok([200, 503].includes(list.status))
    assert.equal((await operator.call('GET', '/api/v1/records')).status, 200)
  },
  { ...deepOnly },
)

function largePush(index: number): Push {
  const data = { turn: index, ballast: 'x'.repeat(LARGE) }
  return { method: 'POST', record_type: PUSHED_TYPE, reference_number: `large-${index}`, data }
}

function assertBusy(result: PushResult): void {
  assert.ok(result.kind === 'response', JSON.stringify(result))
  assert.equal(result.status, 503, result.text)
  assert.equal(JSON.parse(result.text).code, 'busy')
  assert.match(result.retryAfter ?? '', /^[1-9]\d*$/)
}

/** Asserts that nothing waits, so that the memory of the overload can be freed. */
async function assertEmpty(hub: RunningHub): Promise<void> {
  const gauges = await scrapeProcess(hub)
  for (const name of ['recordhub_bodies', 'recordhub_bodies_bytes']) {
    assert.equal(gauges.get(`${name}{sender="platform"}`), 0)
  }
  assert.equal(gauges.get('recordhub_push_queue_pushes'), 0)
}

async function startHubOnPostgres(t: TestContext) {
  const database = await createDatabaseFromTemplate(prepareDatabase)
  const { sandbox } = createPostgresSandbox(t, database.url)
  t.after(() => database.drop())
  const hub = await sandbox.startHub({ env: WITH_METRICS })
  /** Locks the table of records until `release` is called. */
  async function lockRecords() {
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const done = withDatabase(database.url, async (client) => {
      await client.query('BEGIN')
      await client.query('LOCK TABLE records IN ACCESS EXCLUSIVE MODE')
      locked.resolve()
      await released.promise
      await client.query('COMMIT')
    })
    await Promise.race([locked.promise, done])
    return {
      async release() {
        released.resolve()
        await done
      },
    }
  }
  return { hub, lockRecords, ...(await registerPusher(t, hub)) }
}
