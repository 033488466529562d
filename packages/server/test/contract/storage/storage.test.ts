import assert from 'node:assert/strict'
import { createSeededRandom } from '../../helpers/random/seed.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  ANY_REJECTED,
  changeLog,
  loggedRequest,
  MAX_RECORD_KEYS,
  pushWrite,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { LEASE, pullWrite } from '../../helpers/storage/pulls.ts'

const TOKEN = {
  scope: null,
  name: 'ci',
  role: 'viewer',
  token_hash: 'hash',
  hint: 'h',
  expires_at: null,
  operator_id: null,
  created_by_token_id: null,
  created_by: 'ann',
} as const
const AUDIT = {
  actor: 'ann@example.org',
  action: 'token.create',
  target: 'ci',
  address: null,
} as const

test('checkWritable succeeds on a writable database', async ({ storage }) => {
  await storage.checkWritable()
  await Promise.all([1, 2, 3].map(() => storage.checkWritable()))
})

test('on PostgreSQL, the planner knows a table that has grown, without a wait of writes', async (kit) => {
  const { storage } = kit
  const isPostgres = (await storage.readEngine()).engine === 'postgres'
  // An earlier test with this database may have updated the statistics, which this resets.
  if (isPostgres) await kit.runSql('TRUNCATE records, modules CASCADE')
  const school = await kit.register()
  const random = createSeededRandom()
  const digits = () => Math.floor(random() * 2 ** 40).toString(16)
  /** Adds records of 1 KB that are hardly compressed. */
  const fill = (references: string, count: number) => {
    const pushes = Array.from({ length: count }, (_, n) => {
      const data = `{"text":"${Array.from({ length: 100 }, digits).join('')}"}`
      return pushWrite(school, { reference: `${references}-${n}`, data })
    })
    return kit.write(...pushes)
  }
  /** The number of rows that the planner knows of; -1 before the first time. */
  const rowsOf = async (table: string) => {
    const known = `SELECT reltuples::int AS n FROM pg_class WHERE oid = '${table}'::regclass`
    return isPostgres ? Number((await kit.runSql(known))[0]?.['n']) : null
  }
  // Autovacuum would update the same statistics at any time, and a table that it works on is skipped.
  if (isPostgres) await kit.runSql('ALTER TABLE records SET (autovacuum_enabled = false)')
  await fill('a', 300)
  await Promise.all([storage.updatePlannerStatistics(), school.post({ reference: 'meanwhile' })])
  const first = await rowsOf('records')
  assert.ok(first === null || first === 300 || first === 301, `${first} rows`)
  assert.equal(await rowsOf('modules'), isPostgres ? -1 : null, 'a small table')
  await fill('b', 200)
  await storage.updatePlannerStatistics()
  assert.equal(await rowsOf('records'), first, 'less than twice as large')
})

test('each commit publishes the topics of its changes and no others', async (kit) => {
  const { storage, clock } = kit
  const topics = new Set<string>()
  storage.broadcast.onCommit((topic) => topics.add(topic))
  const topicsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
    // On PostgreSQL, the notification of an earlier change of platforms may arrive late.
    topics.clear()
    await action()
    return [...topics].filter((topic) => topic !== 'platforms').sort()
  }
  const school = await kit.register()
  const entry = { level: 'info', kind: 'test', message: 'An entry' } as const
  const at = clock.text
  const pause = () => storage.schedule.setPaused(true, 'ann', changeLog('schedule.paused'))
  assert.deepEqual(await topicsOf(() => kit.write(pushWrite(school))), ['records'])
  assert.deepEqual(await topicsOf(() => storage.activity.appendActivity(entry)), ['activity'])
  assert.deepEqual(await topicsOf(() => kit.startPull()), ['activity', 'pull'])
  assert.deepEqual(await topicsOf(pause), ['activity', 'schedule'])
  assert.deepEqual(await topicsOf(pause), [], 'the schedule is paused already')
  assert.deepEqual(await topicsOf(() => kit.records()), [])
  const log = () => storage.requests.saveRequests([loggedRequest(school)], 1_000_000)
  assert.deepEqual(await topicsOf(log), ['requests'])
  const push = pushWrite(school, { reference: 'E-2' })
  const batch = { at, day: clock.day, maxRecordKeys: MAX_RECORD_KEYS, writes: [push] }
  assert.deepEqual(await topicsOf(() => storage.records.tryWrites(batch)), [], 'rolled back')
})

