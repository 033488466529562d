/** Two nodes on one PostgreSQL: concurrent writes, rejections and change notifications. */
import assert from 'node:assert/strict'
import { noCounts } from '../../../src/domain/pull/pull.ts'
import { createBroadcaster, type HubEvent } from '../../../src/features/monitoring/broadcast.ts'
import { readSnapshotPull } from '../../../src/features/monitoring/read-snapshot.ts'
import { sleep } from '../../../src/lib/time/run-periodically.ts'
import {
  createCallCounter,
  listeningSessions,
  test,
  untilLockWaiters,
  withLock,
} from '../../helpers/postgres/nodes.ts'
import { changeLog, only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { LEASE, pullWrite, startPullAndRead, type TestRead } from '../../helpers/storage/pulls.ts'
import { untilTrue } from '../../helpers/time/until.ts'

const LOCK_R1 = `SELECT FROM records WHERE reference_number = 'r-1' FOR UPDATE`

test('batches with the same references in opposite order all succeed and record every change', async (nodes) => {
  const { nodeA, nodeB } = nodes
  const school = await nodeA.register()
  const names = Array.from({ length: 24 }, (_, index) => `r-${index}`)
  // Every other record exists, so that row locks and inserts alternate.
  const existing = names.filter((_, index) => index % 2 === 0)
  await nodeA.write(...existing.map((reference) => pushWrite(school, { reference })))
  let value = 0
  const batchOf = (node: StorageKit, references: string[]) =>
    node.write(
      ...references.map((reference) => pushWrite(school, { reference, data: `{"a":${value++}}` })),
    )
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () => [
      batchOf(nodeA, names),
      batchOf(nodeB, names.toReversed()),
    ]).flat(),
  )
  const results = outcomesOf(outcomes.flat())
  assert.deepEqual(tally(results), { created: 12, updated: 40 * 24 - 12 })
  const records = await nodeB.records()
  assert.deepEqual(records.map((record) => record.reference_number).sort(), names.toSorted())

  const numbers = new Set<number>()
  for (const record of records) {
    const history = (await nodeA.history(record.record_id)).toReversed()
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

  assert.equal(await nodeB.storage.records.countRecords({ platform: null, record_type: null }), 24)
  const { stats } = await nodeA.storage.snapshot.readSnapshot(nodeA.clock.day)
  assert.equal(stats.received_today, 12 + 40 * 24)
  assert.equal(stats.created_today, 24)
  assert.equal(stats.updated_today, 40 * 24 - 12)
  assert.equal(only(await nodeA.runSql('SELECT count(*) AS n FROM activity'))['n'], 973)
})

test('a name that a registration is taking is taken for a renamed platform', async (nodes) => {
  const { nodeA, nodeB, url, observer, clock } = nodes
  const { platform_id } = await nodeA.register()
  await withLock(url, 'LOCK TABLE audit IN EXCLUSIVE MODE', async (release) => {
    const registered = nodeA.register({ name: 'academy' })
    await untilLockWaiters(observer, 1)
    const change = { platform_id, platform_name: 'academy', at: clock.text }
    const renamed = nodeB.storage.platforms.renamePlatform(change, changeLog())
    // Observed in the test itself.
    renamed.catch(() => undefined)
    await untilLockWaiters(observer, 2)
    await release()
    await registered
    assert.deepEqual(await renamed, { outcome: 'name_taken' })
  })
})

test('pushes on one node and a pull on the other write concurrently', async ({ nodeA, nodeB }) => {
  const school = await nodeA.register()
  const read = await startPullAndRead(nodeB.storage, school)
  const names = Array.from({ length: 40 }, (_, index) => `r-${index}`)
  const pushed = names
    .toReversed()
    .map((reference) => pushWrite(school, { reference, data: '{"a":1}' }))
  const pulled = names.map((reference) => pullWrite(read, { reference, data: '{"a":2}' }))
  const outcomes = await Promise.all([
    nodeA.write(...pushed),
    nodeB.write(...pulled.slice(0, 20)),
    nodeA.write(...pushed.toReversed()),
    nodeB.write(...pulled.slice(20)),
  ])
  const counts = tally(outcomesOf(outcomes.flat()))
  assert.equal(counts['created'], 40)
  assert.equal(read.read.seen.size, 40)
  assert.equal((await nodeA.records()).length, 40)
  for (const record of await nodeA.records()) {
    // A push that arrives after the pull started is newer than the pulled data.
    assert.equal(record.data, '{"a":1}')
  }
})

