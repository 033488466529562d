/** Conditional requests of a pull: ETag, Last-Modified and 304 (RFC 9110, section 13). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StartPullResponse } from '@recordhub/protocol'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { addPulledPlatform, type PulledHub } from '../helpers/hub/pulled-hub.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { type Responder, respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { rounds } from '../helpers/time/tier.ts'

const ETag = '"v1"'
const OLD = 'Tue, 10 Mar 2026 08:00:00 GMT'
const RECORDS = [simulatedRecord(1), simulatedRecord(2)]
const tagged = respond.conditional({ success: true, total: 2, records: RECORDS }, { ETag })

/** The conditional headers of the last request for records. */
function lastConditions({ platform }: PulledHub): (string | undefined)[] {
  const headers = platform.listRecordsRequests().at(-1)?.headers
  return [headers?.['if-none-match'], headers?.['if-modified-since']]
}

/** Starts a hub that has pulled the platform's two records once. */
async function startAfterPull(hub: TestHub, behaviour: Responder = tagged) {
  const kit = await addPulledPlatform(hub)
  kit.platform.setResponse('records/cases', behaviour)
  assert.equal((await kit.pull()).state, 'succeeded')
  return kit
}

/** Responses after which the next pull sends no conditional headers; `cached-response.test.ts` has all rules. */
const UNCONDITIONAL: readonly (readonly [string, Responder])[] = [
  [
    'with a rejected record',
    respond.conditional({ success: true, records: [...RECORDS, {}] }, { ETag }),
  ],
  ['without success', respond.conditional({ total: 2, records: RECORDS }, { ETag })],
  [
    'with several pages',
    (response, request) =>
      respond.text(
        JSON.stringify({ success: true, records: request.path.includes('?') ? [] : RECORDS }),
        'application/json',
        request.path.includes('?') ? { ETag } : { ETag, Link: '<?page=2>; rel=next' },
      )(response, request),
  ],
]

