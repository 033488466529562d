/** Pushes that the hub cannot accept now: rate and size limits, storage errors, shutdown. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { HubError } from '../../src/errors.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { bound, holdWrites } from '../helpers/hub/hold-writes.ts'
import { sendOverSocket, startTestHub } from '../helpers/hub/hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, type TestResponse } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** The tests share it: each registers a platform, whose limit no other test uses. */
const time = { now: 0 }
const LIMITED = { env: { HUB_RATE_LIMIT: '5' }, monotonicClock: { now: () => time.now } }

describeHub('60 pushes at once with a limit of 5 a second', LIMITED, (hub) => {
  const register = async () => {
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const pushAll = (name: string) =>
      Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          hub.push(hub_api_key, newRecord(`${name}-${index}`)),
        ),
      )
    return { hub_api_key, platform_name, pushAll }
  }

  /** Five are accepted and stored; all others return 429 with Retry-After and are not stored. */
  async function expectFive(
    { platform_name }: Awaited<ReturnType<typeof register>>,
    name: string,
    responses: TestResponse[],
  ) {
    const accepted = responses.flatMap(({ status }, index) => (status === 201 ? [index] : []))
    assert.equal(accepted.length, 5)
    for (const response of responses.filter(({ status }) => status !== 201)) {
      expectError(response, 429, 'too_many_requests')
      assert.equal(response.header('retry-after'), '1')
    }
    const stored = (await hub.records(platform_name))
      .map(({ reference_number }) => reference_number)
      .filter((reference) => reference.startsWith(`${name}-`))
    assert.deepEqual(new Set(stored), new Set(accepted.map((index) => `${name}-${index}`)))
  }

  test('five are accepted, and another platform has its own limit', async () => {
    const kit = await register()
    await expectFive(kit, 'A', await kit.pushAll('A'))
    assert.deepEqual(await hub.rejected(kit.platform_name), [])
    const other = await hub.registerPushing()
    expectBody(await hub.push(other.hub_api_key, newRecord('N-1')), 201, PushResponse)
  })

  test('requests that are not pushes do not count against the limit', async () => {
    const kit = await register()
    const { hub_api_key } = kit
    const headers = pushHeaders(hub_api_key)
    for (let n = 0; n < 10; n++) {
      assert.equal((await hub.send({ url: '/api/webhook/check', headers })).status, 200)
      expectError(await hub.push('rhk_wrong', newRecord('N-1')), 401, 'api_key_invalid')
      expectError(await hub.push(hub_api_key, '{"a":'), 400, 'invalid_json')
      const plain = { ...headers, 'content-type': 'text/plain' }
      const url = '/api/webhook/receive'
      const sent = await hub.send({ method: 'POST', url, headers: plain, body: 'x' })
      expectError(sent, 415, 'unsupported_media_type')
    }
    await expectFive(kit, 'A', await kit.pushAll('A'))
  })

  test('rejected pushes count against the limit, because they are stored', async () => {
    const kit = await register()
    for (let n = 0; n < 5; n++) {
      const rejected = await hub.push(kit.hub_api_key, { record_type: `unknown ${n}` })
      assert.equal(rejected.status, 422)
    }
    const responses = await kit.pushAll('A')
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([429]))
    time.now += 1000
    await expectFive(kit, 'B', await kit.pushAll('B'))
  })

  test('five more are accepted a second later, even if the wall clock is set back an hour', async (t) => {
    const kit = await register()
    await expectFive(kit, 'A', await kit.pushAll('A'))
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
    time.now += 1000
    await expectFive(kit, 'B', await kit.pushAll('B'))
  })
})

