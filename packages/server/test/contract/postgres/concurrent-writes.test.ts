/** Two nodes on one PostgreSQL: concurrent writes, rejections and change notifications. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  createCallCounter,
  listeningSessions,
  type TestNode,
  untilLockWaiters,
  withLock,
  withTwoNodes,
} from '../../helpers/postgres/nodes.ts'
import {
  changeLog,
  listHistory,
  listRecords,
  only,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  setStatus,
  write,
  writeOne,
} from '../../helpers/storage/fixtures.ts'
import {
  finishTestPull,
  LEASE,
  pullWrite,
  requestPull,
  startPullAndRead,
  type TestRead,
} from '../../helpers/storage/pulls.ts'
import { runSql } from '../../helpers/storage/sql.ts'
import { untilTrue } from '../../helpers/time/until.ts'

const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

describe('concurrent writes of two PostgreSQL nodes', () => {
  test(
    'batches with the same references in opposite order all succeed and record every change',
    withTwoNodes(async ({ nodeA, nodeB }) => {
      const school = await registerTestPlatform(nodeA)
      const names = Array.from({ length: 24 }, (_, index) => `r-${index}`)
      // Every other record exists, so that row locks and inserts alternate.
      const existing = names.filter((_, index) => index % 2 === 0)
      await write(nodeA, ...existing.map((reference) => pushWrite(school, { reference })))
      let value = 0
      const batchOf = (node: TestNode, references: string[]) =>
        write(
          node,
          ...references.map((reference) =>
            pushWrite(school, { reference, data: `{"a":${value++}}` }),
          ),
        )
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, () => [
          batchOf(nodeA, names),
          batchOf(nodeB, names.toReversed()),
        ]).flat(),
      )
      const results = outcomesOf(outcomes.flat())
      assert.deepEqual(tally(results), { created: 12, updated: 40 * 24 - 12 })
      const records = await listRecords(nodeB.storage)
      assert.deepEqual(records.map((record) => record.reference_number).sort(), names.toSorted())

      const numbers = new Set<number>()
      for (const record of records) {
        const history = (await listHistory(nodeA.storage, record.record_id)).toReversed()
        const existedBefore = existing.includes(record.reference_number)
        assert.equal(history.length, existedBefore ? 40 : 39)
        // Each change starts from the previous value, so sequence numbers follow the order of changes.
        const changes = history.map((entry) => only(JSON.parse(entry.changes)))
        const befores = changes.map((change) => Object(change).before)
        const afters = changes.map((change) => Object(change).after)
        assert.deepEqual(befores.slice(1), afters.slice(0, -1))
        assert.equal(record.data, `{"a":${afters.at(-1)}}`)
        assert.equal(record.change_seq, history.at(-1)?.change_seq)
        for (const entry of history) numbers.add(entry.change_seq)
      }
      assert.equal(numbers.size, 40 * 24 - 12, 'A number was allocated twice')

      assert.equal(
        await nodeB.storage.records.countRecords({ platform: null, record_type: null }),
        24,
      )
      const { stats } = await nodeA.storage.snapshot.readSnapshot(nodeA.clock.day)
      assert.equal(stats.received_today, 12 + 40 * 24)
      assert.equal(stats.created_today, 24)
      assert.equal(stats.updated_today, 40 * 24 - 12)
      assert.equal(
        only(await runSql(nodeA.storage, 'SELECT count(*) AS n FROM activity'))['n'],
        973,
      )
    }),
  )

  test(
    'pushes on one node and a pull on the other write concurrently',
    withTwoNodes(async ({ nodeA, nodeB }) => {
      const school = await registerTestPlatform(nodeA)
      const read = await startPullAndRead(nodeB.storage, school)
      const names = Array.from({ length: 40 }, (_, index) => `r-${index}`)
      const pushed = names
        .toReversed()
        .map((reference) => pushWrite(school, { reference, data: '{"a":1}' }))
      const pulled = names.map((reference) => pullWrite(read, { reference, data: '{"a":2}' }))
      const outcomes = await Promise.all([
        write(nodeA, ...pushed),
        write(nodeB, ...pulled.slice(0, 20)),
        write(nodeA, ...pushed.toReversed()),
        write(nodeB, ...pulled.slice(20)),
      ])
      const counts = tally(outcomesOf(outcomes.flat()))
      assert.equal(counts['created'], 40)
      assert.equal(read.read.seen.size, 40)
      assert.equal((await listRecords(nodeA.storage)).length, 40)
      for (const record of await listRecords(nodeA.storage)) {
        // A push that arrives after the pull started is newer than the pulled data.
        assert.equal(record.data, '{"a":1}')
      }
    }),
  )
})

describe('a committed deactivation or end of a pull takes effect on every node', () => {
  test(
    'deactivating a platform waits for running pushes, and later pushes are rejected',
    withTwoNodes(async ({ url, nodeA, nodeB, observer }) => {
      const school = await registerTestPlatform(nodeA)
      await write(nodeA, pushWrite(school))
      const push = (over: Parameters<typeof pushWrite>[1]) => write(nodeB, pushWrite(school, over))
      await withLock(url, LOCK_R1, async (release) => {
        const before = push({ data: '{"a":1}' })
        await untilLockWaiters(observer, 1)
        const deactivation = setStatus(nodeA, school, 'inactive')
        await untilLockWaiters(observer, 2)
        const after = push({ reference: 'r-2' })
        await untilLockWaiters(observer, 3)
        await release()
        assert.deepEqual(outcomesOf(await before), ['updated'])
        await deactivation
        const afterDeactivation = await readState(nodeA)
        assert.deepEqual(outcomesOf(await after), ['api_key_invalid'])
        assert.deepEqual(await readState(nodeA), afterDeactivation)
      })
      assert.equal(only(await listRecords(nodeA.storage)).data, '{"a":1}')
    }),
  )

  const endings: [string, (node: TestNode, read: TestRead) => Promise<unknown>][] = [
    ['ended', ({ storage }, { read }) => finishTestPull(storage, read.pull_id, 'cancelled')],
    ['interrupted', ({ storage }) => storage.pulls.interruptPulls()],
    [
      'taken over after its lease expired',
      ({ storage, clock }) => {
        clock.advance(LEASE.seconds + 1)
        return requestPull(storage, { owner: 'node-2', seconds: 30 })
      },
    ],
    [
      'stopped because its platform is inactive',
      ({ storage, clock }) => deactivate(storage, clock),
    ],
  ]
  for (const [name, end] of endings) {
    test(
      `records of a pull are rejected once it is ${name}`,
      withTwoNodes(async ({ url, nodeA, nodeB, observer }) => {
        const school = await registerTestPlatform(nodeA)
        await write(nodeA, pushWrite(school))
        const read = await startPullAndRead(nodeB.storage, school)
        const pull = (reference: string) =>
          write(nodeB, pullWrite(read, { reference, data: '{"a":2}' }))
        await withLock(url, LOCK_R1, async (release) => {
          const before = pull('r-1')
          await untilLockWaiters(observer, 1)
          const ended = end(nodeA, read)
          await untilLockWaiters(observer, 2)
          const after = pull('r-2')
          await untilLockWaiters(observer, 3)
          await release()
          assert.deepEqual(outcomesOf(await before), ['updated'])
          await ended
          const afterEnd = await readState(nodeA)
          assert.match(only(outcomesOf(await after)), /pull_not_running|module_not_registered/)
          assert.deepEqual(await readState(nodeA), afterEnd)
        })
        assert.deepEqual(read.read.seen.size, 1)
      }),
    )
  }
})

describe('notifications between nodes', () => {
  test(
    'a node is notified of changes on another node, even after it has reconnected',
    withTwoNodes(async ({ nodeA, nodeB, observer }) => {
      const notified = createCallCounter()
      nodeB.storage.platforms.onChange(notified.call)
      const untilListening = (old: number[]) =>
        untilTrue('both nodes listen', async () => {
          const pids = await listeningSessions(observer)
          return pids.length === 2 && !pids.some((pid) => old.includes(pid))
        })
      await untilListening([])
      const school = await registerTestPlatform(nodeA)
      for (const status of ['inactive', 'active', 'inactive'] as const) {
        await notified.next()
        await setStatus(nodeA, school, status)
      }
      await notified.next()

      const terminated = await listeningSessions(observer)
      await observer.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [
        terminated,
      ])
      await untilListening(terminated)
      // A node is also notified after it has reconnected, because it may have missed changes.
      await notified.next()
      for (const status of ['active', 'inactive', 'active'] as const) {
        await setStatus(nodeA, school, status)
        await notified.next()
      }
    }),
  )

  test(
    'a broadcast reaches the other processes but not its sender',
    withTwoNodes(async ({ nodeA, nodeB, observer }) => {
      await untilTrue(
        'both nodes listen',
        async () => (await listeningSessions(observer)).length === 2,
      )
      const received: string[] = []
      const call = createCallCounter()
      nodeA.storage.broadcast.subscribe((topics) => void received.push(`here: ${topics}`))
      nodeB.storage.broadcast.subscribe((topics) => {
        received.push(`there: ${topics}`)
        call.call()
      })
      await nodeA.storage.broadcast.publish('records,pull')
      await call.next()
      await nodeA.storage.broadcast.publish("it's; DROP")
      await call.next()
      assert.deepEqual(received, ['there: records,pull', "there: it's; DROP"])
    }),
  )

  test(
    'a rolled back change sends no notification',
    withTwoNodes(async ({ nodeA, observer }) => {
      await observer.query('LISTEN recordhub_changes')
      const notifications: string[] = []
      observer.on('notification', ({ payload }) => void notifications.push(payload ?? ''))
      await observer.query(`CREATE FUNCTION reject_insert() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'rejected' USING ERRCODE = '40000'; END $$`)
      await observer.query(
        'CREATE TRIGGER reject_insert BEFORE INSERT ON audit EXECUTE FUNCTION reject_insert()',
      )
      await assert.rejects(registerTestPlatform(nodeA))
      await observer.query('DROP TRIGGER reject_insert ON audit; DROP FUNCTION reject_insert')
      assert.deepEqual(notifications, [])
      await registerTestPlatform(nodeA)
      await untilTrue('the change is announced', async () => {
        await observer.query('SELECT')
        return notifications.length > 0
      })
      assert.equal(notifications.length, 1)
    }),
  )
})

function tally(outcomes: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

async function deactivate(storage: TestNode['storage'], clock: TestNode['clock']): Promise<void> {
  const { id } = only(await storage.platforms.listPlatforms())
  const school = { platform_id: id, platform_name: 'school', key_hash: '', hub_key_id: 0 }
  await setStatus({ storage, clock }, school, 'inactive')
}

/** The state that a write would change. */
async function readState({ storage, clock }: TestNode) {
  const [records, counted, history] = await Promise.all([
    listRecords(storage),
    storage.snapshot.readSnapshot(clock.day),
    runSql(storage, 'SELECT count(*) AS n FROM record_history'),
  ])
  return { records, stats: counted.stats, logs: counted.logs, history }
}