test('deactivating a platform waits for running pushes, and later pushes are rejected', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  await school.post()
  const push = (over: Parameters<typeof pushWrite>[1]) => nodeB.write(pushWrite(school, over))
  await withLock(url, LOCK_R1, async (release) => {
    const before = push({ data: '{"a":1}' })
    await untilLockWaiters(observer, 1)
    const deactivation = nodeA.setStatus(school, 'inactive')
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
  assert.equal(only(await nodeA.records()).data, '{"a":1}')
})

const endings: [string, (node: StorageKit, read: TestRead) => Promise<unknown>][] = [
  ['ended', (node, { read }) => node.finishPull(read.pull_id, 'cancelled')],
  ['interrupted', ({ storage }) => storage.pulls.interruptPulls()],
  [
    'taken over after its lease expired',
    (node) => {
      node.clock.advance(LEASE.seconds + 1)
      return node.requestPull({ owner: 'node-2', seconds: 30 })
    },
  ],
  ['stopped because its platform is inactive', deactivate],
]
for (const [name, end] of endings) {
  test(`records of a pull are rejected once it is ${name}`, async (nodes) => {
    const { url, nodeA, nodeB, observer } = nodes
    const school = await nodeA.register()
    await school.post()
    const read = await startPullAndRead(nodeB.storage, school)
    const pull = (reference: string) => nodeB.write(pullWrite(read, { reference, data: '{"a":2}' }))
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
  })
}

test('a node is notified of changes on another node, even after it has reconnected', async (nodes) => {
  const { nodeA, nodeB, observer } = nodes
  const notified = createCallCounter()
  nodeB.storage.platforms.onChange(notified.call)
  const untilListening = (old: number[]) =>
    untilTrue('both nodes listen', async () => {
      const pids = await listeningSessions(observer)
      return pids.length === 2 && !pids.some((pid) => old.includes(pid))
    })
  await untilListening([])
  const school = await nodeA.register()
  for (const status of ['inactive', 'active', 'inactive'] as const) {
    await notified.next()
    await nodeA.setStatus(school, status)
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
    await nodeA.setStatus(school, status)
    await notified.next()
  }
})

test('a broadcast reaches the other processes but not its sender', async (nodes) => {
  const { nodeA, nodeB, observer } = nodes
  await untilTrue('both nodes listen', async () => (await listeningSessions(observer)).length === 2)
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
})

test('a page at one node receives the progress of a pull that another node runs', async (nodes) => {
  const { nodeA, nodeB, observer } = nodes
  await untilTrue('both nodes listen', async () => (await listeningSessions(observer)).length === 2)
  const events: HubEvent[] = []
  const [, there] = [nodeA, nodeB].map(({ storage }) =>
    createBroadcaster({
      broadcast: storage.broadcast,
      readPull: () => readSnapshotPull({ ...storage, nextRun: () => null }),
      readSchedule: () => assert.fail('the schedule has not changed'),
      readHealth: () => storage.platforms.listHealth(),
      ...{ pauseMs: 1, sleep, onError: (error) => assert.fail(String(error)) },
    }),
  )
  there?.subscribe({ onEvents: (added) => events.push(...added), onEnd: () => undefined })
  const receivedPull = (name: HubEvent['name'], received: number) => async () =>
    events.some((one) => {
      if (one.name !== name || !('pull' in one.content)) return false
      const { pull, last } = one.content.pull
      return (pull ?? last)?.counts.received === received
    })
  const school = await nodeA.register()
  const pull = await nodeA.startPull()
  await nodeA.startRead(pull, school)
  const counts = { ...noCounts(), received: 7, created: 7 }
  await nodeA.storage.pulls.reportTask(pull.pull_id, 1, { total: 9, counts })
  await untilTrue('progress arrives', receivedPull('pull.progress', 7))
  await nodeA.finishPull(pull.pull_id)
  await untilTrue('the end arrives', receivedPull('pull.ended', 7))
  there?.stop()
})

test('a rolled back change sends no notification', async ({ nodeA, observer }) => {
  await observer.query('LISTEN recordhub_changes')
  const notifications: string[] = []
  observer.on('notification', ({ payload }) => void notifications.push(payload ?? ''))
  await observer.query(`CREATE FUNCTION reject_insert() RETURNS trigger LANGUAGE plpgsql
        AS $$ BEGIN RAISE 'rejected' USING ERRCODE = '40000'; END $$`)
  await observer.query(
    'CREATE TRIGGER reject_insert BEFORE INSERT ON audit EXECUTE FUNCTION reject_insert()',
  )
  await assert.rejects(nodeA.register())
  await observer.query('DROP TRIGGER reject_insert ON audit; DROP FUNCTION reject_insert')
  assert.deepEqual(notifications, [])
  await nodeA.register()
  await untilTrue('the change is announced', async () => {
    await observer.query('SELECT')
    return notifications.length > 0
  })
  assert.equal(notifications.length, 1)
})

function tally(outcomes: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1
  return counts
}

async function deactivate(node: StorageKit): Promise<void> {
  const { id } = only(await node.storage.platforms.listPlatforms())
  const school = { platform_id: id, platform_name: 'school', key_hash: '', hub_key_id: 0 }
  await node.setStatus(school, 'inactive')
}

/** The state that a write would change. */
async function readState(node: StorageKit) {
  const [records, counted, history] = await Promise.all([
    node.records(),
    node.storage.snapshot.readSnapshot(node.clock.day),
    node.countRows('record_history'),
  ])
  return { records, stats: counted.stats, logs: counted.logs, history }
}

test('a push to a record erased or a platform removed on another node is rejected', async (nodes) => {
  const { nodeA, nodeB } = nodes
  const school = await nodeA.register()
  await nodeB.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  const [first] = await nodeB.records()
  const erasure = { record_id: first?.record_id ?? 0, mode: 'erase', actor: 'ann' } as const
  assert.ok(await nodeA.storage.erasure.eraseRecord(erasure, changeLog()))
  assert.deepEqual(await nodeB.outcomesOf(pushWrite(school)), ['record_erased'])
  const { platform_id, platform_name } = school
  const request = { platform_id, platform_name, requested_by: 'ann', at: nodeA.clock.text }
  assert.ok(await nodeA.storage.platforms.removePlatform(request, changeLog()))
  assert.deepEqual(await nodeB.outcomesOf(pushWrite(school)), ['api_key_invalid'])
  const removing = [nodeA, nodeB].map(async ({ storage }) => {
    while (await storage.removals.runNextStep());
  })
  await Promise.all(removing)
  assert.deepEqual(await nodeB.records(), [])
  assert.deepEqual(await nodeB.runSql('SELECT 1 FROM platforms'), [])
})

test('an erasure waits for a running push and then erases the data of that push', async (nodes) => {
  const { url, nodeA, nodeB, observer } = nodes
  const school = await nodeA.register()
  const { record_id } = await school.post()
  const erasure = { record_id, mode: 'erase', actor: 'ann' } as const
  await withLock(url, LOCK_R1, async (release) => {
    const before = nodeA.write(pushWrite(school, { full_name: 'Bea' }))
    await untilLockWaiters(observer, 1)
    const erasing = nodeB.storage.erasure.eraseRecord(erasure, changeLog())
    await untilLockWaiters(observer, 2)
    const after = nodeA.write(pushWrite(school, { full_name: 'Cid' }))
    await untilLockWaiters(observer, 3)
    await release()
    assert.deepEqual(outcomesOf(await before), ['updated'])
    assert.deepEqual(outcomesOf(await after), ['record_erased'])
    assert.equal((await erasing)?.history_entries, 1)
  })
  assert.deepEqual(await nodeA.records(), [])
  assert.deepEqual(await nodeA.runSql('SELECT 1 FROM record_history'), [])
})
