/** Limits for each operator or API token: calls per second, and concurrent expensive requests. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { Snapshot } from '@recordhub/protocol'
import type { Role } from '../../src/domain/auth/caller.ts'
import { MAX_CONCURRENT } from '../../src/http/rate-limit.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, type TestResponse } from '../helpers/hub/response.ts'
import { type SimulatedPlatform, simulatePlatform } from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

const RECORDS = '/api/v1/records'
const REALTIME = '/dashboard/realtime'
const EXPORT = '/api/v1/records/export?format=ndjson'
const PROBE = '/api/v1/platforms/probe'
const MAX_EXPORTS = MAX_CONCURRENT['GET /api/v1/records/export'] ?? 0
const MAX_PROBES = MAX_CONCURRENT['POST /api/v1/platforms/probe'] ?? 0

const time = { now: 0 }

/** A hub that allows three calls per second, with a clock that the tests set. */
const WITH_LIMIT = {
  env: { HUB_API_RATE_LIMIT: '3' },
  withOperator: true,
  monotonicClock: { now: () => time.now },
}

const read = (hub: TestHub, role: Role, url = RECORDS) =>
  hub.send({ url, headers: { authorization: hub.authorization(role) } })

async function statusesOf(calls: number, call: () => Promise<TestResponse>): Promise<number[]> {
  const statuses: number[] = []
  for (let done = 0; done < calls; done++) statuses.push((await call()).status)
  return statuses
}

describeHub('the rate limit for operators and API tokens', WITH_LIMIT, (hub) => {
  // No caller has used a part of its limit.
  beforeEach(() => {
    time.now += 10_000
  })

  test('calls over the limit return 429 with Retry-After until the next call is due', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => read(hub, 'viewer')))
    const rejected = responses.filter(({ status }) => status === 429)
    assert.equal(responses.filter(({ status }) => status === 200).length, 3)
    assert.equal(rejected.length, 7)
    for (const response of rejected) {
      expectError(response, 429, 'too_many_requests')
      assert.equal(response.header('retry-after'), '1')
    }
    assert.match(hub.log(), /"requests":1,"code":"too_many_requests"/)
    time.now += 333
    assert.equal((await read(hub, 'viewer')).status, 429)
    time.now += 1
    assert.deepEqual(await statusesOf(2, () => read(hub, 'viewer')), [200, 429])
    time.now += 1000
    assert.deepEqual(await statusesOf(4, () => read(hub, 'viewer')), [200, 200, 200, 429])
  })

  test('each caller has its own limit, which other callers and platforms do not use up', async () => {
    const ann = await hub.signIn()
    const { post } = await hub.registerPushing()
    assert.deepEqual(await statusesOf(4, () => read(hub, 'viewer')), [200, 200, 200, 429])
    assert.equal((await read(hub, 'admin')).status, 200)
    assert.equal((await hub.send({ url: RECORDS, headers: ann.headers })).status, 200)
    for (let n = 0; n < 5; n++) {
      assert.equal((await post(newRecord(`N-${n}`))).status, 201)
      expectError(await hub.send({ url: RECORDS }), 401, 'not_signed_in')
    }
  })

  test("an operator's sessions share one limit, and another operator has their own", async () => {
    await hub.addOperator('bob@example.org', 'viewer')
    // Each sign-in reads its session, which counts as one call.
    const [one, other] = [await hub.signIn(), await hub.signIn()]
    const bob = await hub.signIn('bob@example.org')
    assert.equal((await hub.send({ url: RECORDS, headers: one.headers })).status, 200)
    assert.equal((await hub.send({ url: RECORDS, headers: other.headers })).status, 429)
    assert.equal((await hub.send({ url: RECORDS, headers: one.headers })).status, 429)
    assert.equal((await hub.send({ url: RECORDS, headers: bob.headers })).status, 200)
  })

  test("an operator's tokens and sessions share one limit", async () => {
    const session = await hub.signIn()
    const createToken = async (name: string) => {
      const body = { name, role: 'viewer', password: PASSWORD } as const
      const { token } = await hub.call('POST /api/v1/tokens', { as: session, body })
      return { authorization: `Bearer ${token}` }
    }
    const [one, other] = [await createToken('one'), await createToken('other')]
    const call = (headers: Record<string, string>) => hub.send({ url: RECORDS, headers })
    time.now += 10_000
    const callers = [one, one, other, other, one, session.headers]
    const statuses: number[] = []
    for (const headers of callers) statuses.push((await call(headers)).status)
    assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429])
    assert.equal((await read(hub, 'admin')).status, 200)
  })

  test("forged calls with an operator's session do not count", async () => {
    const { headers } = await hub.signIn()
    const forged = { ...headers, 'x-csrf-token': 'guessed' }
    const send = () => hub.send({ method: 'POST', url: '/api/v1/pulls', headers: forged })
    assert.deepEqual(await statusesOf(5, send), [419, 419, 419, 419, 419])
    assert.equal((await hub.send({ url: RECORDS, headers })).status, 200)
  })

  test('page requests count too, and return 429 instead of redirecting to the sign-in', async () => {
    const { headers } = await hub.signIn()
    const request = { url: REALTIME, headers }
    expectBody(await hub.send(request), 200, Snapshot)
    expectBody(await hub.send(request), 200, Snapshot)
    expectError(await hub.send(request), 429, 'too_many_requests')
    const page = await hub.send({
      url: '/dashboard',
      headers: { ...headers, accept: 'text/html' },
    })
    assert.deepEqual([page.status, page.header('location')], [429, ''])
    assert.match(page.text, /Too many requests\. Try again in 1 s\./)
    time.now += 10_000
    expectBody(await hub.send(request), 200, Snapshot)
  })
})

