/** Platforms whose digest, list or versions are careless: what the hub says, and what it reads. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addDigestPlatform, type DigestKit, withoutFullReads } from '../helpers/hub/digest-hub.ts'
import { digestOf, versionedRecord } from '../helpers/platform/digest-platform.ts'
import { type Responder, respond } from '../helpers/platform/platform.ts'

/** Both engines share it, so it never goes back. */
const clock = createStoppedClock()
const env = withoutFullReads(clock)
const HOUR = 3601

/** What a pull requested, how it read the module, and how many full reads that took. */
async function pullAfter(kit: DigestKit, seconds: number, { mayFail = false } = {}) {
  clock.advance(seconds)
  const { mode, full_because, warnings, error, digest } = await kit.pull()
  if (!mayFail) assert.equal(error, null)
  const requests = kit.source.takeRequests()
  return { mode, full_because, warnings: warnings.join(' '), requests, digest }
}

const MIB = 1024 * 1024

/** A list of 20 MiB of records that were not requested, in parts: each as soon as the socket accepts it, or later. */
function streamList(isFast: boolean) {
  const end = Promise.withResolvers<'closed by the hub' | 'sent'>()
  const respond: Responder = (response, { platform_name }) => {
    let [number, sent] = [1000, 0]
    response.on('close', () => end.resolve('closed by the hub'))
    const members = `"success":true,"platform_name":"${platform_name}","record_type":"cases"`
    response.writeHead(200, { 'Content-Type': 'application/json' }).write(`{${members},"records":[`)
    const sendNext = () => {
      if (response.destroyed) return
      if (sent >= 20 * MIB) return end.resolve('sent')
      const records = Array.from({ length: 100 }, () => JSON.stringify(versionedRecord(++number)))
      const text = `${sent === 0 ? '' : ','}${records.join(',')}`
      sent += text.length
      response.write(text, () => (isFast ? sendNext() : setImmediate(sendNext)))
    }
    sendNext()
  }
  return { respond, end: end.promise }
}

/**
 * Counts the bytes that the hub reads of responses to requests for buckets. The platform cannot: the buffers of the two
 * sockets take some MiB that nobody reads.
 */
function countReceived() {
  const sockets = new Map<Socket, number>()
  const onSent = (message: unknown) => {
    const { request, socket } = Object(message)
    if (socket instanceof Socket && /[?&]prefix=/.test(request.path)) {
      sockets.set(socket, socket.bytesRead)
    }
  }
  subscribe('undici:client:sendHeaders', onSent)
  return {
    bytes: () => [...sockets].reduce((sum, [socket, before]) => sum + socket.bytesRead - before, 0),
    [Symbol.dispose]: () => void unsubscribe('undici:client:sendHeaders', onSent),
  }
}

