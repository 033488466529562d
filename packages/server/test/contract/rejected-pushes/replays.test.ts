import assert from 'node:assert/strict'
import { formatMessage } from '../../../src/errors.ts'
import type { ReplayPosition } from '../../../src/storage/port/rejected-push-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  ANY_REJECTED,
  changeLog,
  MAX_RECORD_KEYS,
  only,
  outcomesOf,
  pushWrite,
  type TestPlatform,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { pullOnce, pullWrite, startPullAndRead } from '../../helpers/storage/pulls.ts'
import {
  ALL_REJECTIONS,
  type listRejected,
  rejection,
  replayWrite,
} from '../../helpers/storage/replays.ts'

test('a replay stores the record, updates the rejected push and is logged', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  const outcome = await kit.writeOne(replayWrite(rejected, { data: '{"n":1.10}' }))
  assert.deepEqual(outcome.outcome, 'created')
  const record = only(await kit.records())
  assert.equal(record.data, '{"n":1.10}')
  const replayed = await kit.storage.rejectedPushes.readRejectedPush(rejected.rejected_push_id)
  assert.deepEqual(
    [replayed?.replayed_at, replayed?.replayed_by, replayed?.replay_outcome],
    [kit.clock.text, 'ann@example.org', 'created'],
  )
  assert.equal(replayed?.record_id, record.record_id)
  const entries = await kit.activity({ platform: school.platform_name, limit: 1 })
  const entry = only(entries)
  assert.deepEqual(
    [entry.kind, entry.actor, entry.record_id],
    ['replay.created', 'ann@example.org', record.record_id],
  )
  const { stats } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  assert.deepEqual([stats.created_today, stats.received_today, stats.records], [1, 1, 1])
})

test('the history entry of the change has the source replay', async (kit) => {
  const { school } = await createRejection(kit)
  await kit.write(pushWrite(school, { data: '{"a":1}' }))
  await kit.saveRejected([rejection(school, { body: '"later"' })])
  const rejected = (await kit.rejected()).at(-1)
  assert.ok(rejected)
  const { record_id } = await kit.writeOne(replayWrite(rejected, { data: '{"a":2}' }))
  const entry = only(await kit.history(record_id))
  assert.deepEqual(
    [entry.source, entry.request_id, entry.pull_id, entry.changes],
    ['replay', 'request-of-replay', null, '[{"path":"/data/a","before":1,"after":2}]'],
  )
})

test('a rejected push is replayed once, even if repeated in one batch or concurrently', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  const one = replayWrite(rejected)
  const twice = await kit.write(one, one)
  assert.deepEqual(outcomesOf(twice), ['created', 'already_replayed'])
  assert.deepEqual(await kit.outcomesOf(one), ['already_replayed'])
  await kit.saveRejected([rejection(school, { body: '"another"' })])
  const another = only(await kit.rejected())
  const replays = Array.from({ length: 20 }, (_, index) =>
    kit.write(replayWrite(another, { reference: 'r-2', data: `{"n":${index}}` })),
  )
  const outcomes = outcomesOf((await Promise.all(replays)).flat())
  assert.equal(outcomes.filter((outcome) => outcome === 'created').length, 1)
  assert.equal(outcomes.filter((outcome) => outcome === 'already_replayed').length, 19)
  assert.equal((await kit.records()).length, 2)
})

test('a dry run returns the outcomes of the replay and stores nothing', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  await kit.saveRejected([rejection(school, { body: '"second"' })])
  const [, second] = await kit.rejected()
  assert.ok(second)
  const batch = {
    at: kit.clock.text,
    day: kit.clock.day,
    maxRecordKeys: MAX_RECORD_KEYS,
    writes: [replayWrite(rejected), replayWrite(second, { data: '{"a":2}' })],
  }
  const before = await readState(kit)
  const tried = outcomesOf(await kit.storage.records.tryWrites(batch))
  assert.deepEqual(tried, ['created', 'updated'])
  assert.deepEqual(await readState(kit), before)
  assert.deepEqual(outcomesOf(await kit.storage.records.applyWrites(batch)), tried)
})

