/** Deletion of old rows in the background. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { until } from '../helpers/time/until.ts'

const AT_ONCE = { retention: 1 }
const DAY = 24 * 3600
const UNLIMITED = { HUB_RETENTION_AUDIT_DAYS: '0', HUB_RETENTION_HISTORY_DAYS: '0' }

function untilEmpty(hub: TestHub, table: string) {
  return until(async () => ((await hub.countRows(table)) === 0 ? true : null), `${table} is empty`)
}

describeOnEngines('retention', (engine) => {
  test('rows older than their retention are deleted; records and rows with unlimited retention remain', async () => {
    const clock = createStoppedClock()
    const options = { clock, env: UNLIMITED }
    await using hub = await startTestHub(engine, options)
    const { post } = await hub.registerPushing()
    await post(newRecord('N-1'))
    await post(newRecord('N-1', { data: { status: 'closed' } }))
    await post(newRecord('N-2', { data: 1 }))
    clock.advance(40 * DAY)
    await hub.restart({ ...options, intervals: AT_ONCE })
    await untilEmpty(hub, 'rejected_pushes')
    assert.ok((await hub.countRows('activity')) > 0)
    clock.advance(51 * DAY)
    await untilEmpty(hub, 'activity')
    // The second round proves that the first one has ended.
    for (let round = 1; round <= 2; round += 1) {
      const entry = { level: 'info', kind: 'test.entry', message: 'An entry' } as const
      await hub.storage.activity.appendActivity(entry)
      clock.advance(2500 * DAY)
      await untilEmpty(hub, 'activity')
    }
    assert.equal(await hub.countRows('records'), 1)
    assert.equal(await hub.countRows('record_history'), 1)
    assert.ok((await hub.countRows('audit')) > 0)
  })

  test('the activity is limited to HUB_RETENTION_ACTIVITY_LINES entries', async () => {
    const clock = createStoppedClock()
    const env = { HUB_RETENTION_ACTIVITY_LINES: '10', HUB_RETENTION_ACTIVITY_DAYS: '0' }
    await using hub = await startTestHub(engine, { clock, env, intervals: AT_ONCE })
    const { post } = await hub.registerPushing()
    for (let index = 1; index <= 30; index += 1) {
      await post(newRecord(`N-${index}`))
    }
    clock.advance(3601)
    await until(
      async () => ((await hub.countRows('activity')) === 10 ? true : null),
      'ten entries remain',
    )
  })

  test('the deletion runs once an hour regardless of the number of nodes, and is retried after an error', async () => {
    let rounds = 0
    let failures = 0
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, {
      clock,
      intervals: AT_ONCE,
      wrap: (storage) => ({
        ...storage,
        retention: {
          ...storage.retention,
          async reclaimSpace() {
            if (failures < 3) {
              failures += 1
              throw new Error('The disk is full')
            }
            rounds += 1
            return false
          },
        },
      }),
    })
    await until(async () => (rounds === 1 ? true : null), 'the first round has ended')
    assert.equal(hub.log().split('a background job failed').length, 2)
    clock.advance(3590)
    // Another node cannot acquire the lease meanwhile.
    for (let time = 1; time <= 20; time += 1) {
      assert.equal(await hub.storage.leases.acquire('retention', 'another node', 3600), false)
    }
    assert.equal(rounds, 1)
    clock.advance(20)
    await until(async () => (rounds === 2 ? true : null), 'the round of the next hour has ended')
  })
})
