import assert from 'node:assert/strict'
import { fc } from '../../helpers/random/fast-check.ts'
import { ChangeFeedConsumer, deleteRecord, readChanges } from '../../helpers/storage/changes.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, only, pushWrite } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, StorageKit } from '../../helpers/storage/kit.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { rounds } from '../../helpers/time/tier.ts'

test('a record is listed once, at the position of its latest change', async (kit) => {
  const school = await kit.register()
  const names = ['r-1', 'r-2', 'r-3']
  await kit.write(...names.map((reference) => pushWrite(school, { reference })))
  kit.clock.advance(1)
  await kit.write(pushWrite(school, { data: '{"a":1}' }), pushWrite(school))
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
  const rows = await kit.records({ sort: 'updated_at' })
  assert.deepEqual(
    changes.map((one) => one.change !== 'deleted' && one.record),
    rows,
  )
  assert.equal(changes.at(-1)?.at, kit.clock.text)
})

test('marking a record as missing is a change in the feed, and an unchanged push is not', async (kit) => {
  const school = await kit.register()
  await kit.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  const follower = new ChangeFeedConsumer()
  await follower.catchUp(kit.storage)
  await school.post()
  await follower.catchUp(kit.storage)
  assert.equal(follower.changes.length, 2)
  kit.clock.advance(1)
  await kit.markMissing(await school.startRead(), ['r-2'])
  await follower.catchUp(kit.storage)
  assert.equal(follower.changes.length, 3)
  const line = follower.changes.at(-1)
  assert.ok(line?.change === 'updated' && line.record.missing_since !== null)
})

test('a deletion is a change of its own and contains no data of the record except its id', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ data: '{"a":"secret"}' })
  await school.post({ reference: 'r-2' })
  const follower = new ChangeFeedConsumer()
  await follower.catchUp(kit.storage)
  // A push that changes nothing also allocates a sequence number.
  await school.post({ reference: 'r-2' })
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
})

test('a page respects the byte limit but contains at least one record, and the pages contain all records', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  // 9 to 208 bytes; odd numbers use a two-byte character.
  for (let n = 0; n < 12; n += 1) {
    const data = `{"a":"${(n % 2 ? 'é' : 'e').repeat(n % 5 === 4 ? 100 : n)}"}`
    const record_type = n % 3 ? 'students' : 'staff'
    await school.post({ reference: `r-${n}`, record_type, data })
  }
  await deleteNewest(kit, school)
  for (const query of [{}, { platform: 'school' }]) {
    for (const maxBytes of [0, 30, 200]) {
      const follower = new ChangeFeedConsumer({ ...query, maxBytes })
      for (let more = true, before = 0; more; before = follower.changes.length) {
        more = await follower.readPage(kit.storage, 100)
        const page = follower.changes.slice(before).filter((line) => line.change !== 'deleted')
        const sizes = page.map((line) => Buffer.byteLength(line.record.data))
        assert.ok(page.length <= 1 || sizes.reduce((sum, size) => sum + size) <= maxBytes)
      }
      assert.deepEqual([follower.copy.size, follower.changes.length], [11, 12])
    }
  }
})

test('the feed is filtered by platform and module, including deletions of removed platforms', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic', modules: ['staff'] })
  await kit.write(
    pushWrite(school),
    pushWrite(school, { record_type: 'staff' }),
    pushWrite(clinic, { record_type: 'staff' }),
  )
  await kit.runSql(
    `INSERT INTO record_deletions VALUES (0, 77, 99, 99, 'removed', 'staff', '2026-01-01')`,
  )
  const listed = async (query: object) =>
    (await readChanges(kit.storage, { after: -1, ...query })).changes.map((line) =>
      line.change === 'deleted'
        ? `deleted ${line.platform_name} ${line.record_type}`
        : `${line.record.platform_name} ${line.record.record_type}`,
    )
  const [a, b, c, d] = ['deleted removed staff', 'school students', 'school staff', 'clinic staff']
  assert.deepEqual(await listed({}), [a, b, c, d])
  assert.deepEqual(await listed({ platform: 'school' }), [b, c])
  assert.deepEqual(await listed({ record_type: 'staff' }), [a, c, d])
  assert.deepEqual(await listed({ platform: 'removed' }), [a])
  assert.deepEqual(await listed({ platform: 'clinic', record_type: 'staff' }), [d])
  assert.deepEqual(await listed({ platform: 'nowhere' }), [])
  const page = await readChanges(kit.storage, { platform: 'clinic' })
  const whole = await readChanges(kit.storage)
  assert.equal(page.through, whole.through, 'changes that do not match the filter are skipped')
})