test('a replay requires an existing rejection, an active platform and a registered module', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  const clinic = await kit.register({ name: 'clinic' })
  const outcomes = await kit.write(
    replayWrite({ ...rejected, rejected_push_id: 999_999 }),
    replayWrite({ ...rejected, platform_id: clinic.platform_id }),
    replayWrite(rejected, { record_type: 'staff' }),
  )
  assert.deepEqual(outcomesOf(outcomes), ['not_found', 'not_found', 'module_not_registered'])
  await kit.setStatus(school, 'inactive')
  assert.deepEqual(await kit.outcomesOf(replayWrite(rejected)), ['platform_inactive'])
  assert.equal((await kit.rejected()).length, 1)
  await kit.setStatus(school, 'active')
  assert.deepEqual(await kit.outcomesOf(replayWrite(rejected)), ['created'])
})

test('a replay does not overwrite a newer push or pull unless the operator forces it', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  await kit.write(pushWrite(school, { data: '{"a":2}' }))
  assert.deepEqual(await kit.outcomesOf(replayWrite(rejected, { data: '{"a":1}' })), ['stale'])
  assert.equal(only(await kit.records()).data, '{"a":2}')
  assert.deepEqual(await kit.outcomesOf(replayWrite(rejected, { data: '{"a":1}' })), [
    'already_replayed',
  ])
  const forced = replayWrite(rejected, { data: '{"a":1}', overwrite: true })
  assert.deepEqual(await kit.outcomesOf(forced), ['updated'])
  assert.deepEqual(await kit.outcomesOf(forced), ['already_replayed'])
  assert.equal(only(await kit.records()).data, '{"a":1}')

  await kit.saveRejected([rejection(school, { body: '"before the read"' })])
  kit.clock.advance(60)
  const pullData = async (data: string) =>
    pullOnce(kit, school, async (read) => {
      await kit.write(pullWrite(read, { data }))
    })
  await pullData('{"a":3}')
  await pullData('{"a":3}')
  const late = only(await kit.rejected())
  assert.deepEqual(await kit.outcomesOf(replayWrite(late, { data: '{"a":4}' })), ['stale'])
})

test('after several rejections of one record are replayed in any order, the record has the latest data', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  await kit.saveRejected([
    rejection(school, { body: '"second"' }),
    rejection(school, { body: '"third"' }),
  ])
  const [, second, third] = await kit.rejected()
  assert.ok(second && third)
  const replays = [
    replayWrite(second, { data: '{"n":2}' }),
    replayWrite(third, { data: '{"n":3}' }),
    replayWrite(rejected, { data: '{"n":1}' }),
  ]
  assert.deepEqual(await kit.outcomesOf(...replays), ['created', 'updated', 'stale'])
  assert.equal(only(await kit.records()).data, '{"n":3}')
})

test('a replayed rejection is reopened at its new position if its push is repeated, but not if its record is pulled again', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  const position = { seq: 1, at: '2026-03-10T08:00:00.000000000Z' }
  const element = rejection(school, { method: 'pull', body: '{"e":1}', position })
  await kit.saveRejected([element])
  const pulled = (await kit.rejected()).find((one) => one.method === 'pull')
  assert.ok(pulled)
  await kit.write(replayWrite(rejected), replayWrite(pulled, { reference: 'r-2' }))
  assert.deepEqual(await kit.rejected(), [])
  await kit.saveRejected([element, rejection(school)])
  const again = only(await kit.rejected())
  assert.equal(again.rejected_push_id, rejected.rejected_push_id)
  assert.ok(again.position_seq > rejected.position_seq)
  assert.deepEqual(await kit.outcomesOf(replayWrite(again, { data: '{"a":9}' })), ['updated'])
})

test('a replayed pulled record is stored like a pulled record, so the next pull leaves it unchanged', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  const content = {
    source: 'pull',
    full_name: 'Ann',
    data: '{"a":1}',
    manifest_keys: new Set(['a', 'b']),
  } as const
  await kit.write(replayWrite(rejected, { content }))
  assert.equal(only(await kit.records()).incomplete, false)
  const read = await startPullAndRead(kit.storage, school)
  const again = pullWrite(read, { data: '{"a":1}' })
  assert.deepEqual(await kit.outcomesOf(again), ['unchanged'])
  const { stats } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  assert.deepEqual([stats.created_today, stats.received_today], [1, 1])
})