describeHub('a pull of a careless platform', { clock, env }, (hub) => {
  test('after a 404 response, the digest is not requested again', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    kit.source.behaviour = { digest: respond.status(404) }
    const first = await pullAfter(kit, 60)
    assert.deepEqual(first.requests, ['digest', 'list'])
    assert.deepEqual([first.mode, first.full_because, first.warnings], ['full', 'no_digest', ''])
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['list'])
    kit.source.behaviour = {}
    assert.deepEqual((await pullAfter(kit, HOUR)).requests, ['list'])
  })

  for (const [what, responder, reason] of [
    [
      'an upper-case prefix',
      bucketsOf([['A', 1, 1]]),
      /its bucket 1 does not begin with 1 lower-case/,
    ],
    ['other digits', bucketsOf([['ab', 1, 1]]), /its bucket 1 does not begin with 1 lower-case/],
    [
      'a bucket twice',
      bucketsOf([
        ['a', 1, 1],
        ['a', 1, 1],
      ]),
      /contains the bucket a twice/,
    ],
    ['a negative sum', bucketsOf([['a', 1, -1]]), /the sum of its bucket 1 is not an integer/],
    ['a fraction', bucketsOf([['a', 1.5, 1]]), /the number of records of its bucket 1/],
    ['a sum of 2^48', bucketsOf([['a', 1, 2 ** 48]]), /the sum of its bucket 1 is not an integer/],
    ['no lists', bucketsOf([{ a: 1 }]), /its bucket 1 is not a list/],
    ['a failure', respond.json({ success: false, message: 'busy' }), /busy/],
    ['an HTTP 500', respond.status(500), /HTTP 500/],
  ] as const) {
    test(`a digest with ${what} cannot be used, and the reason is said`, async () => {
      await using kit = await addDigestPlatform(hub, 100)
      await pullAfter(kit, 60)
      kit.source.behaviour = { digest: responder }
      const early = await pullAfter(kit, 60)
      assert.deepEqual([early.requests, early.mode], [['digest'], 'digest'])
      assert.match(early.warnings, reason)
    })
  }

  test('while the digest cannot be used, the list is read at most once an hour', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await pullAfter(kit, 60)
    kit.source.behaviour = { digest: respond.status(500) }
    const early = await pullAfter(kit, 60)
    assert.deepEqual([early.requests, early.mode], [['digest'], 'digest'])
    const late = await pullAfter(kit, HOUR)
    assert.deepEqual([late.requests, late.full_because], [['digest', 'list'], 'no_digest'])
    assert.match(late.warnings, /HTTP 500/)
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest'])
  })

  test('a list that breaks off is not requested again for an hour', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await pullAfter(kit, HOUR)
    kit.source.behaviour = { digest: respond.status(500), list: respond.truncated(LIST_START) }
    const lists: string[] = []
    for (let pull = 0; pull < 10; pull++) {
      clock.advance(pull === 0 ? HOUR : 60)
      await kit.pull()
      lists.push(...kit.source.takeRequests().filter((request) => request === 'list'))
    }
    assert.deepEqual(lists, ['list'])
    assert.equal((await pullAfter(kit, HOUR, { mayFail: true })).requests.at(-1), 'list')
  })

  test('sums may be texts', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    kit.source.behaviour = {
      digest: (response, request) => {
        const buckets = digestOf(kit.source.records, 1).map((bucket) => bucket.map(String))
        const { platform_name } = request
        respond.json({ success: true, platform_name, digits: 1, buckets })(response, request)
      },
    }
    await pullAfter(kit, 60)
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('a platform that ignores the prefix is read in full once an hour, and told so', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    kit.source.behaviour = { ignoresPrefix: true }
    kit.source.set(1, { version: 2 })
    const early = await pullAfter(kit, 60)
    assert.deepEqual(early.requests, ['digest', 'buckets'])
    assert.match(early.warnings, /ignores the parameter prefix/)
    const waiting = await pullAfter(kit, 60)
    assert.deepEqual(waiting.requests, [])
    assert.match(waiting.warnings, /ignores the parameter prefix/)
    const late = await pullAfter(kit, HOUR)
    assert.deepEqual([late.requests, late.full_because], [['list'], 'no_digest'])
  })

  for (const isFast of [true, false]) {
    test(`the hub reads at most 1 MiB of a long ${isFast ? 'fast' : 'slow'} list that ignores the prefix`, async () => {
      await using kit = await addDigestPlatform(hub, 10)
      const list = streamList(isFast)
      kit.source.behaviour = { buckets: list.respond }
      kit.source.set(1, { version: 2 })
      using received = countReceived()
      const task = await pullAfter(kit, 60)
      assert.deepEqual(task.requests, ['digest', 'buckets'])
      assert.match(task.warnings, /ignores the parameter prefix/)
      assert.equal(await list.end, 'closed by the hub')
      const bytes = received.bytes()
      assert.ok(bytes > 0 && bytes <= MIB, `${bytes} bytes were read`)
    })
  }

  test('an empty list that does not name the prefix marks nothing', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    kit.source.records = []
    kit.source.behaviour = { ignoresPrefix: true }
    const task = await pullAfter(kit, 60)
    assert.match(task.warnings, /ignores the parameter prefix/)
    assert.equal((await kit.present()).length, 20)
  })

  test('a source that changes during the comparison marks nothing, and the next pull repairs it', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    kit.source.remove(1)
    let isMoving = true
    kit.source.behaviour = {
      digested: (records) => {
        if (isMoving) setImmediate(() => kit.source.remove(2, 3, 4, 5, 6, 7, 8, 9))
        isMoving = false
        return records
      },
    }
    await pullAfter(kit, 60)
    await pullAfter(kit, 60)
    assert.equal((await kit.present()).length, kit.source.records.length)
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('list and digest that disagree twice are named, and the bucket is not read again for a day', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await pullAfter(kit, 60)
    const verified = (await kit.completeness()).verified_at
    kit.source.behaviour = {
      digested: (records) => records.filter((record) => record.reference_number !== 'R-5'),
    }
    const first = await pullAfter(kit, 60)
    assert.deepEqual([first.requests, first.warnings], [['digest', 'buckets'], ''])
    const second = await pullAfter(kit, 60)
    assert.deepEqual(second.requests, ['digest', 'buckets'])
    assert.match(
      second.warnings,
      /list and the digest of the platform disagree about the bucket \w: the list has \d+ records of it, the digest \d+,/,
    )
    const third = await pullAfter(kit, 60)
    assert.deepEqual([third.requests, third.warnings], [['digest'], second.warnings])
    const { verified_at } = await kit.completeness()
    assert.equal(verified_at, verified)
    assert.equal((await kit.present()).length, 100)
    kit.source.behaviour = {}
    await pullAfter(kit, 60)
    assert.notEqual((await kit.completeness()).verified_at, verified)
  })

  test('while list and digest disagree about one bucket, the records that the others lack are missing', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const others = Array.from({ length: 100 }, (_, number) => number).filter(
      (number) => bucketOf(number) !== bucketOf(5),
    )
    kit.source.remove(...others.slice(0, 1))
    kit.source.behaviour = {
      digested: (records) => records.filter((record) => record.reference_number !== 'R-5'),
    }
    await pullAfter(kit, 60)
    assert.equal((await kit.present()).length, 99)
    assert.equal((await kit.completeness()).verified_by, 'read')
    // With those that the bucket of R-5 may lack, they are more than the threshold.
    kit.source.remove(...others.slice(1, 19))
    await pullAfter(kit, 60)
    assert.equal((await kit.present()).length, 99)
    assert.deepEqual(await kit.reviews(), [])
  })

  test('a digest of other text than the list is never a proof', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    kit.source.behaviour = {
      digested: (records) => records.map((one) => ({ ...one, version: `v${one.version}` })),
    }
    const lists: string[] = []
    for (let pull = 0; pull < 10; pull++) lists.push(...(await pullAfter(kit, 600)).requests)
    assert.ok(lists.filter((request) => request === 'list').length <= 2)
    assert.equal((await kit.completeness()).verified_by, 'read')
  })

  test('a record without a version ends the use of the digest until the next full read', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await pullAfter(kit, 60)
    assert.equal((await kit.completeness()).verified_by, 'digest')
    const [{ version: _, ...without } = assert.fail(), ...others] = kit.source.records
    kit.source.records = [...others, { ...without, data: { status: 'late' } }]
    const found = await pullAfter(kit, 60)
    assert.match(found.warnings, /^The list has 1 record without a version/)
    assert.equal((await kit.completeness()).digest?.unversioned, 1)
    assert.equal((await kit.completeness()).verified_by, 'read')
    assert.deepEqual((await pullAfter(kit, 60)).requests, [])
    assert.deepEqual((await pullAfter(kit, HOUR)).requests, ['list'])
    assert.equal((await kit.completeness()).digest?.unversioned, 1)
    kit.source.set(0, { version: 2 })
    await pullAfter(kit, HOUR)
    assert.equal((await kit.completeness()).digest?.unversioned, 0)
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest'])
  })

  test('content that changes under an equal version withdraws the claim and is named', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    await pullAfter(kit, 60)
    kit.source.set(42, { data: { status: 'changed' } })
    await pullAfter(kit, 60)
    assert.equal((await kit.completeness()).verified_by, 'digest')
    await kit.pull('full')
    kit.source.takeRequests()
    const module = await kit.completeness()
    assert.equal(module.verified_by, 'read')
    assert.deepEqual(
      [module.digest?.withdrawn_records, module.digest?.withdrawn_reference],
      [1, 'R-42'],
    )
    const next = await pullAfter(kit, 60)
    assert.deepEqual(next.requests, ['digest'])
    assert.match(next.warnings, /content of 1 record had changed under an equal version\./)
    assert.equal((await kit.completeness()).verified_by, 'read')
    await kit.pull('full')
    await pullAfter(kit, 60)
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('versions that change without content are not stable after two full reads', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    let version = 1
    const because: unknown[] = []
    for (let pull = 0; pull < 4; pull++) {
      version += 1
      kit.source.records = kit.source.records.map((record) => ({ ...record, version }))
      const { full_because, requests } = await pullAfter(kit, HOUR)
      because.push(full_because, requests.length)
    }
    assert.deepEqual(because, [
      'too_different',
      2,
      'too_different',
      2,
      'not_stable',
      1,
      'not_stable',
      1,
    ])
    assert.equal((await kit.completeness()).digest?.not_stable, true)
  })

  test('a slow digest is requested so that the platform spends 5 % of its time on it', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    kit.source.behaviour = { onDigest: () => clock.advance(4) }
    await pullAfter(kit, 60)
    const { digest_ms, asked_at, next_at } = (await kit.completeness()).digest ?? assert.fail()
    assert.equal(digest_ms, 4000)
    assert.equal(Date.parse(next_at ?? '') - Date.parse(asked_at ?? ''), 80_000)
    assert.deepEqual((await pullAfter(kit, 60)).requests, [])
    assert.deepEqual((await pullAfter(kit, 20)).requests, ['digest'])
    const { mode } = await kit.pull('digest')
    assert.deepEqual([kit.source.takeRequests(), mode], [['digest'], 'digest'])
  })

  test('the time until the buckets are sent counts as that of the digest', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    kit.source.set(1, { version: 2 })
    kit.source.behaviour = {
      onDigest: () => clock.advance(1),
      beforeList: async () => clock.advance(3),
    }
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest', 'buckets'])
    assert.equal((await kit.completeness()).digest?.digest_ms, 4000)
    assert.deepEqual((await pullAfter(kit, 60)).requests, [])
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest'])
  })
})

function bucketOf(number: number): string {
  return hash('md5', `R-${number}`).slice(0, 1)
}

const LIST_START = '{"success":true,"records":['

function bucketsOf(buckets: unknown[]) {
  return respond.json({ success: true, digits: 1, buckets })
}
