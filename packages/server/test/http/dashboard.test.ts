/** The dashboard snapshot and the status of browser auto-sync. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Snapshot } from '@recordhub/protocol'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { sendOverSocket, startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectMembers, expectObject } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'
import { simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

const REALTIME = '/dashboard/realtime'
const AUTO_SYNC = '/dashboard/auto-sync'
const STATS = [
  ...['platforms', 'active_platforms', 'modules', 'records'],
  ...['received_today', 'created_today', 'updated_today', 'rejected_today'],
]

describeOnEngines('the snapshot', (engine) => {
  test('the snapshot has every specified member and counts pushes and pulled records', async () => {
    // The clock is stopped, so that the day cannot change during a test.
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, {
      withOperator: true,
      clock,
      env: { HUB_MISSING_GRACE_SECONDS: '0' },
    })
    await using platform = await simulatePlatform()
    platform.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2))
    const { post } = await hub.register(platform)
    const { headers } = await hub.signIn()
    const read = async () => {
      const response = await hub.send({ url: REALTIME, headers })
      expectMembers(expectObject(response, 200), [
        ...['success', 'generated_at', 'polling_interval_seconds', 'broadcasting', 'stats'],
        ...['platforms', 'records', 'logs', 'alerts', 'inbox', 'latest_sync', 'pull'],
        ...['hours', 'recent_pulls', 'version'],
      ])
      return expectBody(response, 200, Snapshot)
    }
    const empty = await read()
    assert.deepEqual([empty.polling_interval_seconds, empty.broadcasting], [10, true])
    assert.deepEqual([empty.latest_sync, empty.pull.running, empty.pull.pull], [null, false, null])
    expectMembers(empty.stats, STATS)

    await post(newRecord('N-1'))
    await post(newRecord('N-1', { data: { status: 'closed' } }))
    await post(newRecord('N-1', { data: 1 }))
    const request = platform.delayNextResponse('records/cases')
    const { id } = await hub.startPull()
    await request.arrived
    const during = await read()
    assert.equal(during.pull.running, true)
    assert.deepEqual([during.pull.pull?.id, during.pull.pull?.state], [id, 'running'])
    assert.equal(only(during.pull.tasks).state, 'running')
    assert.equal(during.hours.length, 24)
    assert.equal(during.hours.at(-1)?.received_post, 2)
    request.release()
    const { pull } = await hub.untilPullEnds(id)

    const full = await read()
    assert.deepEqual(full.stats, {
      platforms: 1,
      active_platforms: 1,
      modules: 1,
      records: 3,
      received_today: 4,
      created_today: 3,
      updated_today: 1,
      rejected_today: 1,
    })
    assert.equal(full.pull.running, false)
    assert.deepEqual(full.latest_sync, {
      pull_id: id,
      trigger: pull.trigger,
      state: 'succeeded',
      started_at: pull.started_at,
      finished_at: pull.finished_at,
    })
    assert.deepEqual(full.pull.last, pull)
    assert.deepEqual(
      [only(full.pull.tasks).state, only(full.pull.tasks).received],
      ['succeeded', 2],
    )
    const recent = only(full.recent_pulls)
    assert.deepEqual(
      recent.pulls.map(({ pull_id, state }) => [pull_id, state]),
      [[id, 'succeeded']],
    )
    assert.equal(full.hours.at(-1)?.received_pull, 2)
    const shown = only(full.platforms)
    assert.ok(!('modules' in shown))
    assert.deepEqual([shown.records, shown.status, shown.last_error], [3, 'active', null])
    assert.notEqual(shown.latest_sync_at, null)
    // The pull did not contain the pushed record, so the missing mark is the latest change.
    assert.deepEqual(
      full.records.map((record) => [record.reference_number, record.missing_since !== null]),
      [
        ['N-1', true],
        ['R-2', false],
        ['R-1', false],
      ],
    )
    for (const record of full.records) assert.ok(!('data' in record))
    assert.ok(full.logs.length > 0 && full.logs.length <= 20)

    const { started_by } = pull
    await hub.sql(`UPDATE operators SET email = '${started_by}', name = 'Ann'`)
    assert.equal((await read()).pull.last?.started_by, 'Ann')
    clock.advance(3600)
    const later = await read()
    assert.deepEqual(later.hours.slice(0, -1), full.hours.slice(1))
    assert.equal(later.hours.at(-1)?.received_post, 0)
  })

  test('the snapshot has the 20 latest records and log entries', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    await using platform = await simulatePlatform()
    const { post } = await hub.register(platform)
    for (let n = 0; n < 25; n++) await post(newRecord(`N-${n}`))
    const { headers } = await hub.signIn()
    const response = await hub.send({ url: REALTIME, headers })
    const { records, logs } = expectBody(response, 200, Snapshot)
    assert.deepEqual(
      records.map((record) => record.reference_number),
      Array.from({ length: 20 }, (_, n) => `N-${24 - n}`),
    )
    assert.equal(logs.length, 20)
  })
})

describeHub('reading the snapshot', { withOperator: true, clock: createStoppedClock() }, (hub) => {
  let session: Session
  before(async () => {
    session = await hub.signIn()
  })

  test('an unchanged snapshot returns 304 for its ETag, and a push changes the ETag', async () => {
    await using platform = await simulatePlatform()
    const { post } = await hub.register(platform)
    const { headers } = session
    const first = await hub.send({ url: REALTIME, headers })
    const etag = first.header('etag')
    assert.match(etag, /^"[^"]+"$/)
    const known = { ...headers, 'if-none-match': etag }
    const same = await hub.send({ url: REALTIME, headers: known })
    const length = same.header('content-length')
    assert.deepEqual([same.status, same.text, length, same.header('etag')], [304, '', '', etag])
    assert.equal((await hub.send({ url: REALTIME, headers })).text, first.text)
    await post(newRecord('N-1'))
    const next = await hub.send({ url: REALTIME, headers: known })
    assert.equal(next.status, 200)
    assert.notEqual(next.header('etag'), etag)
  })

  test('a client that refuses gzip gets the snapshot uncompressed', async () => {
    const headers = { ...session.headers, 'accept-encoding': 'gzip;q=0, identity' }
    const response = await hub.send({ url: REALTIME, headers })
    expectBody(response, 200, Snapshot)
    assert.equal(response.header('content-encoding'), '')
  })

  test('a request without a session returns 401 as JSON, and no response may be cached', async () => {
    for (const sent of [{}, { cookie: 'recordhub.session_token=made.up' }]) {
      const headers = {
        accept: 'application/json',
        'x-requested-with': 'XMLHttpRequest',
        ...sent,
      }
      const response = await hub.send({ url: REALTIME, headers })
      expectError(response, 401, 'not_signed_in')
      assert.equal(response.header('cache-control'), 'no-store')
    }
    expectError(await hub.send({ url: REALTIME }), 401, 'not_signed_in')
    expectError(
      await hub.send({ url: REALTIME, headers: { accept: 'text/html' } }),
      401,
      'not_signed_in',
    )
    const known = await hub.send({ url: REALTIME, headers: session.headers })
    assert.equal(known.header('cache-control'), 'no-store')
  })

  test('reading the snapshot writes nothing and calls no platform', async () => {
    await using platform = await simulatePlatform()
    await hub.register(platform)
    const calls = platform.requests.length
    const rows = await hub.countStoredRows()
    for (let count = 0; count < 5; count++) {
      await hub.send({ url: REALTIME, headers: session.headers })
    }
    assert.deepEqual(await hub.countStoredRows(), rows)
    assert.equal(platform.requests.length, calls)
  })

  test('reading the snapshot does not extend the session; other requests do', async () => {
    const lastSeen = async () =>
      JSON.stringify(await hub.sql('SELECT updated_at FROM operator_sessions'))
    const earlier = new Date(Date.now() - 3_600_000).toISOString()
    await hub.sql(`UPDATE operator_sessions SET updated_at = '${earlier}'`)
    const before = await lastSeen()
    assert.ok(before.includes(earlier))
    const polled = await hub.send({ url: REALTIME, headers: session.headers })
    assert.equal(polled.status, 200)
    assert.equal(await lastSeen(), before)
    await hub.send({ url: '/api/v1/session', headers: session.headers })
    assert.notEqual(await lastSeen(), before)
  })

  for (const [name, headers, body] of [
    ['no body', {}, undefined],
    ['a form body', { 'content-type': 'application/x-www-form-urlencoded' }, 'a=1'],
    ['malformed JSON', { 'content-type': 'application/json' }, '{"a":'],
    ['no content type', {}, 'hello'],
    ['an invalid content type', { 'content-type': 'nonsense' }, 'hello'],
    ['a large body', { 'content-type': 'text/plain' }, 'x'.repeat(2 * 1024 * 1024)],
    ['a cross-site origin', { origin: 'https://evil.example' }, undefined],
    ['a wrong CSRF token', { 'x-csrf-token': 'wrong', cookie: 'a=b' }, undefined],
    ['an Accept of text/html', { accept: 'text/html' }, undefined],
  ] as const) {
    test(`browser auto-sync with ${name} returns its status and does nothing`, async () => {
      const rows = await hub.countStoredRows()
      const request = {
        method: 'POST' as const,
        url: AUTO_SYNC,
        headers: { ...headers },
        ...(body === undefined ? {} : { body }),
      }
      for (const response of [await hub.send(request), await sendOverSocket(hub, request)]) {
        const { message, ...rest } = expectObject(response, 200)
        assert.deepEqual(rest, { success: true, status: 'idle' })
        assert.match(String(message), /auto-sync is disabled.*server-side scheduler.*background/)
      }
      assert.deepEqual(await hub.countStoredRows(), rows)
    })
  }
})