describe('erasures and removals on two PostgreSQL nodes', () => {
  test(
    'a push to a record erased or a platform removed on another node is rejected',
    withTwoNodes(async ({ nodeA, nodeB }) => {
      const school = await registerTestPlatform(nodeA)
      await write(nodeB, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
      const [first] = await listRecords(nodeB.storage)
      const erasure = { record_id: first?.record_id ?? 0, mode: 'erase', actor: 'ann' } as const
      assert.ok(await nodeA.storage.erasure.eraseRecord(erasure, changeLog()))
      assert.deepEqual(outcomesOf(await write(nodeB, pushWrite(school))), ['record_erased'])
      const { platform_id, platform_name } = school
      const request = { platform_id, platform_name, requested_by: 'ann', at: nodeA.clock.text }
      assert.ok(await nodeA.storage.platforms.removePlatform(request, changeLog()))
      assert.deepEqual(outcomesOf(await write(nodeB, pushWrite(school))), ['api_key_invalid'])
      const nodes = [nodeA, nodeB].map(async ({ storage }) => {
        while (await storage.removals.runNextStep());
      })
      await Promise.all(nodes)
      assert.deepEqual(await listRecords(nodeB.storage), [])
      assert.deepEqual(await runSql(nodeB.storage, 'SELECT 1 FROM platforms'), [])
    }),
  )

  test(
    'an erasure waits for a running push and then erases the data of that push',
    withTwoNodes(async ({ url, nodeA, nodeB, observer }) => {
      const school = await registerTestPlatform(nodeA)
      const { record_id } = await writeOne(nodeA, pushWrite(school))
      const erasure = { record_id, mode: 'erase', actor: 'ann' } as const
      await withLock(url, LOCK_R1, async (release) => {
        const before = write(nodeA, pushWrite(school, { full_name: 'Bea' }))
        await untilLockWaiters(observer, 1)
        const erasing = nodeB.storage.erasure.eraseRecord(erasure, changeLog())
        await untilLockWaiters(observer, 2)
        const after = write(nodeA, pushWrite(school, { full_name: 'Cid' }))
        await untilLockWaiters(observer, 3)
        await release()
        assert.deepEqual(outcomesOf(await before), ['updated'])
        assert.deepEqual(outcomesOf(await after), ['record_erased'])
        assert.equal((await erasing)?.history_entries, 1)
      })
      assert.deepEqual(await listRecords(nodeA.storage), [])
      assert.deepEqual(await runSql(nodeA.storage, 'SELECT 1 FROM record_history'), [])
    }),
  )
})
