/** Platforms whose digest, or list of buckets, fails although their list works, and platforms that fail altogether. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addDigestPlatform, type DigestKit, withoutFullReads } from '../helpers/hub/digest-hub.ts'
import { type Responder, respond } from '../helpers/platform/platform.ts'

/** Both engines share it, so it never goes back. */
const clock = createStoppedClock()
const env = withoutFullReads(clock)
const timeLimit = { ...env, HUB_PULL_TIMEOUT_SECONDS: '3' }
const HOUR = 3601

async function pullAfter(kit: DigestKit, seconds: number) {
  clock.advance(seconds)
  const { state, mode, full_because, warnings, error, updated } = await kit.pull()
  const requests = kit.source.takeRequests()
  return { state, mode, full_because, warnings: warnings.join(' '), error, updated, requests }
}

const isVerifiedAt = async (kit: DigestKit, at: Date) =>
  (await kit.completeness()).verified_at === at.toISOString()

describeHub('a digest that fails', { clock, env }, (hub) => {
  for (const [what, responder] of [
    ['HTTP 503', respond.status(503)],
    ['HTTP 429', respond.status(429)],
    ['HTTP 401', respond.status(401)],
    ['a closed connection', respond.disconnect()],
  ] as const) {
    test(`after ${what}, the list is read once an hour at most`, async () => {
      await using kit = await addDigestPlatform(hub, 20)
      await pullAfter(kit, 60)
      kit.source.behaviour = { digest: responder }
      kit.source.set(1, { version: 2, data: { status: 'closed' } })
      const late = await pullAfter(kit, HOUR)
      assert.deepEqual([late.error, late.updated, late.full_because], [null, 1, 'no_digest'])
      assert.equal(late.requests.at(-1), 'list')
      assert.match(late.warnings, /^The digest cannot be used\./)
      const early = await pullAfter(kit, 60)
      assert.equal(early.requests.includes('list'), false)
      assert.equal(await isVerifiedAt(kit, clock.now()), false)
      kit.source.behaviour = {}
      assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest'])
      assert.equal(await isVerifiedAt(kit, clock.now()), true)
    })
  }
})

describeHub('a platform with a digest that fails', { clock, env, engines: 'both' }, (hub) => {
  test('while the list is not due, a platform that responds to a ping has not failed', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, 60)
    kit.source.behaviour = { digest: respond.status(503) }
    const works = await pullAfter(kit, 60)
    assert.deepEqual([works.state, works.requests], ['succeeded', ['digest']])
    assert.match(works.warnings, /digest cannot be used.*HTTP 503/)
    assert.equal(await isVerifiedAt(kit, clock.now()), false)
    kit.platform.setResponse('ping', respond.status(503))
    const fails = await pullAfter(kit, 60)
    assert.deepEqual([fails.state, fails.requests], ['failed', ['digest']])
    assert.match(fails.error ?? '', /HTTP 503/)
  })

  test('a rejected key is said at once', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, 60)
    kit.source.behaviour = { digest: respond.status(401) }
    const task = await pullAfter(kit, 60)
    assert.deepEqual([task.state, task.requests], ['failed', ['digest']])
  })

  test('a platform that fails altogether is requested again in the next pull', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, 60)
    kit.source.behaviour = { digest: respond.status(503), list: respond.status(503) }
    for (const seconds of [HOUR, 60]) {
      const task = await pullAfter(kit, seconds)
      // Why the digest failed says nothing new.
      assert.deepEqual([task.state, task.warnings], ['failed', ''])
      assert.deepEqual(task.requests, ['digest', 'list', 'list', 'list', 'list'])
    }
    kit.source.behaviour = {}
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest'])
    assert.equal((await kit.completeness()).last_error, null)
  })

  test('a digest is requested again in the same pull only when the platform says when', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, 60)
    let requests = 0
    const digest: Responder = (response, request) => {
      requests += 1
      if (requests === 2) kit.source.behaviour = {}
      respond.status(429, { 'Retry-After': '1' })(response, request)
    }
    kit.source.behaviour = { digest }
    const task = await pullAfter(kit, 60)
    assert.deepEqual([task.warnings, task.requests], ['', ['digest', 'digest', 'digest']])
    assert.equal(await isVerifiedAt(kit, clock.now()), true)
  })

  test('the time of a digest that fails counts, and the list is read meanwhile', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, 60)
    const digest: Responder = (response, request) => {
      clock.advance(50)
      respond.status(503)(response, request)
    }
    kit.source.behaviour = { digest }
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest'])
    assert.equal((await kit.completeness()).digest?.digest_ms, 50_000)
    assert.deepEqual((await pullAfter(kit, 900)).requests, [])
    assert.deepEqual((await pullAfter(kit, 90)).requests, ['digest'])
  })

  test('a pull that is cancelled does not show that the digest cannot be used', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, HOUR)
    const delayed = kit.platform.delayNextResponse('records/cases/digest')
    const { pull } = await hub.requestPull({ mode: 'auto' })
    await delayed.arrived
    clock.advance(50)
    await hub.callAs('operator', 'POST', `/api/v1/pulls/${pull.id}/cancel`)
    delayed.release()
    await hub.untilPullEnds(pull.id)
    kit.source.takeRequests()
    assert.deepEqual((await pullAfter(kit, 60)).requests, [], 'its time counts')
    assert.deepEqual((await pullAfter(kit, 1000)).requests, ['digest'])
  })

  test('a list of buckets that breaks off costs one digest in 20 times its duration, and the list is read once an hour', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, 60)
    kit.source.set(1, { version: 2, data: { status: 'closed' } })
    const start = '{"success":true,"records":['
    kit.source.behaviour = {
      buckets: respond.truncated(start),
      onDigest: () => clock.advance(10),
    }
    const broken = await pullAfter(kit, 60)
    assert.deepEqual([broken.state, broken.requests], ['failed', ['digest', 'buckets']])
    assert.deepEqual((await pullAfter(kit, 60)).requests, [])
    const late = await pullAfter(kit, HOUR)
    assert.deepEqual(late.requests, ['digest', 'buckets', 'list'])
    assert.deepEqual([late.error, late.updated], [null, 1])
  })
})

describeHub('a digest that takes longer than a pull', { clock, env: timeLimit }, (hub) => {
  test('after a digest that reached the time limit of the pull, the next one reads the list', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    await pullAfter(kit, 60)
    kit.source.behaviour = { digest: () => void clock.advance(58) }
    assert.deepEqual((await pullAfter(kit, HOUR)).requests, ['digest'])
    const next = await pullAfter(kit, 60)
    assert.deepEqual([next.requests, next.full_because], [['list'], 'no_digest'])
    assert.match(next.warnings, /digest could not be used when it was last requested/)
    const idle = await pullAfter(kit, 60)
    assert.deepEqual([idle.state, idle.requests, idle.warnings], ['succeeded', [], ''])
    assert.match((await kit.completeness()).last_warning ?? '', /digest could not be used/)
    assert.equal(await isVerifiedAt(kit, clock.now()), false)
  })

  test('an endpoint for digests that has never responded is not requested again for a day', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    kit.source.behaviour = { digest: () => undefined }
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['digest'])
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['list'])
    assert.deepEqual((await pullAfter(kit, 60)).requests, ['list'])
  })
})
