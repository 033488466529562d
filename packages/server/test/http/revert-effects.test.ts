/** What a revert leaves behind: entries in history, feed, activity and audit, unconditional reads, and alerts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Revert, RevertScope } from '@recordhub/protocol'
import { CONTINUOUS_ALERTS, createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { addPulledPlatform, type PulledHub } from '../helpers/hub/pulled-hub.ts'
import { expectError } from '../helpers/hub/response.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import type { TestClock } from '../helpers/storage/engine.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { until } from '../helpers/time/until.ts'

const reason = 'a wrong file was imported'
const DAY = 24 * 3600
const clock = createStoppedClock()

describeHub(
  'effects of reverts',
  {
    clock,
    env: { HUB_MISSING_GRACE_SECONDS: '0' },
  },
  (hub) => {
    test('history, feed, activity and audit name a revert, and a viewer can neither plan nor lift', async () => {
      await using kit = await startAfterBadPull(hub, clock)
      const { platform_name } = kit.platform
      const since = (await changesSince(hub, platform_name)).next_cursor
      const { id } = await revert(hub, { pull_id: kit.pull_id })
      const { record_id } = only(await kit.records())
      const { history } = await hub.call('GET /api/v1/records/:record_id/history', {
        params: { record_id },
      })
      assert.deepEqual(
        history.map((entry) => [entry.source, entry.pull_id, entry.revert_id]),
        [
          ['revert', null, id],
          ['pull', kit.pull_id, null],
        ],
      )
      const { changes } = await changesSince(hub, platform_name, Number(since))
      const line = only(changes)
      assert.deepEqual(
        [line.change, line.change === 'updated' && [line.source, line.revert_id]],
        ['updated', ['revert', id]],
      )
      const { activity } = await hub.call('GET /api/v1/activity', { query: { limit: 100 } })
      assert.deepEqual(
        activity.filter(({ details }) => details?.['revert_id'] === id).map(({ kind }) => kind),
        ['revert.succeeded', 'revert.started'],
      )
      const { audit } = await hub.call('GET /api/v1/audit', { query: { limit: 100 } })
      const entries = audit.filter(({ target }) => target === `revert ${id}`)
      assert.deepEqual(
        entries.map(({ action }) => action),
        ['revert.succeeded', 'revert.start', 'revert.plan'],
      )
      for (const { action, details } of entries) {
        if (action === 'revert.succeeded') continue
        assert.deepEqual([details['scope'], details['reason']], [{ pull_id: kit.pull_id }, reason])
      }
      for (const path of [`/api/v1/reverts/${id}/holds`, `/api/v1/records/${record_id}/holds`]) {
        expectError(await hub.callAs('viewer', 'DELETE', path), 403, 'forbidden')
      }
      await kit.pull()
      assert.equal((await hub.call('GET /api/v1/holds', {})).summary.records, 1)
      await lift(hub, `reverts/${id}`)
    })

    test('the next pull reads the whole list after a revert, and after its holds are lifted in any way', async () => {
      await using kit = await addPulledPlatform(hub)
      const send = (numbers: number[], ETag: string) => {
        const records = numbers.map((number) => simulatedRecord(number))
        const body = { success: true, total: records.length, records }
        kit.platform.setResponse('records/cases', respond.conditional(body, { ETag }))
      }
      send([1, 2], '"good"')
      await kit.pull()
      send([1], '"bad"')
      let pull_id = (await kit.pull()).pull.id
      /** The ETags that two pulls send. */
      const conditions = async () => {
        const sent: (string | undefined)[] = []
        for (let time = 0; time < 2; time += 1) {
          pull_id = (await kit.pull()).pull.id
          sent.push(kit.platform.listRecordsRequests().at(-1)?.headers['if-none-match'])
        }
        return sent
      }
      const second = async () => only((await kit.records()).slice(1))
      const { record_id } = await second()
      const lifts: Record<string, (id: number) => Promise<unknown>> = {
        'by the revert': (id) => lift(hub, `reverts/${id}`),
        'by the record': () => lift(hub, `records/${record_id}`),
        'by the path': (id) =>
          lift(hub, `records/${record_id}`, `?revert_id=${id}&path=/missing_since`),
        'by a push': () => hub.push(kit.registered.hub_api_key, newRecord('R-2')),
      }
      for (const [how, liftHolds] of Object.entries(lifts)) {
        const { id, counts } = await revert(hub, { pull_id })
        assert.equal(counts.held_now, 1, how)
        assert.deepEqual(await conditions(), [undefined, '"bad"'], `the revert, then ${how}`)
        assert.equal((await second()).missing_since, null, how)
        await liftHolds(id)
        kit.platform.requests.length = 0
        const { pull } = await kit.pull()
        assert.equal(only(kit.platform.listRecordsRequests()).headers['if-none-match'], undefined)
        assert.notEqual((await second()).missing_since, null, how)
        pull_id = pull.id
      }
    })
  },
)