describeOnEngines('concurrent expensive requests', (engine) => {
  test('an export over the limit is rejected until another one ends or is aborted', async () => {
    const resumed = Promise.withResolvers<void>()
    let isPaused = false
    await using hub = await startTestHub(engine, {
      wrap: (storage) => delayAfterFirstPage(storage, () => (isPaused ? resumed.promise : null)),
    })
    const { post } = await hub.registerPushing()
    for (let n = 0; n < 20; n++) await post(newRecord(`N-${n}`))
    isPaused = true
    const running: OpenExport[] = []
    while (running.length < MAX_EXPORTS) running.push(await openExport(hub))
    const rejected = await read(hub, 'viewer', EXPORT)
    const { message } = expectError(rejected, 429, 'too_many_requests')
    assert.match(message, new RegExp(`${MAX_EXPORTS} of these requests in progress.*end`))
    assert.equal(rejected.header('retry-after'), '5')
    // Other callers and other kinds of export are not affected.
    const others = await openExport(hub, 'admin')
    assert.equal((await read(hub, 'admin', '/api/v1/audit/export')).status, 200)

    running[0]?.abort()
    const next = await untilExportOpens(hub)
    expectError(await read(hub, 'viewer', EXPORT), 429, 'too_many_requests')
    isPaused = false
    resumed.resolve()
    for (const one of [...running.slice(1), others, next]) {
      assert.equal((await one.text()).split('\n').length, 21)
    }
    const after = await statusesOf(MAX_EXPORTS + 1, () => read(hub, 'viewer', EXPORT))
    assert.deepEqual(new Set(after), new Set([200]))
  })

  test('the exports of all tokens of an operator count together', async () => {
    const resumed = Promise.withResolvers<void>()
    await using hub = await startTestHub(engine, {
      withOperator: true,
      wrap: (storage) => delayAfterFirstPage(storage, () => resumed.promise),
    })
    const { post } = await hub.registerPushing()
    for (let n = 0; n < 20; n++) await post(newRecord(`N-${n}`))
    const session = await hub.signIn()
    const tokens: string[] = []
    for (const name of ['one', 'other']) {
      const body = { name, role: 'viewer', password: PASSWORD } as const
      tokens.push((await hub.call('POST /api/v1/tokens', { as: session, body })).token)
    }
    const open = (index: number) =>
      fetch(`${hub.address}${EXPORT}`, {
        headers: { authorization: `Bearer ${tokens[index % 2]}`, 'accept-encoding': 'identity' },
      })
    const running: Response[] = []
    while (running.length < MAX_EXPORTS) running.push(await open(running.length))
    assert.deepEqual(new Set(running.map(({ status }) => status)), new Set([200]))
    for (const index of [0, 1]) assert.equal((await open(index)).status, 429)
    expectError(await hub.send({ url: EXPORT, headers: session.headers }), 429, 'too_many_requests')
    resumed.resolve()
    for (const response of running) assert.equal((await response.text()).split('\n').length, 21)
  })

  test('lists, exports and searches of one caller share a quarter of the read thread', async () => {
    const quarter = 16
    let started = 0
    const allStarted = Promise.withResolvers<void>()
    const resumed = Promise.withResolvers<void>()
    await using hub = await startTestHub(engine, {
      wrap: (storage) =>
        withList(storage, async (query) => {
          if (query.platform === 'held') {
            started++
            if (started === quarter) allStarted.resolve()
            await resumed.promise
          }
          return storage.records.listRecords(query)
        }),
    })
    await hub.registerPushing()
    const list = () => read(hub, 'viewer', `${RECORDS}?platform=held`)
    const held = Array.from({ length: quarter }, list)
    await allStarted.promise
    expectError(await read(hub, 'viewer', EXPORT), 429, 'too_many_requests')
    expectError(await read(hub, 'viewer'), 429, 'too_many_requests')
    assert.equal((await read(hub, 'admin')).status, 200)
    resumed.resolve()
    for (const { status } of await Promise.all(held)) assert.equal(status, 200)
  })

  test('a failed export frees its slot', async () => {
    let isDown = true
    await using hub = await startTestHub(engine, {
      wrap: (storage) =>
        withList(storage, (query) =>
          isDown ? Promise.reject(new Error('a defect')) : storage.records.listRecords(query),
        ),
    })
    await hub.registerPushing()
    const failed = await statusesOf(MAX_EXPORTS + 1, () => read(hub, 'viewer', EXPORT))
    assert.deepEqual(new Set(failed), new Set([500]))
    isDown = false
    assert.equal((await read(hub, 'viewer', EXPORT)).status, 200)
  })

  test('a probe occupies its slot until the platform responds or the client disconnects', async () => {
    // The delayed requests must not time out on a slow machine.
    await using hub = await startTestHub(engine, { timeouts: { shortCallSeconds: 3600 } })
    const headers = {
      authorization: hub.authorization('operator'),
      'content-type': 'application/json',
    }
    // Several platforms, since the hub limits concurrent requests to a single one.
    await using platforms = new AsyncDisposableStack()
    const simulate = async () => platforms.use(await simulatePlatform())
    const bodyFor = ({ source_base_url, source_api_key }: SimulatedPlatform) =>
      JSON.stringify({ source_base_url, source_api_key })
    const another = bodyFor(await simulate())
    const probe = () => hub.send({ method: 'POST', url: PROBE, headers, body: another })
    const untilFree = () =>
      until(async () => {
        const { status } = await probe()
        return status === 429 ? null : status
      }, 'a slot is free')
    const startHeldProbe = async () => {
      const platform = await simulate()
      const request = platform.delayNextResponse('ping')
      const controller = new AbortController()
      const sent = fetch(`${hub.address}${PROBE}`, {
        method: 'POST',
        ...{ headers, body: bodyFor(platform), signal: controller.signal },
      })
      await request.arrived
      return { request, controller, sent }
    }
    const started = await Promise.all(Array.from({ length: MAX_PROBES }, startHeldProbe))
    expectError(await probe(), 429, 'too_many_requests')
    const [first, second, ...others] = started
    assert.ok(first && second)
    first.controller.abort()
    await assert.rejects(first.sent)
    assert.equal(await untilFree(), 200)
    const next = await startHeldProbe()
    expectError(await probe(), 429, 'too_many_requests')
    second.request.release()
    assert.equal((await second.sent).status, 200)
    assert.equal(await untilFree(), 200)
    for (const { request } of [first, next, ...others]) request.release()
    await Promise.all([next, ...others].map(({ sent }) => sent))
  })

  test('an operator may open 32 event streams, and closing one frees its slot', async () => {
    await using hub = await startTestHub(engine, {
      withOperator: true,
    })
    const { cookie } = await hub.signIn()
    const listen = async () => {
      const controller = new AbortController()
      const { signal } = controller
      const response = await fetch(`${hub.address}/dashboard/events`, {
        headers: { cookie },
        signal,
      })
      // References `response`, since fetch() ends a response that is garbage-collected.
      return { response, status: response.status, abort: () => controller.abort() }
    }
    const all = await Promise.all(Array.from({ length: 32 }, listen))
    assert.deepEqual(new Set(all.map(({ status }) => status)), new Set([200]))
    assert.equal((await listen()).status, 429)
    all[0]?.abort()
    const again = await until(async () => {
      const one = await listen()
      return one.status === 200 ? one : null
    }, 'a slot is free')
    for (const { abort } of [...all, again]) abort()
  })
})

