/** The SQL views that a running hub keeps. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { postgresEngine } from '../helpers/storage/postgres.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { until } from '../helpers/time/until.ts'

describe('SQL views', () => {
  test('a registered platform gets its views, and a starting hub creates missing ones, on PostgreSQL', async () => {
    await using hub = await startTestHub(postgresEngine)
    const modules = [simulatedModule('cases', { keys: ['status', 'amount'] })]
    const { post, platform_name } = await hub.registerPushing({ modules })
    const data = { status: 'open', amount: '12' }
    assert.equal((await post(newRecord('r-1', { data }))).status, 201)
    const name = `v_${platform_name}_cases`.toLowerCase().replace(/\W+/g, '_')
    const view = `recordhub_views."${name}"`
    const readView = () =>
      until(
        () => hub.sql(`SELECT hub_reference_number, status, amount FROM ${view}`).catch(() => null),
        `${platform_name} has a view`,
      )
    const expected = { hub_reference_number: 'r-1', ...data }
    assert.deepEqual({ ...only(await readView()) }, expected)
    await hub.sql(`DROP VIEW ${view}`)
    await hub.restart()
    assert.deepEqual({ ...only(await readView()) }, expected)
  })

  test('a view that cannot be created is logged, and the hub still accepts pushes', async () => {
    const failures = [{ view_name: 'v_broken', reason: 'permission denied' }]
    await using hub = await startTestHub(sqliteEngine, {
      wrap: (storage) => {
        const { defineViews } = storage.sqlViews
        return { ...storage, sqlViews: { defineViews, refreshViews: async () => failures } }
      },
    })
    const { post } = await hub.registerPushing()
    assert.equal((await post(newRecord('r-1'))).status, 201)
    await until(async () => (hub.log().includes('v_broken') ? true : null), 'the error is logged')
    assert.match(hub.log(), /permission denied/)
  })
})
