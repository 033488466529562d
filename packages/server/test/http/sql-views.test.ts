/** The SQL views that a running hub creates. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { until } from '../helpers/time/until.ts'

describeOnEngines('SQL views', (engine) => {
  const schema = engine.name === 'SQLite' ? '' : 'recordhub_views.'
  const untilView = (hub: TestHub, platform: string) =>
    until(async () => {
      const select = `SELECT view_name FROM sql_views WHERE view_name LIKE '%cases'`
      const views = await hub.sql(select)
      const name = `v_${platform}_cases`.toLowerCase().replace(/\W+/g, '_')
      return views.some((view) => view['view_name'] === name) ? `${schema}"${name}"` : null
    }, `${platform} has a view`)

  test('a registered platform gets its views, and a starting hub creates missing ones', async () => {
    await using hub = await startTestHub(engine)
    const modules = [simulatedModule('cases', { keys: ['status', 'amount'] })]
    const { post, platform_name } = await hub.registerPushing({ modules })
    const data = { status: 'open', amount: '12' }
    assert.equal((await post(newRecord('r-1', { data }))).status, 201)
    const view = await untilView(hub, platform_name)
    const select = `SELECT hub_reference_number, status, amount FROM ${view}`
    const expected = { hub_reference_number: 'r-1', ...data }
    assert.deepEqual({ ...only(await hub.sql(select)) }, expected)
    await hub.sql(`DROP VIEW ${view}`)
    await hub.sql('DELETE FROM sql_views')
    await hub.restart()
    await untilView(hub, platform_name)
    assert.deepEqual({ ...only(await hub.sql(select)) }, expected)
  })

  test('a view that cannot be created is logged, and the hub still accepts pushes', async () => {
    await using hub = await startTestHub(engine, {
      wrap: (storage) => ({
        ...storage,
        sqlViews: {
          refreshViews: async () => [{ view_name: 'v_broken', reason: 'permission denied' }],
        },
      }),
    })
    const { post } = await hub.registerPushing()
    assert.equal((await post(newRecord('r-1'))).status, 201)
    await until(async () => (hub.log().includes('v_broken') ? true : null), 'the error is logged')
    assert.match(hub.log(), /permission denied/)
  })
})