describeOnEngines('a push that the hub cannot accept now', (engine) => {
  test('five are accepted when all of them wait for one lookup of the key', async () => {
    const released = Promise.withResolvers<void>()
    await using hub = await startTestHub(engine, {
      env: { HUB_RATE_LIMIT: '5' },
      monotonicClock: { now: () => 0 },
      wrap: (storage) => ({
        ...storage,
        platforms: {
          ...storage.platforms,
          async findPlatformByKey(...key) {
            await released.promise
            return storage.platforms.findPlatformByKey(...key)
          },
        },
      }),
    })
    const { hub_api_key } = await hub.registerPushing()
    const sent = Array.from({ length: 60 }, (_, index) =>
      sendPush(hub.address, hub_api_key, newRecord(`A-${index}`)),
    )
    await Promise.all(sent.map(({ isSent }) => isSent))
    // The hub reads this request after the pushes, which were sent before it.
    assert.equal((await sendOverSocket(hub, { url: '/healthz' })).status, 200)
    released.resolve()
    const statuses = await Promise.all(sent.map(({ status }) => status))
    assert.equal(statuses.filter((status) => status === 201).length, 5)
    assert.equal(statuses.filter((status) => status === 429).length, 55)
  })

  test('a record has at most HUB_MAX_RECORD_KEYS keys, also after an update', async () => {
    await using hub = await startTestHub(engine, { env: { HUB_MAX_RECORD_KEYS: '100' } })
    const { post, patch, platform_name } = await hub.registerPushing()
    const data = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, at]))
    const tooMany = await post(newRecord('N-1', { data: { ...data, other: 1 } }))
    const { errors } = expectError(tooMany, 422, 'invalid_record')
    assert.deepEqual(errors, { data: ['has more than 100 keys'] })
    expectBody(await post(newRecord('N-1', { data })), 201, PushResponse)
    expectError(await patch(newRecord('N-1', { data: { other: 1 } })), 422, 'too_many_keys')
    assert.deepEqual(only(await hub.records(platform_name)).data, data)
  })

  test('a push with more than twice as many keys is rejected without being parsed, counted and not stored', async () => {
    await using hub = await startTestHub(engine, { env: { HUB_MAX_RECORD_KEYS: '100' } })
    const { post, platform_name } = await hub.registerPushing()
    const pushWith = (keys: number, rest = '') =>
      JSON.stringify(
        newRecord('N-1', {
          data: Object.fromEntries(Array.from({ length: keys }, (_, at) => [`k${at}`, at])),
        }),
      ) + rest
    expectError(await post(pushWith(200)), 422, 'invalid_record')
    assert.equal((await hub.rejected(platform_name)).length, 1)
    // The second one is no JSON, which only a parser would find.
    for (const body of [pushWith(201), pushWith(201, '}')]) {
      const { errors } = expectError(await post(body), 422, 'invalid_record')
      assert.deepEqual(errors, { data: ['has more than 100 keys'] })
    }
    assert.equal((await hub.rejected(platform_name)).length, 1)
    assert.equal((await hub.records(platform_name)).length, 0)
  })

  test('a body of HUB_MAX_BODY_BYTES is accepted; one byte more returns 413 and is not stored', async () => {
    await using hub = await startTestHub(engine, { env: { HUB_MAX_BODY_BYTES: '2000' } })
    const { post, platform_name } = await hub.registerPushing()
    const bare = JSON.stringify(newRecord('N-1')).length
    const body = (bytes: number) =>
      JSON.stringify(newRecord('N-1', { full_name: `Ann Example${'x'.repeat(bytes - bare)}` }))
    const before = await hub.countStoredRows()
    const error = expectError(await post(body(2001)), 413, 'body_too_large')
    assert.match(error.message, /2000/)
    assert.deepEqual(await hub.countStoredRows(), before)
    expectBody(await post(body(2000)), 201, PushResponse)
    assert.equal((await hub.records(platform_name)).length, 1)
  })

  test('a push during a shutdown returns 503 with Retry-After and is not stored', async () => {
    await using hub = await startTestHub(engine)
    const { post } = await hub.registerPushing()
    const before = await hub.countStoredRows()
    const stopping = hub.stop()
    const response = await post(newRecord('N-1'))
    await stopping
    expectError(response, 503, 'shutting_down')
    assert.match(response.header('retry-after'), /^[1-9]\d*$/)
    assert.deepEqual(await hub.countStoredRows(), before)
  })

  test('a push that is being stored when a shutdown begins is stored and gets its response', async () => {
    const arrived = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      records: {
        ...bound(storage.records),
        async applyWrites(batch) {
          arrived.resolve()
          await released.promise
          return storage.records.applyWrites(batch)
        },
      },
    })
    await using hub = await startTestHub(engine, { wrap })
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const headers = pushHeaders(hub_api_key)
    const url = '/api/webhook/receive'
    const request = { method: 'POST' as const, url, headers, body: newRecord('N-1') }
    const pushing = sendOverSocket(hub, request)
    await arrived.promise
    const stopping = hub.stop()
    released.resolve()
    const response = await pushing
    expectBody(response, 201, PushResponse)
    assert.equal(response.header('connection'), 'close')
    await stopping
    await hub.restart()
    assert.equal(only(await hub.records(platform_name)).reference_number, 'N-1')
  })

  test('a push returns 503 with Retry-After while the storage is down, and is accepted afterwards', async () => {
    let isDown = false
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      records: failing(storage.records, () => isDown),
    })
    await using hub = await startTestHub(engine, { wrap })
    const { post, platform_name } = await hub.registerPushing()
    isDown = true
    const response = await post(newRecord('N-1'))
    expectError(response, 503, 'storage_unavailable')
    assert.equal(response.header('retry-after'), '5')
    assert.deepEqual(await hub.records(platform_name), [])
    isDown = false
    expectBody(await post(newRecord('N-1')), 201, PushResponse)
  })

  test('an unexpected error returns 500 without details, which are only in the log', async () => {
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      records: {
        ...bound(storage.records),
        applyWrites: () => Promise.reject(new Error('an internal defect')),
      },
    })
    await using hub = await startTestHub(engine, { wrap })
    const { hub_api_key } = await hub.registerPushing()
    const response = await hub.push(hub_api_key, newRecord('N-1'))
    const error = expectError(response, 500, 'internal_error')
    assert.doesNotMatch(response.text, /internal defect/)
    assert.match(hub.log(), /an internal defect/)
    assert.ok(hub.log().includes(error.request_id))
    assert.ok(!hub.log().includes(hub_api_key))
  })

  test('while too many pushes wait to be written, new ones return 503 with Retry-After', async () => {
    const { wrap, release } = holdWrites()
    await using hub = await startTestHub(engine, { wrap })
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const url = '/api/webhook/receive'
    const body = JSON.stringify(newRecord('N-1'))
    const headers = pushHeaders(hub_api_key)
    // After this request, the hub has the key in its cache and queues pushes without a lookup.
    await hub.send({ url: '/api/webhook/check', headers })
    const waiting: Promise<{ status: number }>[] = []
    let rejected = null
    while (rejected === null && waiting.length < 5000) {
      const batch = Array.from({ length: 500 }, () =>
        hub.send({ method: 'POST', url, headers, body }),
      )
      waiting.push(...batch)
      // Rejected pushes return immediately; the others wait until the test releases the writes.
      await new Promise(setImmediate)
      await new Promise(setImmediate)
      rejected = await Promise.race([
        ...batch,
        new Promise<null>((resolve) => setImmediate(resolve, null)),
      ])
    }
    assert.ok(rejected)
    expectError(rejected, 503, 'busy')
    assert.match(rejected.header('retry-after'), /^[1-9]\d*$/)
    release()
    const statuses = new Set((await Promise.all(waiting)).map((response) => response.status))
    assert.deepEqual([...statuses].sort(), [200, 201, 503])
    assert.equal((await hub.records(platform_name)).length, 1)
  })
})

/** A record store whose writes fail as on a full disk while `isDown` returns true. */
function failing(records: Storage['records'], isDown: () => boolean): Storage['records'] {
  return {
    ...bound(records),
    async applyWrites(batch) {
      if (!isDown()) return records.applyWrites(batch)
      throw new HubError('storage_unavailable', { seconds: 5 }, { retryAfterSeconds: 5 })
    },
  }
}

/** Sends a push over a separate connection. `isSent` resolves when the operating system has accepted the whole request. */
function sendPush(address: string, hubApiKey: string, body: unknown) {
  const headers = pushHeaders(hubApiKey)
  const outgoing = request(`${address}/api/webhook/receive`, {
    method: 'POST',
    headers,
    agent: false,
  })
  const isSent = once(outgoing, 'finish')
  const status = new Promise<number | undefined>((resolve, reject) => {
    outgoing.once('error', reject).once('response', (response) => {
      response.resume()
      resolve(response.statusCode)
    })
  })
  outgoing.end(JSON.stringify(body))
  return { isSent, status }
}