test('a platform that is being removed has only deletions in the feed, under its old name', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  await kit.write(pushWrite(school), pushWrite(school, { reference: 'r-2' }))
  await clinic.post()
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
})

test('a cursor after the last allocated number is rejected, and a cursor at the last number is valid', async (kit) => {
  const query = { platform: null, record_type: null, limit: 10, maxBytes: 1000 }
  const { listChanges } = kit.storage.changes
  assert.equal((await listChanges({ ...query, after: 0 })).outcome, 'found')
  assert.equal((await listChanges({ ...query, after: 1 })).outcome, 'beyond')
  await kit.write(pushWrite(await kit.register()))
  const { through } = await readChanges(kit.storage)
  assert.deepEqual(await readChanges(kit.storage, { after: through }), {
    outcome: 'found',
    changes: [],
    through,
    has_more: false,
  })
  assert.equal((await listChanges({ ...query, after: through + 1 })).outcome, 'beyond')
})

test('a follower has an exact copy and receives no change twice, across restarts', async (kit) => {
  const school = await kit.register()
  const action = fc.oneof(
    { weight: 6, arbitrary: fc.record({ push: fc.nat(8), value: fc.nat(3) }) },
    { weight: 2, arbitrary: fc.record({ follow: fc.integer({ min: 1, max: 4 }) }) },
    { weight: 1, arbitrary: fc.constant({ delete: true }) },
    { weight: 1, arbitrary: fc.constant({ restart: true }) },
  )
  const follower = new ChangeFeedConsumer()
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
      for (const one of actions) {
        if ('push' in one) await pushValue(school, one)
        else if ('follow' in one) await follower.readPage(kit.storage, one.follow)
        else if ('restart' in one) await kit.reopen()
        else await deleteNewest(kit, school)
      }
      await follower.catchUp(kit.storage)
      const rows = await kit.records()
      assert.deepEqual(
        new Map([...follower.copy].sort(([one], [other]) => one - other)),
        new Map(rows.map((row) => [row.record_id, `${row.change_seq} ${row.data}`])),
      )
      const numbers = follower.changes.map((line) => line.change_seq)
      assert.equal(new Set(numbers).size, numbers.length)
    }),
    { numRuns: rounds(5, 50) },
  )
})

test('a follower misses no change and receives none twice during concurrent writes', async (kit) => {
  const school = await kit.register()
  const follower = new ChangeFeedConsumer()
  let isWriting = true
  const following = (async () => {
    while (isWriting) await follower.readPage(kit.storage, 7)
  })()
  const read = await school.startRead()
  const pulls = Array.from({ length: 20 }, (_, step) =>
    kit.write(
      ...Array.from({ length: 10 }, (_, n) => pullWrite(read, { reference: `p-${step}-${n}` })),
    ),
  )
  const pushes = Array.from({ length: 60 }, (_, n) =>
    kit.write(pushWrite(school, { reference: `r-${n % 20}`, data: `{"a":${n}}` })),
  )
  await Promise.all([...pulls, ...pushes])
  isWriting = false
  await following
  await follower.catchUp(kit.storage)
  const rows = await kit.records()
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
})

async function pushValue(
  platform: KitPlatform,
  { push, value }: { push: number; value: number },
): Promise<void> {
  await platform.post({ reference: `r-${push}`, data: `{"a":${value}}` })
}

/** Deletes the newest record under a sequence number that an unchanged push has allocated. */
async function deleteNewest(kit: StorageKit, platform: KitPlatform): Promise<void> {
  const newest = (await kit.records()).at(-1)
  if (!newest) return
  const { record_id, reference_number: reference, data } = newest
  await platform.post({ reference, data })
  const select = `SELECT pushed_seq FROM records WHERE record_id = ${record_id}`
  const change_seq = Number(only(await kit.runSql(select))['pushed_seq'])
  await deleteRecord(kit.storage, { record_id, change_seq })
}
