import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  ANY_REJECTED,
  changeLog,
  listActivity,
  listHistory,
  listRecords,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { markMissing } from '../../helpers/storage/missing.ts'
import {
  LEASE,
  pullOnce,
  pullWrite,
  startPullAndRead,
  startTestPull,
} from '../../helpers/storage/pulls.ts'
import { runSql } from '../../helpers/storage/sql.ts'

const ALL = { platform: null, level: null, limit: 100, before: null }
const TOKEN = {
  scope: null,
  name: 'ci',
  role: 'viewer',
  token_hash: 'hash',
  hint: 'h',
  expires_at: null,
  operator_id: null,
  created_by: 'ann',
} as const
const AUDIT = { actor: 'ann@example.org', action: 'token.created', target: 'ci', address: null }

onEachEngine((engine) => {
  describe(`storage on ${engine.name}`, () => {
    test(
      'checkWritable succeeds on a writable database',
      withStorage(engine, async ({ storage }) => {
        await storage.checkWritable()
        await Promise.all([1, 2, 3].map(() => storage.checkWritable()))
      }),
    )

    test(
      'each commit publishes the topics of its changes and no others',
      withStorage(engine, async (kit) => {
        const { storage, clock } = kit
        const topics = new Set<string>()
        storage.broadcast.onCommit((topic) => topics.add(topic))
        const topicsOf = async (action: () => Promise<unknown>): Promise<string[]> => {
          // On PostgreSQL, the notification of an earlier change of platforms may arrive late.
          topics.clear()
          await action()
          return [...topics].filter((topic) => topic !== 'platforms').sort()
        }
        const school = await registerTestPlatform(kit)
        const entry = { level: 'info', kind: 'test', message: 'An entry' } as const
        const at = clock.text
        const pause = () => storage.schedule.setPaused(true, 'ann', changeLog('schedule.paused'))
        assert.deepEqual(await topicsOf(() => write(kit, pushWrite(school))), ['records'])
        assert.deepEqual(await topicsOf(() => storage.activity.appendActivity(entry)), ['activity'])
        assert.deepEqual(await topicsOf(() => startTestPull(storage)), ['activity', 'pull'])
        assert.ok((await topicsOf(pause)).includes('pull'))
        assert.deepEqual(await topicsOf(pause), [], 'the schedule is paused already')
        assert.deepEqual(await topicsOf(() => listRecords(storage)), [])
        const push = pushWrite(school, { reference: 'E-2' })
        const batch = { at, day: clock.day, writes: [push] }
        assert.deepEqual(await topicsOf(() => storage.records.tryWrites(batch)), [], 'rolled back')
      }),
    )

    test(
      'marking records as missing publishes a change of records, and marking none publishes nothing',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school, { reference: 'E-1' }))
        const read = await startPullAndRead(storage, school)
        const reasons: string[] = []
        storage.broadcast.onCommit((reason) => void reasons.push(reason))
        const recordReasons = () => reasons.filter((reason) => reason === 'records')
        await markMissing(storage, read, ['E-2'])
        assert.deepEqual(recordReasons(), [])
        assert.deepEqual(await markMissing(storage, read, ['E-1']), {
          outcome: 'marked',
          marked: 1,
        })
        assert.deepEqual(recordReasons(), ['records'])
        await markMissing(storage, read, ['E-1'])
        assert.deepEqual(recordReasons(), ['records'], 'it was marked already')
      }),
    )

    test(
      'all data is unchanged after the storage is reopened',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { offered: ['staff'] })
        await pullOnce(kit, school, async (read) => {
          await write(kit, pullWrite(read, { data: '{"a":1.10,"s":"\\u0000\\ud800"}' }))
        })
        await write(kit, pushWrite(school, { source: 'PATCH', data: '{"b":2}' }))
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
              record_type: null,
              position: null,
              activity: null,
            },
          ],
          { at: kit.clock.text, day: kit.clock.day, quotaBytes: 1_000_000 },
        )
        await kit.storage.operators.createToken(TOKEN, AUDIT)
        await startTestPull(kit.storage)
        const before = await readAll(kit.storage, kit.clock.day)
        const storage = await kit.reopen()
        assert.deepEqual(await readAll(storage, kit.clock.day), before)
        assert.ok(await storage.operators.findToken('hash', kit.clock.text))
        assert.ok(await storage.platforms.findPlatformByKey(school.key_hash, kit.clock.text))
      }),
    )

    test(
      'ids, sequence numbers, the running pull and its lease continue after reopening',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school))
        const { pull_id } = await startTestPull(kit.storage)
        const storage = await kit.reopen()
        const reopened = { storage, clock: kit.clock }
        await write(reopened, pushWrite(school, { reference: 'r-2' }))
        const [one, two] = await listRecords(storage)
        assert.ok(one && two)
        assert.ok(two.record_id > one.record_id)
        assert.ok(two.change_seq > one.change_seq)
        assert.equal(await storage.pulls.renewLease(pull_id, LEASE), true)
        assert.equal(await storage.pulls.interruptPulls(), 1)
      }),
    )

    test(
      'the id of a deleted record is never reused',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school))
        const [first] = await listRecords(kit.storage)
        await runSql(kit.storage, 'DELETE FROM records')
        const storage = await kit.reopen()
        assert.deepEqual(
          outcomesOf(await write({ storage, clock: kit.clock }, pushWrite(school))),
          ['created'],
        )
        const [second] = await listRecords(storage)
        assert.ok(first && second)
        assert.ok(second.record_id > first.record_id)
      }),
    )

    test(
      'closing waits for running writes',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const writes = Array.from({ length: 20 }, (_, index) =>
          write(kit, pushWrite(school, { reference: `r-${index}` })),
        )
        const [settled, storage] = await Promise.all([Promise.allSettled(writes), kit.reopen()])
        const failed = settled.filter((one) => one.status === 'rejected')
        assert.deepEqual(failed, [])
        assert.equal((await listRecords(storage)).length, 20)
      }),
    )
  })
})

async function readAll(storage: Storage, day: string): Promise<unknown> {
  const records = await listRecords(storage)
  const pulls = await storage.pulls.listPulls({ limit: 10, before: null })
  const query = { ...ANY_REJECTED, limit: 10, before: null }
  return {
    records,
    history: await Promise.all(records.map((record) => listHistory(storage, record.record_id))),
    pulls,
    tasks: await Promise.all(
      pulls.map(({ id }) => storage.pulls.listTasks({ pull_id: id, limit: 10, after: null })),
    ),
    platforms: await storage.platforms.listPlatforms(),
    activity: await listActivity(storage.activity, ALL),
    rejected: await storage.rejectedPushes.listRejectedPushes(query),
    snapshot: await storage.snapshot.readSnapshot(day),
  }
}
