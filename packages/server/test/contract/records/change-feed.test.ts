import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../helpers/random/fast-check.ts'
import { ChangeFeedConsumer, deleteRecord, readChanges } from '../../helpers/storage/changes.ts'
import { type StorageKit, withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  listRecords,
  only,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  write,
  writeOne,
} from '../../helpers/storage/fixtures.ts'
import { markMissing } from '../../helpers/storage/missing.ts'
import { pullWrite, startPullAndRead } from '../../helpers/storage/pulls.ts'
import { runSql } from '../../helpers/storage/sql.ts'
import { rounds } from '../../helpers/time/tier.ts'

onEachEngine((engine) => {
  describe(`the change feed on ${engine.name}`, () => {
    test(
      'a record is listed once, at the position of its latest change',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const names = ['r-1', 'r-2', 'r-3']
        await write(kit, ...names.map((reference) => pushWrite(school, { reference })))
        kit.clock.advance(1)
        await write(kit, pushWrite(school, { data: '{"a":1}' }), pushWrite(school))
        const { changes, has_more } = await readChanges(kit.storage)
        assert.equal(has_more, false)
        assert.deepEqual(
          changes.map((one) => [one.change, one.change !== 'deleted' && one.record.data]),
          [
            ['created', '{}'],
            ['created', '{}'],
            ['updated', '{}'],
          ],
        )
        const rows = await listRecords(kit.storage, { sort: 'updated_at' })
        assert.deepEqual(
          changes.map((one) => one.change !== 'deleted' && one.record),
          rows,
        )
        assert.equal(changes.at(-1)?.at, kit.clock.text)
      }),
    )

    test(
      'marking a record as missing is a change in the feed, and an unchanged push is not',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
        const follower = new ChangeFeedConsumer()
        await follower.catchUp(kit.storage)
        await write(kit, pushWrite(school))
        await follower.catchUp(kit.storage)
        assert.equal(follower.changes.length, 2)
        kit.clock.advance(1)
        await markMissing(kit.storage, await startPullAndRead(kit.storage, school), ['r-2'])
        await follower.catchUp(kit.storage)
        assert.equal(follower.changes.length, 3)
        const line = follower.changes.at(-1)
        assert.ok(line?.change === 'updated' && line.record.missing_since !== null)
      }),
    )

    test(
      'a deletion is a change of its own and contains no data of the record except its id',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const { record_id } = await writeOne(kit, pushWrite(school, { data: '{"a":"secret"}' }))
        await writeOne(kit, pushWrite(school, { reference: 'r-2' }))
        const follower = new ChangeFeedConsumer()
        await follower.catchUp(kit.storage)
        // A push that changes nothing also allocates a sequence number.
        await writeOne(kit, pushWrite(school, { reference: 'r-2' }))
        await deleteRecord(kit.storage, { record_id, change_seq: 3 })
        const { changes, through } = await readChanges(kit.storage, { after: 2 })
        assert.deepEqual(changes, [
          {
            change: 'deleted',
            change_seq: 3,
            at: '2026-03-10T09:00:00.000Z',
            record_id,
            platform_name: 'school',
            record_type: 'students',
          },
        ])
        assert.equal(through, 3)
        await follower.catchUp(kit.storage)
        assert.equal(follower.copy.size, 1)
      }),
    )

    test(
      'a page respects the byte limit but contains at least one record, and the pages contain all records',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        // 9 to 208 bytes; odd numbers use a two-byte character.
        for (let n = 0; n < 12; n += 1) {
          const data = `{"a":"${(n % 2 ? 'é' : 'e').repeat(n % 5 === 4 ? 100 : n)}"}`
          const record_type = n % 3 ? 'students' : 'staff'
          await write(kit, pushWrite(school, { reference: `r-${n}`, record_type, data }))
        }
        await deleteNewest(kit, school)
        for (const query of [{}, { platform: 'school' }]) {
          for (const maxBytes of [0, 30, 200]) {
            const follower = new ChangeFeedConsumer({ ...query, maxBytes })
            for (let more = true, before = 0; more; before = follower.changes.length) {
              more = await follower.readPage(kit.storage, 100)
              const page = follower.changes
                .slice(before)
                .filter((line) => line.change !== 'deleted')
              const sizes = page.map((line) => Buffer.byteLength(line.record.data))
              assert.ok(page.length <= 1 || sizes.reduce((sum, size) => sum + size) <= maxBytes)
            }
            assert.deepEqual([follower.copy.size, follower.changes.length], [11, 12])
          }
        }
      }),
    )

    test(
      'the feed is filtered by platform and module, including deletions of removed platforms',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const clinic = await registerTestPlatform(kit, { name: 'clinic', modules: ['staff'] })
        await write(
          kit,
          pushWrite(school),
          pushWrite(school, { record_type: 'staff' }),
          pushWrite(clinic, { record_type: 'staff' }),
        )
        await runSql(
          kit.storage,
          `INSERT INTO record_deletions VALUES (0, 77, 99, 99, 'removed', 'staff', '2026-01-01')`,
        )
        const listed = async (query: object) =>
          (await readChanges(kit.storage, { after: -1, ...query })).changes.map((line) =>
            line.change === 'deleted'
              ? `deleted ${line.platform_name} ${line.record_type}`
              : `${line.record.platform_name} ${line.record.record_type}`,
          )
        const [a, b, c, d] = [
          'deleted removed staff',
          'school students',
          'school staff',
          'clinic staff',
        ]
        assert.deepEqual(await listed({}), [a, b, c, d])
        assert.deepEqual(await listed({ platform: 'school' }), [b, c])
        assert.deepEqual(await listed({ record_type: 'staff' }), [a, c, d])
        assert.deepEqual(await listed({ platform: 'removed' }), [a])
        assert.deepEqual(await listed({ platform: 'clinic', record_type: 'staff' }), [d])
        assert.deepEqual(await listed({ platform: 'nowhere' }), [])
        const page = await readChanges(kit.storage, { platform: 'clinic' })
        const whole = await readChanges(kit.storage)
        assert.equal(
          page.through,
          whole.through,
          'changes that do not match the filter are skipped',
        )
      }),
    )

    test(
      'a platform that is being removed has only deletions in the feed, under its old name',
      withStorage(engine, async (kit) => {
        const { storage, clock } = kit
        const school = await registerTestPlatform(kit)
        const clinic = await registerTestPlatform(kit, { name: 'clinic' })
        await write(kit, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
        await write(kit, pushWrite(clinic))
        const { platform_id, platform_name } = school
        const request = { platform_id, platform_name, requested_by: 'ann', at: clock.text }
        assert.ok(await storage.platforms.removePlatform(request, changeLog('platform.removed')))
        for (const query of [{}, { platform: 'school' }]) {
          const follower = new ChangeFeedConsumer(query)
          await follower.catchUp(storage, 1)
          assert.deepEqual([...follower.copy.keys()].length, query.platform ? 0 : 1)
        }
        const before = await readChanges(storage)
        while (await storage.removals.runNextStep());
        const { changes } = await readChanges(storage, { after: before.through })
        assert.deepEqual(
          changes.map((line) => [line.change, line.change === 'deleted' && line.platform_name]),
          [
            ['deleted', 'school'],
            ['deleted', 'school'],
          ],
        )
      }),
    )

    test(
      'a cursor after the last allocated number is rejected, and a cursor at the last number is valid',
      withStorage(engine, async (kit) => {
        const query = { platform: null, record_type: null, limit: 10, maxBytes: 1000 }
        const { listChanges } = kit.storage.changes
        assert.equal((await listChanges({ ...query, after: 0 })).outcome, 'found')
        assert.equal((await listChanges({ ...query, after: 1 })).outcome, 'beyond')
        await write(kit, pushWrite(await registerTestPlatform(kit)))
        const { through } = await readChanges(kit.storage)
        assert.deepEqual(await readChanges(kit.storage, { after: through }), {
          outcome: 'found',
          changes: [],
          through,
          has_more: false,
        })
        assert.equal((await listChanges({ ...query, after: through + 1 })).outcome, 'beyond')
      }),
    )

    test(
      'a follower has an exact copy and receives no change twice, across restarts',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const action = fc.oneof(
          { weight: 6, arbitrary: fc.record({ push: fc.nat(8), value: fc.nat(3) }) },
          { weight: 2, arbitrary: fc.record({ follow: fc.integer({ min: 1, max: 4 }) }) },
          { weight: 1, arbitrary: fc.constant({ delete: true }) },
          { weight: 1, arbitrary: fc.constant({ restart: true }) },
        )
        const follower = new ChangeFeedConsumer()
        let { storage } = kit
        await fc.assert(
          fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
            for (const one of actions) {
              if ('push' in one) await pushValue({ storage, clock: kit.clock }, school, one)
              else if ('follow' in one) await follower.readPage(storage, one.follow)
              else if ('restart' in one) storage = await kit.reopen()
              else await deleteNewest({ storage, clock: kit.clock }, school)
            }
            await follower.catchUp(storage)
            const rows = await listRecords(storage)
            assert.deepEqual(
              new Map([...follower.copy].sort(([one], [other]) => one - other)),
              new Map(rows.map((row) => [row.record_id, `${row.change_seq} ${row.data}`])),
            )
            const numbers = follower.changes.map((line) => line.change_seq)
            assert.equal(new Set(numbers).size, numbers.length)
          }),
          { numRuns: rounds(10, 50) },
        )
      }),
    )

    test(
      'a follower misses no change and receives none twice during concurrent writes',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const follower = new ChangeFeedConsumer()
        let isWriting = true
        const following = (async () => {
          while (isWriting) await follower.readPage(kit.storage, 7)
        })()
        const read = await startPullAndRead(kit.storage, school)
        const pulls = Array.from({ length: 20 }, (_, step) =>
          write(
            kit,
            ...Array.from({ length: 10 }, (_, n) =>
              pullWrite(read, { reference: `p-${step}-${n}` }),
            ),
          ),
        )
        const pushes = Array.from({ length: 60 }, (_, n) =>
          write(kit, pushWrite(school, { reference: `r-${n % 20}`, data: `{"a":${n}}` })),
        )
        await Promise.all([...pulls, ...pushes])
        isWriting = false
        await following
        await follower.catchUp(kit.storage)
        const rows = await listRecords(kit.storage)
        assert.equal(follower.copy.size, 220)
        assert.deepEqual(
          follower.copy,
          new Map(
            [...follower.copy.keys()].map((id) => {
              const row = only(rows.filter((one) => one.record_id === id))
              return [id, `${row.change_seq} ${row.data}`]
            }),
          ),
        )
        const numbers = follower.changes.map((line) => line.change_seq)
        assert.deepEqual(
          numbers,
          [...new Set(numbers)].sort((one, other) => one - other),
        )
      }),
    )
  })
})

async function pushValue(
  kit: Pick<StorageKit, 'storage' | 'clock'>,
  platform: TestPlatform,
  { push, value }: { push: number; value: number },
): Promise<void> {
  await write(kit, pushWrite(platform, { reference: `r-${push}`, data: `{"a":${value}}` }))
}

/** Deletes the newest record under a sequence number that an unchanged push has allocated. */
async function deleteNewest(
  kit: Pick<StorageKit, 'storage' | 'clock'>,
  platform: TestPlatform,
): Promise<void> {
  const newest = (await listRecords(kit.storage)).at(-1)
  if (!newest) return
  const { record_id, reference_number: reference, data } = newest
  await write(kit, pushWrite(platform, { reference, data }))
  const select = `SELECT pushed_seq FROM records WHERE record_id = ${record_id}`
  const change_seq = Number(only(await runSql(kit.storage, select))['pushed_seq'])
  await deleteRecord(kit.storage, { record_id, change_seq })
}