describeOnEngines('old holds', (engine) => {
  test('holds raise an alert after seven days, which is resolved when they end', async () => {
    const clock = createStoppedClock()
    // The tokens of the test are valid today.
    clock.advance(-7 * DAY)
    await using hub = await startTestHub(engine, { clock, intervals: CONTINUOUS_ALERTS })
    await using kit = await startAfterBadPull(hub, clock)
    const { id } = await revert(hub, { pull_id: kit.pull_id })
    const since = clock.now().toISOString()
    clock.advance(7 * DAY - 60)
    await hub.untilAlertsOpen('holds_open', 0)
    clock.advance(60)
    const alert = only(await hub.untilAlertsOpen('holds_open'))
    assert.match(alert.message, /^1 record has been held for seven days or longer/)
    assert.ok(alert.message.includes(`since ${since}`), alert.message)
    await lift(hub, `reverts/${id}`)
    await hub.untilAlertsOpen('holds_open', 0)
  })
})

describeOnEngines('held pushes and their quota', (engine) => {
  test('a held push without room is answered with 503, and accepted after an operator has made room', async () => {
    await using hub = await startTestHub(engine, {
      wrap: ({ rejectedPushes, ...storage }) => ({
        ...storage,
        rejectedPushes: {
          ...rejectedPushes,
          saveRejectedPushes: (rejected, options) =>
            rejectedPushes.saveRejectedPushes(rejected, { ...options, quotaBytes: 2000 }),
        },
      }),
    })
    const platform = await hub.registerPushing()
    const { platform_name } = platform
    const bodies = ['R-1', 'R-2', 'R-3'].map((reference) =>
      newRecord(reference, { data: { a: 'x'.repeat(200) } }),
    )
    const from = new Date(Date.now() - 3_600_000).toISOString()
    for (const body of bodies) await platform.post(body)
    const to = new Date(Date.now() + 3_600_000).toISOString()
    await revert(hub, { platform: platform_name, from, to })
    const statuses = async () => {
      const responses = []
      for (const body of bodies) responses.push(await platform.post(body))
      return responses.map(({ status }) => status)
    }
    assert.deepEqual(await statuses(), [200, 200, 503])
    const [, , third] = bodies
    const rejected = await platform.post(third ?? {})
    expectError(rejected, 503, 'held_pushes_full')
    assert.equal(rejected.header('retry-after'), '60')
    // What was acknowledged is kept, also while further ones and other rejections arrive.
    expectError(await platform.post({ ...third, full_name: 7 }), 422, 'invalid_record')
    assert.deepEqual(await statuses(), [200, 200, 503])
    const kept = await hub.rejected(platform_name)
    assert.deepEqual(
      kept.map(({ code, body }) => [code, Object(body).reference_number]),
      [
        ['held', 'R-2'],
        ['held', 'R-1'],
      ],
    )
    const hours = await hub.storage.alerts.readHours('2000-01-01T00', '9999-01-01T00')
    assert.equal(
      hours.reduce((sum, hour) => sum + hour.rejected, 0),
      4,
    )
    await hub.replay(kept[0]?.id ?? 0, {})
    assert.deepEqual(await statuses(), [200, 200, 200])
  })
})

/** A platform whose second list had a wrong name. */
async function startAfterBadPull(
  hub: TestHub,
  clock: TestClock,
): Promise<PulledHub & { pull_id: number }> {
  const kit = await addPulledPlatform(hub)
  const module = only(kit.platform.modules)
  module.records = [simulatedRecord(1)]
  await kit.pull()
  clock.advance(60)
  module.records = [{ ...simulatedRecord(1), full_name: 'Wrong' }]
  const { pull } = await kit.pull()
  return { ...kit, pull_id: pull.id }
}

function changesSince(hub: TestHub, platform: string, since = 0) {
  return hub.call('GET /api/v1/changes', { query: { platform, since } })
}

/** Plans and applies a revert. */
async function revert(hub: TestHub, scope: RevertScope): Promise<Revert> {
  const { revert } = await hub.call('POST /api/v1/reverts', { body: { scope, reason } })
  const params = { id: revert.id }
  await hub.call('POST /api/v1/reverts/:id/start', { params, body: null, as: 'reverts' })
  return until(async () => {
    const found = (await hub.call('GET /api/v1/reverts/:id', { params })).revert
    return found.finished_at === null ? null : found
  }, 'the revert has ended')
}

async function lift(hub: TestHub, what: string, query = ''): Promise<void> {
  const response = await hub.callAs('operator', 'DELETE', `/api/v1/${what}/holds${query}`)
  assert.equal(response.status, 200, response.text)
}