test('while a pull reads the module, a replay to a record that the pull may have found unchanged waits', async (kit) => {
  const { school } = await createRejection(kit)
  const data = '{"a":1}'
  await pullOnce(kit, school, async (read) => {
    await kit.write(pullWrite(read, { data }))
  })
  await kit.saveRejected([rejection(school, { body: '"before the read"' })])
  const rejected = (await kit.rejected()).at(-1)
  assert.ok(rejected)
  const read = await startPullAndRead(kit.storage, school)
  const { fingerprint } = pullWrite(read, { data }).content
  const elements = [{ reference_number: 'r-1', fingerprint }]
  const [unchanged] = await kit.storage.records.findUnchanged(read.read, elements)
  assert.ok(unchanged)

  const replay = replayWrite(rejected, { data: '{"a":2}' })
  assert.deepEqual(await kit.outcomesOf(replay), ['module_being_pulled'])
  const { text: at, day } = kit.clock
  const writes = [replayWrite(rejected, { reference: 'r-2' })]
  const toNewRecord = { at, day, maxRecordKeys: MAX_RECORD_KEYS, writes }
  assert.deepEqual(outcomesOf(await kit.storage.records.tryWrites(toNewRecord)), ['created'])

  read.read.seen.add(unchanged)
  await kit.finishRead(read)
  await kit.finishPull(read.read.pull_id)
  assert.deepEqual(await kit.outcomesOf(replay), ['stale'])
  assert.equal(only(await kit.records()).data, data)
})

test('a replay invalidates the cached response of its module like a push', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  const before = await startPullAndRead(kit.storage, school)
  await kit.write(replayWrite(rejected))
  const [row] = await kit.runSql(
    `SELECT sum(pushes) AS n FROM module_counters WHERE module_id = ${before.task.module_id}`,
  )
  assert.equal(Number(row?.['n']), 1)
})

test('each rejection is on one page, and the pages respect the limits on count and bytes', async (kit) => {
  const { school } = await createRejection(kit)
  const clinic = await kit.register({ name: 'clinic' })
  for (let number = 0; number < 9; number += 1) {
    const body = JSON.stringify('x'.repeat(number * 100))
    const code = number % 2 === 0 ? 'module_not_registered' : 'invalid_record'
    const record_type = number % 3 === 0 ? 'staff' : 'students'
    await kit.saveRejected([
      rejection(number % 2 === 0 ? clinic : school, { body, code, record_type }),
    ])
  }
  const whole = (await kit.rejected()).map((one) => one.rejected_push_id)
  assert.equal(whole.length, 10)
  for (const [limit, maxBytes] of [
    [3, 1_000_000],
    [100, 2000],
    [1, 1],
  ] as const) {
    const listed: number[] = []
    let after: ReplayPosition | null = null
    for (let left = 1; left > 0; ) {
      const query = { ...ALL_REJECTIONS, limit, maxBytes, after }
      const { rejections, remaining } = await kit.storage.rejectedPushes.listReplayable(query)
      assert.ok(rejections.length <= limit)
      assert.ok(rejections.length > 0)
      listed.push(...rejections.map((one) => one.rejected_push_id))
      assert.equal(remaining, whole.length - listed.length)
      after = rejections.at(-1) ?? null
      left = remaining
    }
    assert.deepEqual(listed, whole)
  }
  const all = await kit.storage.rejectedPushes.listReplayable(ALL_REJECTIONS)
  const until = all.rejections[1] ?? null
  const upTo = await kit.storage.rejectedPushes.listReplayable({
    ...ALL_REJECTIONS,
    until,
    limit: 1,
  })
  assert.deepEqual([upTo.rejections[0]?.rejected_push_id, upTo.remaining], [whole[0], 1])
  const filter = { platform: 'clinic', record_type: 'staff', code: 'module_not_registered' }
  const query = { ...ALL_REJECTIONS, ...filter }
  const matching = await kit.storage.rejectedPushes.listReplayable(query)
  assert.deepEqual(
    matching.rejections.map(({ body }) => body.length),
    [2, 602],
  )
  assert.deepEqual(
    matching.rejections.map(({ fields }) => fields),
    [null, null],
  )
})

