/** What a comparison by digest must not claim: hostile platforms, and explanations that end between two pulls. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { Inbox } from '@recordhub/protocol'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addDigestPlatform, type DigestKit, withoutFullReads } from '../helpers/hub/digest-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody } from '../helpers/hub/response.ts'
import { digestOf } from '../helpers/platform/digest-platform.ts'
import { type Responder, respond } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** It never goes back. */
const clock = createStoppedClock()
const env = withoutFullReads(clock)

const TABLES = [
  ...['pull_tasks', 'modules', 'activity', 'digest_buckets', 'module_digests', 'inbox_marks'],
]

/** What a pull requested, and its task. */
async function pullAfter(kit: DigestKit, seconds = 60) {
  clock.advance(seconds)
  const task = await kit.pull()
  return { task, requests: kit.source.takeRequests() }
}

async function recordId(kit: DigestKit, reference: string): Promise<number> {
  const record = (await kit.records()).find((one) => one.reference_number === reference)
  return record?.record_id ?? assert.fail()
}

async function erase(kit: DigestKit, reference: string): Promise<void> {
  const url = `/api/v1/records/${await recordId(kit, reference)}/erase`
  const body = { mode: 'erase', reason: 'a request' }
  assert.equal((await kit.hub.callAs('admin', 'POST', url, body)).status, 200)
}