test('marking records as missing publishes a change of records, and marking none publishes nothing', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  await school.post({ reference: 'E-1' })
  const read = await school.startRead()
  const reasons: string[] = []
  storage.broadcast.onCommit((reason) => void reasons.push(reason))
  const recordReasons = () => reasons.filter((reason) => reason === 'records')
  await kit.markMissing(read, ['E-2'])
  assert.deepEqual(recordReasons(), [])
  assert.deepEqual(await kit.markMissing(read, ['E-1']), {
    outcome: 'marked',
    marked: 1,
  })
  assert.deepEqual(recordReasons(), ['records'])
  await kit.markMissing(read, ['E-1'])
  assert.deepEqual(recordReasons(), ['records'], 'it was marked already')
})

test('all data is unchanged after the storage is reopened', async (kit) => {
  const school = await kit.register({ offered: ['staff'] })
  await school.pull(async (read) => {
    await kit.write(pullWrite(read, { data: '{"a":1.10,"s":"\\u0000\\ud800"}' }))
  })
  await school.patch({ data: '{"b":2}' })
  await kit.storage.rejectedPushes.saveRejectedPushes(
    [
      {
        platform_id: school.platform_id,
        method: 'POST',
        code: 'invalid_record',
        message: 'No',
        errors: { data: ['is missing'] },
        body: '{"n":1.10}',
        pull_id: null,
        request_id: null,
        record_type: null,
        position: null,
        activity: null,
      },
    ],
    { at: kit.clock.text, day: kit.clock.day, quotaBytes: 1_000_000 },
  )
  await kit.storage.operators.createToken(TOKEN, () => AUDIT)
  await kit.startPull()
  const before = await readAll(kit)
  const storage = await kit.reopen()
  assert.deepEqual(await readAll(kit), before)
  assert.ok(await storage.operators.findToken('hash', kit.clock.text))
  assert.ok(await storage.platforms.findPlatformByKey(school.key_hash, kit.clock.text))
})

test('ids, sequence numbers, the running pull and its lease continue after reopening', async (kit) => {
  const school = await kit.register()
  await school.post()
  const { pull_id } = await kit.startPull()
  const storage = await kit.reopen()
  await school.post({ reference: 'r-2' })
  const [one, two] = await kit.records()
  assert.ok(one && two)
  assert.ok(two.record_id > one.record_id)
  assert.ok(two.change_seq > one.change_seq)
  assert.equal(await storage.pulls.renewLease(pull_id, LEASE), true)
  assert.equal(await storage.pulls.interruptPulls(), 1)
})

test('the id of a deleted record is never reused', async (kit) => {
  const school = await kit.register()
  await school.post()
  const [first] = await kit.records()
  await kit.runSql('DELETE FROM records')
  await kit.reopen()
  assert.equal((await school.post()).outcome, 'created')
  const [second] = await kit.records()
  assert.ok(first && second)
  assert.ok(second.record_id > first.record_id)
})

test('closing waits for running writes', async (kit) => {
  const school = await kit.register()
  const writes = Array.from({ length: 20 }, (_, index) =>
    kit.write(pushWrite(school, { reference: `r-${index}` })),
  )
  const [settled] = await Promise.all([Promise.allSettled(writes), kit.reopen()])
  const failed = settled.filter((one) => one.status === 'rejected')
  assert.deepEqual(failed, [])
  assert.equal((await kit.records()).length, 20)
})

async function readAll(kit: StorageKit): Promise<unknown> {
  const { storage } = kit
  const records = await kit.records()
  const pulls = await storage.pulls.listPulls({ limit: 10, before: null })
  const query = { ...ANY_REJECTED, limit: 10, before: null }
  return {
    records,
    history: await Promise.all(records.map((record) => kit.history(record.record_id))),
    pulls,
    tasks: await Promise.all(
      pulls.map(({ id }) => storage.pulls.listTasks({ pull_id: id, limit: 10, after: null })),
    ),
    platforms: await storage.platforms.listPlatforms(),
    activity: await kit.activity(),
    rejected: await storage.rejectedPushes.listRejectedPushes(query),
    snapshot: await storage.snapshot.readSnapshot(kit.clock.day),
  }
}