describeHub('conditional requests of a pull', (hub) => {
  for (const [name, headers, conditions] of (
    [
      ['ETag and Last-Modified', { ETag, 'Last-Modified': OLD }, [ETag, OLD]],
      ['ETag', { ETag: 'W/"a-1"' }, ['W/"a-1"', undefined]],
      ['Last-Modified', { 'Last-Modified': OLD }, [undefined, OLD]],
    ] as const
  ).slice(0, rounds(1, 3))) {
    test(`a 304 for ${name} counts all records as unchanged and writes nothing else`, async () => {
      await using kit = await startAfterPull(
        hub,
        respond.conditional({ success: true, records: RECORDS }, headers),
      )
      assert.deepEqual(lastConditions(kit), [undefined, undefined])
      const { pulls: _, activity: __, ...before } = await kit.hub.countStoredRows()
      for (let count = 0; count < 2; count++) {
        const task = await kit.pull()
        assert.deepEqual(lastConditions(kit), conditions)
        assert.deepEqual([task.state, task.error], ['succeeded', null])
        assert.deepEqual([task.received, task.unchanged, task.created], [2, 2, 0])
        assert.deepEqual(task.pull.counts.received, 2)
      }
      const { pulls: ___, activity: ____, ...after } = await kit.hub.countStoredRows()
      assert.deepEqual(after, before)
    })
  }

  test('a 304 repeats the warning about members that the response lacked, and no other', async () => {
    await using kit = await addPulledPlatform(hub)
    const { platform_name } = kit.platform
    const envelope = { success: true, platform_name, record_type: 'cases' }
    for (const [tag, body, warnings] of [
      ['"lacking"', { success: true, total: 2 }, [/"platform_name", "record_type"/]],
      ['"complete"', { ...envelope, total: 2 }, []],
      ['"without-total"', envelope, [/the member "total"/]],
    ] as const) {
      const records = RECORDS
      kit.platform.setResponse(
        'records/cases',
        respond.conditional({ ...body, records }, { ETag: tag }),
      )
      for (const conditions of [null, tag]) {
        const task = await kit.pull()
        if (conditions === null) await kit.hub.restart()
        else assert.deepEqual(lastConditions(kit), [tag, undefined])
        assert.equal(task.warnings.length, warnings.length, task.warnings.join())
        for (const [index, warning] of warnings.entries()) {
          assert.match(task.warnings[index] ?? '', warning)
        }
      }
    }
  })

  test('the stored ETag survives a restart', async () => {
    await using kit = await startAfterPull(hub)
    await kit.hub.restart()
    assert.equal((await kit.pull()).unchanged, 2)
    assert.deepEqual(lastConditions(kit), [ETag, undefined])
  })

  test('a pull that reads everything again ignores the ETag, of all platforms or of some modules', async () => {
    await using kit = await startAfterPull(hub)
    const url = `/api/v1/platforms/${kit.registered.id}/pull`
    const scope = { record_types: ['cases'], mode: 'full' }
    for (const start of [
      () => kit.hub.requestPull({ mode: 'full' }),
      async () =>
        expectBody(await kit.hub.callAs('operator', 'POST', url, scope), 202, StartPullResponse),
    ]) {
      const { pull } = await start()
      assert.equal((await kit.hub.untilPullEnds(pull.id)).pull.state, 'succeeded')
      assert.deepEqual(lastConditions(kit), [undefined, undefined])
      await kit.pull()
      assert.deepEqual(lastConditions(kit), [ETag, undefined])
    }
    expectError(
      await kit.hub.callAs('operator', 'POST', url, { mode: 'some' }),
      400,
      'invalid_request',
    )
  })

  test('a changed response is read, and its ETag is sent from then on', async () => {
    await using kit = await startAfterPull(hub)
    const records = [simulatedRecord(1, { status: 'closed' })]
    kit.platform.setResponse(
      'records/cases',
      respond.conditional({ success: true, records }, { ETag: '"v2"' }),
    )
    assert.equal((await kit.pull()).updated, 1)
    assert.deepEqual(lastConditions(kit), [ETag, undefined])
    assert.equal((await kit.pull()).unchanged, 1)
    assert.deepEqual(lastConditions(kit), ['"v2"', undefined])
  })

  for (const [what, behaviour] of UNCONDITIONAL) {
    test(`after a response ${what}, the next pull sends no conditional headers`, async () => {
      await using kit = await startAfterPull(hub, behaviour)
      await kit.pull()
      assert.equal(kit.platform.listRecordsRequests().length % 2, 0)
      for (const { headers } of kit.platform.listRecordsRequests()) {
        assert.equal(headers['if-none-match'], undefined)
        assert.equal(headers['if-modified-since'], undefined)
      }
    })
  }

  test('after a truncated response, the next pull sends no conditional headers', async () => {
    await using kit = await startAfterPull(hub)
    const changed = JSON.stringify(simulatedRecord(1, { status: 'half' }))
    kit.platform.queueResponses('records/cases', respond.truncated(`{"records":[${changed},`))
    assert.deepEqual(
      [(await kit.pull()).state, (await kit.records())[0]?.data],
      ['failed', { status: 'half' }],
    )
    const task = await kit.pull()
    assert.deepEqual(lastConditions(kit), [undefined, undefined])
    assert.deepEqual([task.updated, (await kit.records())[0]?.data], [1, { status: 'open' }])
  })

  test('after an HTTP 500, the next pull sends the stored ETag again', async () => {
    await using kit = await startAfterPull(hub)
    kit.platform.queueResponses('records/cases', respond.status(500))
    assert.equal((await kit.pull()).state, 'failed')
    assert.equal((await kit.pull()).unchanged, 2)
    assert.deepEqual(lastConditions(kit), [ETag, undefined])
  })

  test('a 304 to an unconditional request fails the task', async () => {
    await using kit = await addPulledPlatform(hub)
    kit.platform.setResponse('records/cases', (response) => void response.writeHead(304).end())
    const task = await kit.pull()
    assert.equal(task.state, 'failed')
    assert.match(task.error ?? '', /HTTP 304/)
  })
})

/** Both engines share it, so it never goes back. */
const clock = createStoppedClock()

describeHub('the maximum age of an ETag', { clock, env: { HUB_FULL_PULL_HOURS: '2' } }, (hub) => {
  test('each module is read without its ETag once in HUB_FULL_PULL_HOURS', async () => {
    await using kit = await startAfterPull(hub)
    const conditions: unknown[] = []
    for (let hour = 1; hour <= 6; hour++) {
      clock.advance(3_600)
      await kit.pull()
      conditions.push(lastConditions(kit)[0])
    }
    assert.equal(conditions.filter((etag) => etag === undefined).length, 3)
  })
})

describeHub(
  'conditional requests after a push',
  { env: { HUB_MISSING_GRACE_SECONDS: '0' } },
  (hub) => {
    test('after a push, one pull is unconditional and the next one conditional', async () => {
      await using kit = await startAfterPull(hub)
      const pushed = await kit.hub.push(kit.registered.hub_api_key, newRecord('R-1'))
      assert.equal(pushed.status, 200)
      assert.equal((await kit.pull()).received, 2)
      assert.deepEqual(lastConditions(kit), [undefined, undefined])
      await kit.pull()
      assert.deepEqual(lastConditions(kit), [ETag, undefined])
    })
  },
)