test('groups combine open rejections with the same cause', async (kit) => {
  const { rejected, school } = await createRejection(kit)
  kit.clock.advance(60)
  const since = kit.clock.text
  const unknown = { code: 'module_not_registered', record_type: 'staff' } as const
  const pulled = rejection(school, { ...unknown, method: 'pull', body: '2' })
  await kit.saveRejected([rejection(school, { ...unknown, body: '1' }), pulled])
  kit.clock.advance(60)
  await kit.saveRejected([pulled])
  const query = { platform: 'school', limit: 10 }
  const [newest, other] = await kit.storage.rejectedPushes.listGroups(query)
  assert.ok(newest && other)
  const { cause, ...group } = newest
  assert.deepEqual(group, {
    platform_id: school.platform_id,
    platform_name: 'school',
    record_type: 'staff',
    code: 'module_not_registered',
    message: 'The push was rejected',
    rejected_pushes: 2,
    pulled: 1,
    count: 3,
    first_at: since,
    last_at: kit.clock.text,
    ...{ digest: null, accepted_at: null, accepted_by: null },
  })
  assert.equal(other.rejected_pushes, 1)
  const { rejected_pushes } = await kit.storage.rejectedPushes.listRejectedPushes({
    ...ANY_REJECTED,
    cause,
    state: 'open',
    limit: 10,
    before: null,
  })
  assert.equal(rejected_pushes.length, 2)
  await kit.write(replayWrite(rejected))
  assert.equal((await kit.storage.rejectedPushes.listGroups(query)).length, 1)
  const nowhere = { platform: 'nowhere', limit: 10 }
  assert.deepEqual(await kit.storage.rejectedPushes.listGroups(nowhere), [])
})

test('a group whose messages differ has the message of its code, or one of them if that has parameters', async (kit) => {
  const { school } = await createRejection(kit)
  const messageOf = async (code: 'duplicate_reference' | 'invalid_record') => {
    const own = { code, cause: code, record_type: code }
    await kit.saveRejected([
      rejection(school, { ...own, message: 'The first one', body: '1' }),
      rejection(school, { ...own, message: 'The second one', body: '2' }),
    ])
    const groups = await kit.storage.rejectedPushes.listGroups({ platform: null, limit: 10 })
    const { message, rejected_pushes } = only(
      groups.filter(({ record_type }) => record_type === code),
    )
    assert.equal(rejected_pushes, 2)
    return message
  }
  assert.equal(await messageOf('duplicate_reference'), formatMessage('duplicate_reference'))
  assert.equal(await messageOf('invalid_record'), 'The first one')
})

test('dismissing deletes rejections and frees their quota, but does not affect later rejections', async (kit) => {
  const { school, rejected } = await createRejection(kit)
  const until = kit.clock.text
  kit.clock.advance(1)
  await kit.saveRejected([rejection(school, { body: '"later"' })])
  const { rejectedPushes } = kit.storage
  const selection = {
    platform: 'school',
    code: null,
    record_type: null,
    cause: null,
    id: null,
  }
  const query = { ...selection, until, limit: 10 }
  const log = changeLog('rejected_push.dismissed')
  assert.equal(await rejectedPushes.dismissRejectedPushes(query, kit.clock.text, log), 1)
  assert.equal(await rejectedPushes.dismissRejectedPushes(query, kit.clock.text, log), 0)
  const remaining = only(await kit.rejected())
  assert.notEqual(remaining.rejected_push_id, rejected.rejected_push_id)
  const one = {
    ...query,
    platform: null,
    id: remaining.rejected_push_id,
    until: kit.clock.text,
  }
  assert.equal(await rejectedPushes.dismissRejectedPushes(one, kit.clock.text, null), 1)
  const [platform] = await kit.runSql('SELECT rejected_bytes FROM platforms')
  assert.equal(Number(platform?.['rejected_bytes']), 0)
  const [audit] = await kit.runSql('SELECT count(*) AS n FROM audit')
  const [activity] = await kit.runSql(
    "SELECT count(*) AS n FROM activity WHERE kind = 'rejected_push.dismissed'",
  )
  assert.deepEqual([Number(audit?.['n']), Number(activity?.['n'])], [2, 1])
})

type Rejection = Awaited<ReturnType<typeof listRejected>>[number]

/** Registers a platform with one rejected push. */
async function createRejection(
  kit: StorageKit,
): Promise<{ school: TestPlatform; rejected: Rejection }> {
  const school = await kit.register()
  await kit.saveRejected([rejection(school)])
  return { school, rejected: only(await kit.rejected()) }
}

async function readState(kit: StorageKit): Promise<unknown> {
  const { storage, clock } = kit
  return {
    records: await kit.records(),
    rejections: await kit.rejected(),
    snapshot: await storage.snapshot.readSnapshot(clock.day),
    counters: await kit.runSql('SELECT * FROM module_counters'),
    history: await kit.runSql('SELECT * FROM record_history'),
  }
}
