/** Two hubs push and pull while PostgreSQL stops, is killed, stops responding, or loses its connections. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type PostgresProxy, startPostgresProxy } from '../helpers/postgres/proxy.ts'
import { type PostgresServer, startPostgres } from '../helpers/postgres/server.ts'
import { assertAtomicWrites, createPostgresSandbox } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { type Operator, untilReady } from '../helpers/process/operator.ts'
import {
  generateModule,
  type SimulatedPlatform,
  startPlatform,
} from '../helpers/process/platform.ts'
import {
  assertAcknowledgedOrUnavailable,
  isAcknowledged,
  type PushAttempt,
  type Pushing,
  registerPusher,
  startPushing,
} from '../helpers/process/push-loop.ts'
import { PROCESS_TEST, type RunningHub, test } from '../helpers/process/sandbox.ts'
import { createSeededRandom } from '../helpers/random/seed.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { assertUnavailable } from './postgres-outage.ts'

type Server = { postgres: PostgresServer; proxy: PostgresProxy }

type Outage = {
  fault: string
  begin: (server: Server) => unknown
  /** Null for an outage that lasts only a moment. */
  end: ((server: Server) => unknown) | null
  rounds: number
}

const start = ({ postgres }: Server) => postgres.start()
const OUTAGES: readonly Outage[] = [
  {
    fault: 'PostgreSQL killed (SIGKILL)',
    begin: ({ postgres }) => postgres.kill(),
    end: start,
    rounds: rounds(1, 2),
  },
  {
    fault: 'PostgreSQL suspended (SIGSTOP)',
    begin: ({ postgres }) => postgres.suspend(),
    end: ({ postgres }) => postgres.resume(),
    rounds: rounds(1, 2),
  },
  {
    fault: 'PostgreSQL connections reset',
    begin: ({ proxy }) => proxy.resetAll(),
    end: null,
    rounds: rounds(1, 10),
  },
  {
    fault: 'PostgreSQL restarted (fast)',
    begin: ({ postgres }) => postgres.stop('fast'),
    end: start,
    rounds: rounds(1, 2),
  },
  {
    fault: 'PostgreSQL restarted (immediate)',
    begin: ({ postgres }) => postgres.stop('immediate'),
    end: start,
    rounds: rounds(1, 2),
  },
]

const RECORDS = rounds(100, 500)
const CONNECTIONS = rounds(4, 24)

test(
  'two hubs survive outages of PostgreSQL, return 503 meanwhile and lose no acknowledged push',
  async (t) => {
    const postgres = await startPostgres({ durable: true })
    t.after(() => postgres.remove())
    const proxy = await startPostgresProxy(postgres.url)
    t.after(() => proxy.close())
    const { hubs, queryDatabase, ...rest } = await startHubs(t, proxy.url)
    const { operator, hubApiKey, ledger, platform } = rest
    assert.deepEqual(await queryDatabase('SHOW fsync'), [{ fsync: 'on' }])
    const random = createSeededRandom()

    for (const { fault, begin, end, ...outage } of isDeep ? OUTAGES : OUTAGES.slice(0, 1)) {
      const report = createFaultReport(fault, 'PostgreSQL')
      const before = ledger.acknowledged()
      for (let round = 0; round < outage.rounds; round += 1) {
        const work = { name: `${fault}-${round}`, hubApiKey, connections: CONNECTIONS }
        const pushing = startPushing(t, hubs, ledger, work)
        const pull = await startHalfPull(operator, platform)
        await untilResults(pushing, 1 + Math.floor(random() * rounds(20, 60)), isAcknowledged)
        await begin({ postgres, proxy })
        report.caused()
        if (end) {
          await untilResults(pushing, rounds(4, 30), (one) => !isAcknowledged(one))
          for (const { address } of hubs) await assertUnavailable(operator.at(address), address)
        }
        pull.release()

        report.ended()
        await end?.({ postgres, proxy })
        await untilResults(pushing, 1, isAcknowledged)
        report.recovered()
        await untilResults(pushing, 20, isAcknowledged)
        await pushing.finish()
        for (const one of pushing.attempts) assertAcknowledgedOrUnavailable(one)
        for (const hub of hubs) await untilReady(hub)
        await assertPullsContinue(hubs, operator, pull.id)
      }
      const compared = await ledger.compare(operator)
      report.save({ ...compared, acknowledged: compared.acknowledged - before })
      for (const { address } of hubs) await ledger.assertStored(operator.at(address))
      assert.deepEqual(ledger.unacknowledged(), [])
    }
    await assertAtomicWrites(queryDatabase, RECORDS)
    for (const hub of hubs) {
      assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null }, 'the hub was running')
    }
  },
  { timeout: rounds(1, 2) * PROCESS_TEST.timeout },
)

/** Two hubs, a platform that pushes, and one that is pulled. */
async function startHubs(t: TestContext, databaseUrl: string) {
  const { sandbox, queryDatabase } = createPostgresSandbox(t, databaseUrl)
  const hubs = [await sandbox.startHub(), await sandbox.startHub()] as const
  const pusher = await registerPusher(t, hubs[0])
  const modules = [generateModule('person', RECORDS)]
  const platform = await startPlatform(t, { name: 'archive', modules })
  await pusher.operator.registerModules(platform)
  return { hubs, queryDatabase, platform, ...pusher }
}

/** Starts a pull whose platform has sent half of its records. */
async function startHalfPull(operator: Operator, platform: SimulatedPlatform) {
  const { halfSent, release } = platform.pauseNextResponse()
  const { status, pull } = await operator.requestPull()
  assert.equal(status, 202)
  await halfSent
  return { id: pull.id, release }
}

function untilResults(
  pushing: Pushing,
  count: number,
  matches: (pushed: PushAttempt) => boolean,
): Promise<unknown> {
  const ofHub = (hub: number) => (one: PushAttempt) => one.hub === hub && matches(one)
  return Promise.all([0, 1].map((hub) => pushing.untilAttempts(count, ofHub(hub))))
}

/** The interrupted pull ends without help, and each hub can pull everything. */
async function assertPullsContinue(
  hubs: readonly RunningHub[],
  operator: Operator,
  pullId: number,
): Promise<void> {
  const { pull, tasks } = await operator.untilPullEnds(pullId)
  assert.ok(['succeeded', 'partial', 'failed', 'interrupted'].includes(pull.state), pull.state)
  for (const task of tasks) assert.notEqual(task.finished_at, null)
  for (const { address } of hubs) {
    assert.equal((await operator.at(address).pullAll()).pull.state, 'succeeded')
  }
  const pulled = await operator.findRecords('record_type=person&sort=record_id')
  assert.equal(new Set(pulled.map((record) => record.reference_number)).size, RECORDS)
  assert.equal(pulled.length, RECORDS)
}
