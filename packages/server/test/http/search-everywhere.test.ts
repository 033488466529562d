/** Searching the hub and every platform at once (specification 1.6, 4.2). */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { SearchLine } from '@recordhub/protocol'
import { Value } from 'typebox/value'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectAbsent, expectError } from '../helpers/hub/response.ts'
import {
  type Responder,
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

type PlatformLine = Extract<SearchLine, { kind: 'platform' }>

describeHub('searching everywhere', (hub, engine) => {
  test('the lines are the requested platforms, the records of the hub, each platform, and the end', async () => {
    await using hub = await startTestHub(engine)
    await using simulated = await simulatePlatform({
      modules: [simulatedModule('cases', { records: [simulatedRecord(1, { city: 'Bern' })] })],
    })
    const { post } = await hub.register(simulated)
    const body = JSON.stringify(newRecord('C-1', { full_name: 'Person of ours', data: 'DATA' }))
    const pushed = body.replace('"DATA"', '{"n":9007199254740993}')
    assert.equal((await post(pushed)).status, 201)
    await hub.untilIndexed()
    const { lines, text } = await search(hub, 'Person')
    assert.deepEqual(
      lines.map((line) => line.kind),
      ['started', 'hub', 'platform', 'end'],
    )
    const [start, own, found] = lines
    assert.ok(start?.kind === 'started' && own?.kind === 'hub' && found?.kind === 'platform')
    assert.equal(only(start.platforms).platform_name, simulated.platform_name)
    assert.equal(only(own.records).reference_number, 'C-1')
    assert.match(text, /"n":9007199254740993/)
    assert.deepEqual([found.outcome, found.found], ['found', 1])
    assert.deepEqual(only(found.records), {
      reference_number: 'R-1',
      full_name: 'Person 1',
      record_type: null,
      data: { city: 'Bern' },
      matches: [{ column: 'hub_full_name', text: 'Person 1', ranges: [[0, 6]] }],
    })
    const [best] = own.records
    assert.equal(best?.rank, 'beginning')
    assert.deepEqual(best?.matches, [
      { column: 'hub_full_name', text: 'Person of ours', ranges: [[0, 6]] },
    ])
  })

  test('with hub_only, no platform is searched, and the best record is before a newer one', async () => {
    await using simulated = await simulatePlatform({ modules: [simulatedModule('cases')] })
    const { post } = await hub.register(simulated)
    for (const full_name of ['Quist', 'Quistorp', 'Ann Quist']) {
      assert.equal((await post(newRecord(`N-${full_name}`, { full_name }))).status, 201)
    }
    await hub.untilIndexed()
    const { lines } = await search(hub, 'quist', { hub_only: 'true' })
    const [start, own, ...rest] = lines
    assert.ok(start?.kind === 'started' && own?.kind === 'hub')
    assert.deepEqual([start.platforms, rest], [[], [{ kind: 'end' }]])
    assert.deepEqual(
      own.records.map((record) => record.full_name),
      ['Quist', 'Quistorp', 'Ann Quist'],
    )
    assert.deepEqual(simulated.requests.filter(isSearch), [])
  })

  test('the records of the hub are those of the module and platform, however many others match', async () => {
    const module = simulatedModule('cases')
    await using many = await simulatePlatform({ modules: [module, simulatedModule('staff')] })
    await using few = await simulatePlatform({ modules: [module] })
    const { post } = await hub.register(many)
    for (let number = 0; number < 21; number += 1) {
      assert.equal((await post(newRecord(`M-${number}`, { full_name: 'Ravn' }))).status, 201)
    }
    const inStaff = newRecord('S-1', { full_name: 'Ann Ravn', record_type: 'staff' })
    assert.equal((await post(inStaff)).status, 201)
    const other = await hub.register(few)
    assert.equal((await other.post(newRecord('F-1', { full_name: 'Bo Ravn' }))).status, 201)
    await hub.untilIndexed()
    for (const [scope, reference] of [
      [{ platform: few.platform_name }, 'F-1'],
      [{ record_type: 'staff' }, 'S-1'],
    ] as const) {
      const { lines } = await search(hub, 'ravn', { hub_only: 'true', ...scope })
      const own = lines.find((line) => line.kind === 'hub') ?? assert.fail()
      assert.deepEqual([only(own.records).reference_number, own.estimated_total], [reference, 1])
    }
  })

  test('a platform gets the specified path and headers, and the query as it was typed', async () => {
    await using simulated = await simulatePlatform()
    await hub.register(simulated)
    await search(hub, 'Zoë & Ann+1')
    const { method, path, headers } = only(simulated.requests.filter(isSearch))
    assert.deepEqual(
      [method, path],
      ['GET', `/api/hub/search?query=${encodeURIComponent('Zoë & Ann+1')}`],
    )
    assert.equal(headers['accept'], 'application/json')
    assert.equal(headers['x-platform-api-key'], simulated.source_api_key)
    assert.equal(headers['ngrok-skip-browser-warning'], 'true')
  })

  test('records of modules that are not registered are not results', async () => {
    await using simulated = await simulatePlatform({
      modules: [simulatedModule('cases'), simulatedModule('drafts')],
    })
    await hub.register(simulated, { record_types: ['cases'] })
    const drafts = Array.from({ length: 30 }, () => ({ record_type: 'drafts', full_name: 'Ann' }))
    const others = [{ record_type: 'cases' }, { record_type: 'another' }, { full_name: 'Ann' }]
    simulated.setResponse('search', respond.json({ records: [...drafts, ...others] }))
    const line = lineOf((await search(hub, 'ann')).lines, simulated)
    assert.equal(line.found, 3)
    assert.deepEqual(
      line.records.map(({ record_type }) => record_type),
      ['cases', 'another', null],
    )
  })

  const bigText = 'x'.repeat(1024 * 1024)
  for (const [what, behaviour, outcome, code] of [
    ['no search endpoint', respond.status(404), 'no_endpoint', null],
    ['a rejected key', respond.status(401), 'failed', 'platform_rejected_key'],
    ['an HTTP 500', respond.status(500), 'failed', 'platform_failed'],
    ['a redirect', respond.redirect('http://127.0.0.1:1/'), 'failed', 'platform_redirected'],
    ['an HTML page', respond.html(), 'failed', 'platform_not_json'],
    [
      'a response over the size limit',
      respond.json({ records: [bigText] }),
      'failed',
      'platform_response_too_large',
    ],
    ['a truncated response', respond.truncated('{"records":['), 'failed', 'platform_broke_off'],
    [
      'a response with "success": false',
      respond.json({ success: false, message: 'The index is broken' }),
      'failed',
      'platform_reports_failure',
    ],
    [
      'a response nested 5000 levels deep',
      respond.text('['.repeat(5000) + ']'.repeat(5000), 'application/json'),
      'failed',
      'platform_response_invalid',
    ],
    ['JSON of an unknown shape', respond.json({ hits: { total: 2 } }), 'raw', null],
    ['an empty result', respond.json({ results: [] }), 'found', null],
  ] as const satisfies [string, Responder, string, string | null][]) {
    test(`${what} is reported for that platform, and the search continues to its end`, async () => {
      await using simulated = await simulatePlatform()
      simulated.setResponse('search', behaviour)
      await hub.register(simulated)
      const { lines } = await search(hub, 'ann')
      const line = lineOf(lines, simulated)
      assert.deepEqual([line.outcome, line.error?.code ?? null], [outcome, code])
      assert.equal(line.found, 0)
      if (outcome === 'raw') assert.equal(line.raw, '{"hits":{"total":2}}')
      assert.equal(lines.at(-1)?.kind, 'end')
    })
  }

  test('the source API key in a response is redacted', async () => {
    await using simulated = await simulatePlatform()
    const { source_api_key } = simulated
    await hub.register(simulated)
    for (const response of [
      { records: [{ note: `sent with ${source_api_key}`, [source_api_key]: 1 }] },
      { echo: source_api_key },
      { success: false, message: `wrong: ${source_api_key}` },
    ]) {
      simulated.setResponse('search', respond.json(response))
      expectAbsent([source_api_key], [(await search(hub, 'ann')).text])
    }
    expectAbsent([source_api_key], [hub.log()])
  })

  test('an inactive platform is not searched, and an unreachable one is reported', async () => {
    await using inactive = await simulatePlatform()
    await using offline = await simulatePlatform()
    const { id } = await hub.register(inactive)
    await hub.setStatus(id, 'inactive')
    await hub.register(offline)
    await offline.goOffline()
    const { lines } = await search(hub, 'ann')
    assert.equal(lineOf(lines, offline).error?.code, 'platform_unreachable')
    assert.ok(!lines.some((line) => 'platform_name' in line && isOf(line, inactive)))
    assert.equal(inactive.requests.filter(isSearch).length, 0)
  })

  test('the results of a fast platform arrive while a slow one is still searching', async () => {
    await using slow = await simulatePlatform()
    await using quick = await simulatePlatform()
    await hub.register(slow)
    await hub.register(quick)
    const lineBy = ({ platform_name }: SimulatedPlatform) =>
      `{"kind":"platform","platform_name":"${platform_name}"`
    const delayed = slow.delayNextResponse('search')
    await using stream = await openSearch(hub, 'ann')
    await stream.until((text) => text.includes(lineBy(quick)))
    assert.ok(!stream.text().includes(lineBy(slow)))
    delayed.release()
    await stream.until((text) => text.endsWith('{"kind":"end"}\n'))
    assert.ok(stream.text().includes(lineBy(slow)))
  })

  test('a client that disconnects aborts the requests to the platforms', async () => {
    await using slow = await simulatePlatform()
    await hub.register(slow)
    const requested = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    slow.setResponse('search', (response) => {
      response.once('close', ended.resolve)
      requested.resolve()
    })
    const stream = await openSearch(hub, 'ann')
    await requested.promise
    await stream[Symbol.asyncDispose]()
    await ended.promise
  })

  test('the hub can stop during a search', async () => {
    await using own = await startTestHub(engine)
    await using slow = await simulatePlatform()
    await own.register(slow)
    const delayed = slow.delayNextResponse('search')
    await using stream = await openSearch(own, 'ann')
    await delayed.arrived
    await own.stop()
    await stream.ended
    assert.ok(!stream.text().includes('"end"'))
    delayed.release()
  })

  test('at most 16 platforms are searched at a time', async () => {
    await using own = await startTestHub(engine)
    await using platforms = new AsyncDisposableStack()
    let current = 0
    let max = 0
    for (let count = 0; count < 20; count++) {
      const simulated = platforms.use(await simulatePlatform())
      simulated.setResponse('search', (...exchange) => {
        current += 1
        max = Math.max(max, current)
        setImmediate(() => {
          current -= 1
          respond.json([])(...exchange)
        })
      })
      await own.register(simulated)
    }
    const { lines } = await search(own, 'ann')
    assert.equal(lines.filter((line) => line.kind === 'platform').length, 20)
    assert.ok(max <= 16, `${max} at a time`)
  })

  test('an empty or too long query returns 400, and a request without a sign-in 401', async () => {
    for (const query of ['', 'query=', 'query=%20', 'query=%22%22', `query=${'x'.repeat(300)}`]) {
      const error = expectError(await hub.get(`/api/v1/search?${query}`), 400, 'invalid_request')
      assert.deepEqual(Object.keys(error.errors ?? {}), ['query'])
    }
    expectError(await hub.send({ url: '/api/v1/search?query=ann' }), 401, 'not_signed_in')
  })
})

const isSearch = ({ path }: { path: string }) => path.includes('/search?')
const isOf = (line: { platform_name: string }, platform: SimulatedPlatform) =>
  line.platform_name === platform.platform_name

function lineOf(lines: SearchLine[], platform: SimulatedPlatform): PlatformLine {
  return only(lines.filter((line) => line.kind === 'platform').filter((one) => isOf(one, platform)))
}

/** Searches as a viewer. */
async function search(
  hub: TestHub,
  query: string,
  options: Record<string, string> = {},
): Promise<{ lines: SearchLine[]; text: string }> {
  const response = await hub.callAs(
    'viewer',
    'GET',
    `/api/v1/search?${new URLSearchParams({ query, ...options })}`,
  )
  assert.equal(response.status, 200, response.text)
  assert.equal(response.header('content-type'), 'application/x-ndjson')
  const lines = response.text.trimEnd().split('\n').map(readLine)
  return { lines, text: response.text }
}

function readLine(text: string): SearchLine {
  const line: unknown = JSON.parse(text)
  assert.ok(Value.Check(SearchLine, line), text)
  return line
}

/** Starts a search whose response can be read while it arrives. */
async function openSearch(hub: TestHub, query: string) {
  const controller = new AbortController()
  const response = await fetch(`${hub.address}/api/v1/search?${new URLSearchParams({ query })}`, {
    headers: { authorization: hub.authorization('viewer') },
    signal: controller.signal,
  })
  assert.equal(response.status, 200)
  const changes = new EventTarget()
  let text = ''
  let hasEnded = false
  const ended = read().finally(() => {
    hasEnded = true
    changes.dispatchEvent(new Event('change'))
  })
  async function read(): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true })
        changes.dispatchEvent(new Event('change'))
      }
    } catch {
      // The test or the hub has closed the connection.
    }
  }
  return {
    text: () => text,
    ended,
    async until(matches: (text: string) => boolean): Promise<void> {
      while (!matches(text)) {
        assert.ok(!hasEnded, `the response ended: ${text}`)
        await once(changes, 'change')
      }
    },
    async [Symbol.asyncDispose]() {
      controller.abort()
      await ended
    },
  }
}
