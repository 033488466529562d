/** Alerts: the conditions that open and resolve them, the list, and acknowledgement. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AlertPage, AlertResponse } from '@recordhub/protocol'
import { hourOf, hourText } from '../../src/domain/alerts/push-baseline.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { CONTINUOUS_ALERTS, createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { only, registerTestPlatform } from '../helpers/storage/fixtures.ts'
import { missingReview } from '../helpers/storage/missing.ts'
import { startPullAndRead } from '../helpers/storage/pulls.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

function postAlert(hub: TestHub, path: string, role: 'viewer' | 'operator' | 'admin' = 'operator') {
  return hub.callAs(role, 'POST', `/api/v1/alerts/${path}`)
}

describeOnEngines('alerts', (engine) => {
  test('a platform that fails two pulls in a row opens an alert with its message, until a pull succeeds', async () => {
    await using hub = await startTestHub(engine, {
      intervals: CONTINUOUS_ALERTS,
      withOperator: true,
    })
    await using platform = await simulatePlatform()
    await hub.register(platform)
    const text = `{"message": "Maintenance until 14:00, ${platform.source_api_key}"}`
    platform.setResponse('records/cases', (response) => {
      response.writeHead(503, { 'Content-Type': 'application/json' }).end(text)
    })
    for (let round = 1; round <= 2; round += 1) await hub.pullAll()
    const alert = only(await hub.untilAlertsOpen('platform_failing'))
    assert.match(
      alert.message,
      /Pulls of .* have failed since [\d-]{10}T[\d:.]{12}Z: The platform responded with HTTP 503 .* The platform says: "Maintenance until 14:00, \[key removed\]"$/,
    )
    assert.match(alert.advice, /Test the platform's connection/)
    assert.equal(alert.platform_name, platform.platform_name)
    const { alerts } = await hub.snapshot()
    assert.deepEqual(alerts, { open: 1, latest: [alert] })
    platform.setResponse('records/cases', null)
    await hub.pullAll()
    await hub.untilAlertsOpen('platform_failing', 0)
    const resolved = only(await hub.alerts())
    assert.deepEqual({ ...resolved, resolved_at: null }, alert)
    assert.deepEqual((await hub.snapshot()).alerts, { open: 0, latest: [] })
    assert.deepEqual(await hub.alertActivityKinds(), ['alert.raised', 'alert.resolved'])
  })

  test('a search index that falls over an hour behind opens an alert, until it catches up', async () => {
    const clock = createStoppedClock()
    let isStuck = true
    await using hub = await startTestHub(engine, {
      intervals: CONTINUOUS_ALERTS,
      clock,
      wrap: (storage) => ({
        ...storage,
        searchIndex: {
          ...storage.searchIndex,
          indexTexts: async (limit) => (isStuck ? 0 : storage.searchIndex.indexTexts(limit)),
        },
      }),
    })
    const { post } = await hub.registerPushing()
    await post(newRecord('N-1'))
    for (let hour = 1; hour <= 3; hour += 1) clock.advance(3600)
    const alert = only(await hub.untilAlertsOpen('search_behind'))
    assert.match(alert.message, /index is behind: changes since/)
    isStuck = false
    await hub.untilAlertsOpen('search_behind', 0)
  })

  test('a platform that stops pushing opens an alert, until it pushes; one that never pushed does not', async () => {
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, { intervals: CONTINUOUS_ALERTS, clock })
    await hub.registerPushing()
    const { id, post } = await hub.registerPushing()
    const now = hourOf(clock.now())
    const rows = Array.from({ length: 500 }, (_, index) => {
      const hour = hourText(now - index - 1)
      return `('${hour.slice(0, 10)}', '${hour}', ${id}, 'before', 1, 0, 0, 0, 1, 0, 0, 0)`
    })
    await hub.sql(`INSERT INTO hourly_counters VALUES ${rows.join(', ')}`)
    await hub.restart({ intervals: CONTINUOUS_ALERTS, clock })
    // Six full hours that this process has observed, and the current one.
    for (let hour = 1; hour <= 7; hour += 1) clock.advance(3600)
    const alert = only(await hub.untilAlertsOpen('platform_silent'))
    assert.match(alert.message, /has been accepted since about/)
    // The alert stays open after a restart, when the hub has observed nothing yet.
    await hub.restart({ intervals: CONTINUOUS_ALERTS, clock })
    await post(newRecord('N-1'))
    await hub.untilAlertsOpen('platform_silent', 0)
    assert.deepEqual(await hub.alertActivityKinds(), ['alert.raised', 'alert.resolved'])
  })

  test('a pending missing review opens an alert, until an operator approves it', async () => {
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, { intervals: CONTINUOUS_ALERTS, clock })
    const { storage } = hub
    const school = await registerTestPlatform({ storage, clock })
    const read = await startPullAndRead(storage, school)
    const entry = {
      level: 'warning',
      kind: 'missing.needs_review',
      message: 'Many missing',
    } as const
    await storage.missing.createReview(missingReview(read), null, entry)
    const alert = only(await hub.untilAlertsOpen('missing_review'))
    assert.match(alert.message, /^20 of 50 records of Module students of Title school/)
    assert.equal(alert.platform_name, 'school')
    const { id } = only(await storage.missing.listReviews({ state: null, limit: 9, before: null }))
    assert.equal(alert.missing_review_id, id)
    const headers = { authorization: hub.authorization('operator') }
    await hub.send({ method: 'POST', url: `/api/v1/missing-reviews/${id}/approve`, headers })
    await hub.untilAlertsOpen('missing_review', 0)
  })

  if (isDeep)
    test('the list returns open alerts first, across pages', async () => {
      const clock = createStoppedClock()
      await using hub = await startTestHub(engine, { intervals: CONTINUOUS_ALERTS, clock })
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        await registerTestPlatform({ storage: hub.storage, clock }, { name })
      }
      await hub.setPullFailures(5)
      await hub.untilAlertsOpen('platform_failing', 5)
      await hub.sql("UPDATE platforms SET failures_in_row = 0 WHERE platform_name < 'd'")
      await hub.untilAlertsOpen('platform_failing', 2)
      const names: unknown[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const url: string = `/api/v1/alerts?limit=2${cursor && `&cursor=${cursor}`}`
        const page = expectBody(await hub.get(url), 200, AlertPage)
        names.push(...page.alerts.map((alert) => alert.platform_name))
        cursor = page.next_cursor
      }
      assert.deepEqual(names.slice(0, 2).sort(), ['d', 'e'])
      assert.deepEqual(names.slice(2).sort(), ['a', 'b', 'c'])
      for (const query of ['?cursor=x', '?state=new', '?limit=0', '?platform=a']) {
        expectError(await hub.get(`/api/v1/alerts${query}`), 400, 'invalid_request')
      }
    })

  test('only the first acknowledgement of an alert is stored and recorded', async () => {
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, { intervals: CONTINUOUS_ALERTS, clock })
    await registerTestPlatform({ storage: hub.storage, clock })
    await hub.setPullFailures(5)
    const { id } = only(await hub.untilAlertsOpen('platform_failing'))
    expectError(await postAlert(hub, `${id}/acknowledge`, 'viewer'), 403, 'forbidden')
    expectError(await postAlert(hub, '999/acknowledge'), 404, 'not_found')
    const { alert } = expectBody(await postAlert(hub, `${id}/acknowledge`), 200, AlertResponse)
    assert.deepEqual([alert.acknowledged_by, alert.resolved_at], ['token 2 (test operator)', null])
    const again = expectBody(await postAlert(hub, `${id}/acknowledge`, 'admin'), 200, AlertResponse)
    assert.deepEqual(again.alert, alert)
    assert.deepEqual(await hub.alertActivityKinds(), ['alert.raised', 'alert.acknowledged'])
    const audit = await hub.sql(
      "SELECT actor, target FROM audit WHERE action = 'alert.acknowledged'",
    )
    assert.deepEqual(
      audit.map((row) => ({ ...row })),
      [{ actor: 'token 2 (test operator)', target: 'school' }],
    )
    // An acknowledged alert still resolves.
    await hub.setPullFailures(0)
    await hub.untilAlertsOpen('platform_failing', 0)
  })
})

const PLENTY = { available: 900_000_000_000, total: 1_000_000_000_000 }
const DURABLE = {
  ...{ fsync: true, full_page_writes: true, synchronous_standby_names: '' },
  ...{ standbys: 0, synchronous_standbys: 0, hidden_connections: 0 },
}
let readDiskSpace: Storage['readDiskSpace'] = async () => PLENTY
let readDurability: Storage['readDurability'] = async () => DURABLE

const onSimulatedMachine = {
  intervals: CONTINUOUS_ALERTS,
  wrap: (storage: Storage): Storage => ({
    ...storage,
    readDiskSpace: () => readDiskSpace(),
    readDurability: () => readDurability(),
  }),
}

describeHub('alerts about the machine and its platforms', onSimulatedMachine, (hub, engine) => {
  test('a rise in rejections opens an alert, until the platform is deactivated', async () => {
    const { id, post } = await hub.registerPushing()
    for (let index = 1; index <= 25; index += 1) {
      await post(newRecord(`N-${index}`, { data: index }))
    }
    const alert = only(await hub.untilAlertsOpen('rejected_rising'))
    assert.match(alert.message, /^2\d pushes and pulled records of .* were rejected/)
    await hub.setStatus(id, 'inactive')
    await hub.untilAlertsOpen('rejected_rising', 0)
  })

  test('a nearly full disk opens an alert, where the engine reports disk space', async () => {
    readDiskSpace = async () => ({ ...PLENTY, available: 1_000_000 })
    const alert = only(await hub.untilAlertsOpen('disk_low'))
    assert.match(alert.message, /has 0\.0 GiB of 931\.3 GiB left/)
    readDiskSpace = async () => PLENTY
    await hub.untilAlertsOpen('disk_low', 0)
    assert.equal((await hub.storage.readDiskSpace()) === null, engine.name === 'PostgreSQL')
  })

  test('an asynchronous standby opens an alert, until a standby is synchronous', async () => {
    readDurability = async () => ({ ...DURABLE, standbys: 1 })
    const alert = only(await hub.untilAlertsOpen('standby_asynchronous'))
    assert.match(alert.advice, /synchronous_mode: true/)
    readDurability = async () => ({ ...DURABLE, standbys: 1, synchronous_standby_names: 'second' })
    await hub.untilAlertsOpen('standby_asynchronous', 0)
  })

  test('a repeated error of the alert check is logged once and raises an alert, and the check continues', async () => {
    let failures = 0
    readDiskSpace = async () => {
      failures += 1
      if (failures < 5) throw new Error('The disk space is unknown')
      return { ...PLENTY, available: 1 }
    }
    await hub.untilAlertsOpen('disk_low')
    assert.equal(hub.log().split('a background job failed').length, 2)
    const failed = only(await hub.untilAlertsOpen('job_failed'))
    assert.equal(failed.message, 'The background job "alerts" failed: The disk space is unknown')
    await until(async () => (failures > 6 ? true : null), 'the check continues')
    readDiskSpace = async () => PLENTY
    await hub.untilAlertsOpen('disk_low', 0)
  })
})
