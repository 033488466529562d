/** Settings that an admin changes while the hub runs. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../src/config/config.ts'
import { createHubSettings } from '../../src/features/settings/hub-settings.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { createScheduleTime, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectError } from '../helpers/hub/response.ts'
import { simulatePlatform } from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

const UNSET = { HUB_PULL_SCHEDULE: '' }

async function read(hub: TestHub, name: string) {
  const { settings } = await hub.call('GET /api/v1/settings', { as: 'admin' })
  const found = settings.find((one) => one.name === name)
  return [found?.value, found?.source, found?.changed_by]
}

function change(hub: TestHub, settings: Record<string, string | null>) {
  return hub.callAs('access', 'PATCH', '/api/v1/settings', { settings })
}

describeOnEngines('stored settings', { engines: 'both' }, (engine) => {
  test('apply at once, remain after a restart, and yield to the environment', async () => {
    const env = { ...UNSET, HUB_BACKUP_KEEP: '3' }
    const { scheduleTime, pass } = createScheduleTime()
    await using hub = await startTestHub(engine, { env, scheduleTime, withOperator: true })
    await using platform = await simulatePlatform()
    assert.deepEqual(await read(hub, 'HUB_PULL_SCHEDULE'), ['* * * * *', 'default', null])
    assert.equal((await change(hub, { HUB_PULL_SCHEDULE: 'OFF' })).status, 200)
    assert.equal((await hub.call('GET /api/v1/schedule')).schedule.pattern, null)
    await hub.register(platform)
    const changed = await change(hub, {
      ...{ HUB_PULL_SCHEDULE: '*/2 * * * *', HUB_RETENTION_PULLS_DAYS: '7' },
      ...{ HUB_ALERT_TO: 'ann@example.org, bob@example.org' },
    })
    assert.equal(changed.status, 200, changed.text)
    // The pull by the new schedule, without a restart.
    await until(async () => {
      pass()
      return JSON.parse((await hub.get('/api/v1/pulls')).text).pulls[0] ?? null
    }, 'a pull is started')
    const { about } = await hub.call('GET /api/v1/about')
    assert.equal(about.retention.days['pulls'], 7)
    // Another node, whose environment sets one of them, reads the others from the database.
    const environment = { HUB_RETENTION_PULLS_DAYS: '9' }
    const { config, given } = readConfig({ flags: {}, environment, envFile: {} })
    const { settings } = hub.storage
    const log = { warn: assert.fail }
    const node = createHubSettings({ config, given, settings, log })
    await node.refresh()
    assert.equal(node.config.HUB_PULL_SCHEDULE, '*/2 * * * *')
    assert.equal(node.config.HUB_RETENTION_PULLS_DAYS, 9)
    await hub.restart({ env: { ...env, ...environment } })
    const [value, source, by] = await read(hub, 'HUB_PULL_SCHEDULE')
    assert.deepEqual([value, source], ['*/2 * * * *', 'stored'])
    assert.match(by ?? '', /^token \d+ /)
    assert.deepEqual(await read(hub, 'HUB_RETENTION_PULLS_DAYS'), ['9', 'environment', null])
    expectError(await change(hub, { HUB_RETENTION_PULLS_DAYS: '1' }), 409, 'setting_fixed')
    // Without the variable, the stored value applies again.
    await hub.restart({ env })
    assert.equal((await read(hub, 'HUB_RETENTION_PULLS_DAYS'))[0], '7')
    const entries = await hub.call('GET /api/v1/audit', { as: 'admin' })
    const [entry] = entries.audit.filter(({ action }) => action === 'settings.changed')
    assert.equal(entry?.details['HUB_PULL_SCHEDULE'], 'off → */2 * * * *')
    assert.equal(entry?.details['HUB_RETENTION_PULLS_DAYS'], '30 (default) → 7')
  })

  test('are validated as in the environment, all or none, and require the password of an admin', async () => {
    await using hub = await startTestHub(engine, { env: UNSET, withOperator: true })
    const wrong = await change(hub, {
      HUB_RETENTION_PULLS_DAYS: '7',
      HUB_BACKUP_SCHEDULE: '61 * *',
    })
    expectError(wrong, 400, 'invalid_request')
    assert.match(JSON.parse(wrong.text).errors.HUB_BACKUP_SCHEDULE[0], /^must be a cron pattern/)
    expectError(await change(hub, { HOST: '::1' }), 400, 'invalid_request')
    assert.equal((await read(hub, 'HUB_RETENTION_PULLS_DAYS'))[1], 'default')
    const settings = { HUB_ALERT_TO: 'eve@example.org' }
    const send = (as: 'operator' | 'admin') =>
      hub.callAs(as, 'PATCH', '/api/v1/settings', { settings })
    expectError(await send('operator'), 403, 'forbidden')
    expectError(await send('admin'), 403, 'scope_required')
    const ann = await hub.signIn()
    const body = { settings, password: 'a wrong password' }
    const request = { method: 'PATCH', url: '/api/v1/settings', headers: ann.headers } as const
    expectError(await hub.send({ ...request, body }), 403, 'password_wrong')
    const done = await hub.send({ ...request, body: { settings, password: PASSWORD } })
    assert.equal(done.status, 200, done.text)
    assert.equal((await read(hub, 'HUB_ALERT_TO'))[0], 'eve@example.org')
    const seen = await hub.call('GET /api/v1/settings', { as: 'viewer' })
    assert.ok(!seen.settings.some(({ name }) => name === 'HUB_ALERT_TO'))
    await change(hub, { HUB_ALERT_TO: null })
    assert.deepEqual(await read(hub, 'HUB_ALERT_TO'), ['', 'default', null])
  })
})
