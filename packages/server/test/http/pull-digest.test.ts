/** Pulls that compare the digest of a module and read only the buckets that differ. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Storage } from '../../src/storage/port/storage.ts'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addDigestPlatform, withoutFullReads } from '../helpers/hub/digest-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { respond } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** Both engines share it, so it never goes back. */
const clock = createStoppedClock()
let bucketReads = 0
let digestReads = 0
let digestWrites = 0
/** Called before a digest is saved. */
let beforeSave = async () => {}
const options = {
  clock,
  env: withoutFullReads(clock),
  wrap: ({ digests, ...storage }: Storage): Storage => ({
    ...storage,
    digests: {
      ...digests,
      readSums(...args) {
        bucketReads += 1
        return digests.readSums(...args)
      },
      readDigest(module) {
        digestReads += 1
        return digests.readDigest(module)
      },
      async saveDigest(...args) {
        digestWrites += 1
        await beforeSave()
        await digests.saveDigest(...args)
      },
    },
  }),
}

describeHub('a pull by digest', options, (hub) => {
  test('an unchanged module costs one request and two transactions, no read of its buckets, and is verified', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    clock.advance(60)
    bucketReads = digestReads = digestWrites = 0
    const task = await kit.pull()
    assert.deepEqual([bucketReads, digestReads, digestWrites], [0, 0, 0])
    assert.deepEqual(kit.source.takeRequests(), ['digest'])
    assert.deepEqual([task.state, task.mode, task.full_because], ['succeeded', 'digest', null])
    const { bytes, ...found } = task.digest ?? { bytes: 0 }
    assert.deepEqual(found, { differing: 0, repaired: 0, explained: 0, requests: 1 })
    assert.ok(bytes > 0)
    const module = await kit.completeness()
    assert.equal(module.verified_by, 'digest')
    assert.equal(module.verified_at, clock.now().toISOString())
    assert.deepEqual(module.verified, { records: 300, of: 300, explained: 0 })
    assert.notEqual(module.complete_at, module.verified_at)
  })

  test('a pull that is cancelled while it saves that the platform has no digest ends as cancelled', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    clock.advance(60)
    kit.source.behaviour = { digest: respond.json({ reference_number: 'digest' }) }
    const started = Promise.withResolvers<number>()
    beforeSave = async () => {
      beforeSave = async () => {}
      const params = { id: await started.promise }
      await hub.call('POST /api/v1/pulls/:id/cancel', { params })
    }
    const { pull } = await hub.requestPull({ mode: 'digest' })
    started.resolve(pull.id)
    const { tasks, ...ended } = await hub.untilPullEnds(pull.id)
    const { state, error } = only(tasks)
    assert.deepEqual([ended.pull.state, state, error], ['cancelled', 'cancelled', null])
    // The end of the read is awaited by the next pull.
    assert.equal((await kit.pull()).state, 'succeeded')
    assert.doesNotMatch(hub.log(), /"level":50/)
  })

  test('one change costs three requests', async () => {
    await using kit = await addDigestPlatform(hub, 4000)
    kit.source.set(7, { version: 2, data: { status: 'closed' } })
    const task = await kit.pull()
    assert.deepEqual(kit.source.takeRequests(), ['digest', 'digest', 'buckets'])
    assert.deepEqual([task.mode, task.updated, task.missing], ['digest', 1, 0])
    assert.deepEqual([task.digest?.differing, task.digest?.repaired], [1, 1])
    assert.ok(task.received < 100)
    assert.equal((await kit.completeness()).verified_by, 'digest')
    await kit.pull()
    assert.deepEqual(kit.source.takeRequests(), ['digest'])
  })

  test('new records, late commits and a restored database are found', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    const before = [...kit.source.records]
    kit.source.set(300)
    kit.source.set(301)
    assert.equal((await kit.pull()).created, 2)
    kit.source.set(5, { version: 0, data: { status: 'late' } })
    assert.equal((await kit.pull()).updated, 1)
    kit.source.records = before
    const restored = await kit.pull()
    assert.deepEqual([restored.mode, restored.updated, restored.missing], ['digest', 1, 2])
    assert.equal((await kit.present()).length, 300)
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('deleted records are marked as missing', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    kit.source.remove(1, 2, 3)
    const task = await kit.pull()
    assert.deepEqual([task.mode, task.missing, task.not_listed], ['digest', 3, 0])
    assert.equal((await kit.present()).length, 297)
    assert.equal((await kit.completeness()).verified?.of, 297)
  })

  test('a pushed record is confirmed or corrected by the next pull', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    const { hub_api_key } = kit.registered
    const pushed = { ...newRecord('R-9'), data: { status: 'pushed' } }
    assert.equal((await hub.push(hub_api_key, pushed)).status, 200)
    const corrected = await kit.pull()
    assert.deepEqual([corrected.mode, corrected.updated], ['digest', 1])
    assert.equal((await hub.push(hub_api_key, newRecord('only-here'))).status, 201)
    clock.advance(1)
    assert.equal((await kit.pull()).missing, 1)
    assert.equal((await kit.completeness()).verified_by, 'digest')
    await kit.pull()
    assert.deepEqual(kit.source.takeRequests().slice(-1), ['digest'])
  })

  test('nothing is verified while a record is in no bucket, until a read of the list decides about it', async () => {
    await using kit = await addDigestPlatform(hub, 100, (hubApiKey) =>
      hub.push(hubApiKey, newRecord('only-here')),
    )
    clock.advance(60)
    const compared = await kit.pull()
    assert.deepEqual([compared.mode, compared.missing], ['digest', 0])
    assert.notEqual((await kit.completeness()).verified_by, 'digest')
    clock.advance(3601)
    assert.equal((await kit.pull('full')).missing, 1)
    clock.advance(60)
    assert.equal((await kit.pull()).mode, 'digest')
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('a module that is registered again is compared by digest after one read of the list', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await kit.pull()
    await kit.registerAgain()
    const { full_because, unchanged, warnings } = await kit.pull()
    assert.deepEqual([full_because, unchanged, warnings], ['first', 100, []])
    assert.equal((await kit.completeness()).digest?.unversioned, 0)
    kit.source.set(7, { version: 2, data: { status: 'closed' } })
    const compared = await kit.pull()
    assert.deepEqual([compared.mode, compared.updated], ['digest', 1])
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('a module that is registered again when its list is empty is read again by the next pull', async () => {
    await using kit = await addDigestPlatform(hub, 3)
    await kit.pull()
    await kit.registerAgain()
    kit.source.records = []
    assert.deepEqual([(await kit.pull()).full_because, await kit.present()], ['first', []])
    kit.source.set(5)
    const compared = await kit.pull()
    assert.deepEqual([compared.mode, compared.created], ['digest', 1])
  })

  test('more than a quarter of the records are read in full, at most once an hour', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    clock.advance(3601)
    for (let number = 0; number < 200; number++) kit.source.set(number, { version: 2 })
    const task = await kit.pull()
    assert.deepEqual(kit.source.takeRequests(), ['digest', 'digest', 'list'])
    assert.deepEqual([task.mode, task.full_because, task.digest], ['full', 'too_different', null])
    for (let number = 0; number < 200; number++) kit.source.set(number, { version: 3 })
    const second = await kit.pull()
    assert.equal(second.mode, 'digest')
    assert.equal(kit.source.takeRequests().includes('list'), false)
  })

  test('too many missing records of all buckets need one review', async () => {
    await using kit = await addDigestPlatform(hub, 1000)
    kit.source.records = kit.source.records.slice(900)
    for (let pull = 0; pull < 3; pull++) {
      assert.equal((await kit.pull()).missing, 0)
      clock.advance(60)
    }
    const [review, ...others] = await kit.reviews()
    assert.deepEqual([review?.state, review?.missing, others.length], ['pending', 900, 0])
    assert.equal((await kit.present()).length, 1000)
    kit.source.takeRequests()
    await kit.pull()
    assert.deepEqual(kit.source.takeRequests(), ['digest'])
    const { verified } = await kit.completeness()
    assert.deepEqual(verified, { records: 100, of: 100, explained: 900 })
    const url = `/api/v1/missing-reviews/${review?.id}/approve`
    assert.equal((await hub.callAs('operator', 'POST', url, {})).status, 200)
    const approved = await kit.pull()
    assert.deepEqual([approved.full_because, approved.missing], ['operator', 900])
    assert.equal((await kit.present()).length, 100)
  })

  test('the list of a bucket may have pages', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    kit.source.behaviour = { pageSize: 5 }
    kit.source.remove(4)
    assert.equal((await kit.pull()).missing, 1)
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('a bucket without records is complete if the list names it', async () => {
    await using kit = await addDigestPlatform(hub, 1)
    kit.source.records = []
    assert.equal((await kit.pull()).missing, 1)
  })
})