type ListRecords = Storage['records']['listRecords']

function withList(storage: Storage, listRecords: ListRecords): Storage {
  return { ...storage, records: { ...storage.records, listRecords } }
}

/** Delays every read of records after the first page until the promise of `wait` resolves. */
function delayAfterFirstPage(storage: Storage, wait: () => Promise<void> | null): Storage {
  return withList(storage, async (query) => {
    if (query.after !== null) await wait()
    return storage.records.listRecords(query)
  })
}

type OpenExport = { text: () => Promise<string>; abort: () => void }

async function tryOpenExport(hub: TestHub, role: Role): Promise<OpenExport | null> {
  const controller = new AbortController()
  const response = await fetch(`${hub.address}${EXPORT}`, {
    headers: { authorization: hub.authorization(role), 'accept-encoding': 'identity' },
    signal: controller.signal,
  })
  if (response.status !== 200) return null
  return { text: () => response.text(), abort: () => controller.abort() }
}

/** Starts an export and resolves when its response starts. */
async function openExport(hub: TestHub, role: Role = 'viewer'): Promise<OpenExport> {
  return (await tryOpenExport(hub, role)) ?? assert.fail('the export was rejected')
}

function untilExportOpens(hub: TestHub): Promise<OpenExport> {
  return until(() => tryOpenExport(hub, 'viewer'), 'a slot is free')
}