describeHub('claims of pulls by digest', { clock, env }, (hub) => {
  test('a pushed record that the platform lists without a version is read', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const { version: _, ...without } = { ...only(kit.source.records.slice(0, 1)) }
    kit.source.records.push({ ...without, reference_number: 'R-new' })
    assert.equal((await hub.push(kit.registered.hub_api_key, newRecord('R-new'))).status, 201)
    const { requests } = await pullAfter(kit)
    assert.deepEqual(requests, ['digest', 'buckets'])
    const { verified_by, digest } = await kit.completeness()
    assert.deepEqual([verified_by, digest?.unversioned], ['read', 1])
  })

  test('a record that is added between the digest and the list is counted once', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const digitOf = (number: number) => hash('md5', `R-${number}`)[0]
    let added = 100
    while (digitOf(added) !== digitOf(5)) added += 1
    kit.source.set(5, { version: 2 })
    let isMoving = true
    kit.source.behaviour = {
      digested: (records) => {
        if (isMoving) setImmediate(() => kit.source.set(added))
        isMoving = false
        return [...records]
      },
    }
    await pullAfter(kit)
    assert.equal((await kit.present()).length, 101)
    assert.deepEqual((await pullAfter(kit)).requests, ['digest'])
    const { listed, records, verified, verified_by, only_here } = await kit.completeness()
    assert.deepEqual([verified_by, verified?.of], ['digest', 101])
    assert.deepEqual([listed, records, only_here], [101, 101, 0])
  })

  test('a digest with counts that no module has cannot be used', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    for (const count of [2 ** 53 - 1, 2 ** 40]) {
      const digest: Responder = (response, request) => {
        const digits = Number(new URLSearchParams(request.path.split('?')[1]).get('digits'))
        const buckets = digestOf(kit.source.records, digits).map(([prefix]) => [prefix, count, 1])
        respond.json({ success: true, digits, buckets })(response, request)
      }
      kit.source.behaviour = { digest }
      const { task } = await pullAfter(kit)
      assert.equal(task.error, null)
      assert.match(task.warnings.join(), /the number of records of its bucket 1/)
      assert.equal((await kit.completeness()).listed, 100)
    }
  })

  test('an erasure removes the reference from what pulls have said', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await pullAfter(kit)
    kit.source.set(42, { data: { status: 'changed' } })
    await kit.pull('full')
    assert.equal((await kit.completeness()).digest?.withdrawn_reference, 'R-42')
    kit.source.behaviour = { digested: (records) => records.filter((_, number) => number % 2) }
    await pullAfter(kit)
    assert.match((await pullAfter(kit)).task.warnings.join(), /list and the digest .* disagree/)
    const { items } = expectBody(await hub.get('/api/v1/inbox'), 200, Inbox)
    const item = items.find(({ kind }) => kind === 'disagreement') ?? assert.fail()
    const named = /reference (R-\d+),/.exec(item.reason)?.[1] ?? assert.fail()
    const aside = await hub.callAs('operator', 'POST', '/api/v1/inbox/put-aside', { key: item.key })
    assert.equal(aside.status, 200, aside.text)
    for (const reference of ['R-42', named]) {
      await erase(kit, reference)
      // The platform still lists it, and its list and digest still disagree.
      await pullAfter(kit)
      assert.match((await pullAfter(kit)).task.warnings.join(), /list and the digest .* disagree/)
      const tables = await Promise.all(TABLES.map((table) => hub.sql(`SELECT * FROM ${table}`)))
      const text = JSON.stringify(tables)
      assert.equal(new RegExp(`${reference}\\b.{0,40}`).exec(text)?.[0], undefined)
    }
  })

  test('after its tombstone is deleted, an erased record is stored by the next pull', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await erase(kit, 'R-9')
    await pullAfter(kit)
    assert.equal((await kit.completeness()).verified?.explained, 1)
    const { tombstones } = await hub.call('GET /api/v1/tombstones', {})
    for (const { id } of tombstones) {
      await hub.call('DELETE /api/v1/tombstones/:id', { params: { id } })
    }
    assert.equal((await pullAfter(kit)).task.created, 1)
    assert.deepEqual((await kit.completeness()).verified, { records: 100, of: 100, explained: 0 })
  })

  for (const responder of [
    ...[400, 401, 403, 405, 500, 501].map((status) => respond.status(status)),
    respond.json({ success: false, message: 'unknown endpoint' }),
    respond.json({ reference_number: 'digest' }),
  ]) {
    test('a platform that knows no digests is read as before', async () => {
      await using kit = await addDigestPlatform(hub, 20)
      kit.source.behaviour = { digest: responder }
      for (const expected of [['digest', 'list'], ['list'], ['list']]) {
        const { task, requests } = await pullAfter(kit)
        assert.deepEqual([task.state, task.mode, task.warnings], ['succeeded', 'full', []])
        assert.deepEqual(requests, expected)
      }
    })
  }

  test('a platform that responds to requests for buckets with an error is read in full once an hour', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    kit.source.behaviour = { buckets: respond.status(400) }
    kit.source.set(7, { version: 2, data: { status: 'closed' } })
    const early = await pullAfter(kit)
    assert.deepEqual([early.task.error, early.requests], [null, ['digest', 'buckets']])
    assert.match(early.task.warnings.join(), /digest cannot be used.*HTTP 400/)
    const late = await pullAfter(kit, 3601)
    assert.deepEqual(late.requests, ['digest', 'buckets', 'list'])
    assert.deepEqual([late.task.updated, late.task.full_because], [1, 'no_digest'])
  })

  test('a review of missing records is closed when the digest shows that all are back', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const { records } = kit.source
    kit.source.records = records.filter((_, number) => number >= 30)
    await pullAfter(kit)
    assert.equal(only(await kit.reviews()).state, 'pending')
    kit.source.records = records.filter((_, number) => number >= 10)
    await pullAfter(kit)
    assert.equal(only(await kit.reviews()).state, 'pending')
    kit.source.records = records
    await pullAfter(kit)
    assert.equal((await kit.completeness()).verified_by, 'digest')
    assert.equal(only(await kit.reviews()).state, 'resolved')
  })

  test('a dismissed review covers only the same records, whether a digest or the list shows the others', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const { records } = kit.source
    const lackFirst = (count: number) => {
      kit.source.records = records.filter((_, number) => number >= count)
    }
    const dismiss = async () => {
      const review = (await kit.reviews()).find(({ state }) => state === 'pending')
      const url = `/api/v1/missing-reviews/${review?.id}/dismiss`
      assert.equal((await hub.callAs('operator', 'POST', url, {})).status, 200)
    }
    const shown = async () => (await kit.reviews()).map(({ state, missing }) => [state, missing])
    lackFirst(30)
    await pullAfter(kit)
    lackFirst(31)
    await pullAfter(kit)
    assert.deepEqual(await shown(), [['pending', 31]], 'the review follows the records')
    await dismiss()
    kit.source.set(50, { version: 2 })
    await pullAfter(kit)
    assert.deepEqual(await shown(), [['dismissed', 31]])
    await kit.pull('full')
    assert.deepEqual(await shown(), [['dismissed', 31]], 'a list shows the same records')
    lackFirst(32)
    const { task } = await pullAfter(kit)
    assert.deepEqual([task.mode, task.missing, task.not_listed], ['digest', 0, 32])
    assert.deepEqual(await shown(), [
      ['pending', 32],
      ['superseded', 31],
    ])
    await dismiss()
    lackFirst(5)
    await pullAfter(kit)
    assert.equal((await kit.present()).length, 95)
    assert.deepEqual((await shown())[0], ['resolved', 32])
    await pullAfter(kit)
    assert.deepEqual((await kit.completeness()).verified, { records: 95, of: 95, explained: 0 })
  })

  test('a task that asks nothing of the platform says nothing about it', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    const synced = async () =>
      (await hub.storage.platforms.readPlatform(kit.registered.id))?.latest_sync_at
    kit.source.behaviour = { onDigest: () => clock.advance(4) }
    await pullAfter(kit)
    const at = await synced()
    assert.equal(at, clock.now().toISOString())
    assert.deepEqual((await pullAfter(kit)).requests, [])
    assert.equal(await synced(), at)
    kit.source.behaviour = { ignoresPrefix: true }
    kit.source.set(1, { version: 2 })
    await pullAfter(kit)
    kit.source.behaviour = { digest: respond.status(401) }
    assert.equal((await kit.pull('digest')).state, 'failed')
    kit.source.takeRequests()
    assert.deepEqual((await pullAfter(kit)).requests, [])
    assert.match((await kit.completeness()).last_error ?? '', /HTTP 401/)
  })

  test('a clock that is set forward during a request delays the next one by minutes, not by days', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    kit.source.behaviour = { onDigest: () => clock.advance(3600) }
    await pullAfter(kit)
    const { next_at, asked_at } = (await kit.completeness()).digest ?? assert.fail()
    assert.ok(Date.parse(next_at ?? '') - Date.parse(asked_at ?? '') < 2 * 3_600_000)
  })

  test('an accepted exception ends when a bucket shows that the rejected records have changed', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const { platform_name: platform } = kit.platform
    kit.source.set(100, { full_name: 7 })
    const reasons = async () => {
      await pullAfter(kit)
      return (await kit.completeness()).incomplete_reasons
    }
    const accept = async () => {
      await kit.pull('full')
      const { cause, digest } = only(await hub.rejectedGroups(platform))
      const url = '/api/v1/rejected-pushes/groups/accept'
      const accepted = await hub.callAs('operator', 'POST', url, { platform, cause, digest })
      assert.equal(accepted.status, 200)
    }
    await accept()
    assert.deepEqual(await reasons(), [])
    for (let number = 0; number < 100; number += 10) kit.source.set(number, { version: 2 })
    assert.deepEqual(await reasons(), [], 'its neighbours have changed')
    kit.source.set(100, { full_name: 8, version: 2 })
    assert.deepEqual(await reasons(), ['rejected'])
    assert.deepEqual(await reasons(), ['rejected'])
    await accept()
    assert.deepEqual(await reasons(), [])
    kit.source.set(100, { full_name: 'Ann', version: 3 })
    kit.source.set(101, { data: 7 })
    assert.deepEqual(await reasons(), ['rejected'])
  })
})
