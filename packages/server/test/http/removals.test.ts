/** Unregistering modules, deleting their records, and removing platforms. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ActivityEntry, Platform, PushResponse, type Removal } from '@recordhub/protocol'
import Type from 'typebox'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, type TestResponse } from '../helpers/hub/response.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { until } from '../helpers/time/until.ts'

const { Object: object, Literal: literal } = Type
const OnePlatform = object({ success: literal(true), platform: Platform })

describeOnEngines('unregistering a module', (engine) => {
  test('all modules can be unregistered with a change of status; invalid requests change nothing', async () => {
    await using kit = await startWithTwoModules(engine)
    const { hub, id } = kit
    expectError(await setModules(hub, id, ['ghosts']), 422, 'module_unknown')
    for (const body of [{}, { record_types: 'cases' }, { x: 1 }]) {
      expectError(await patch(hub, id, body), 400, 'invalid_request')
    }
    expectError(await setModules(hub, 999, []), 404, 'not_found')
    assert.equal((await readPlatform(hub, id)).modules_registered, 2)
    const both = { record_types: [], status: 'inactive' }
    const changed = expectBody(await patch(hub, id, both), 200, OnePlatform).platform
    assert.deepEqual([changed.modules_registered, changed.status], [0, 'inactive'])
  })
})

describeOnEngines('deleting the records of a module', (engine) => {
  test('it has a preview, requires the record type as confirmation, and does not affect other modules', async () => {
    await using kit = await startWithTwoModules(engine)
    const { hub, id, platform } = kit
    const url = `/api/v1/platforms/${id}/modules/cases/records`
    const confirmation = { record_type: 'cases' }
    const request = {
      params: { id, record_type: 'cases' },
      body: confirmation,
      as: 'operator',
    } as const
    const { removal: preview } = await hub.call(`GET ${MODULE_RECORDS}`, request)
    assert.deepEqual([preview.records, preview.registered], [3, true])
    expectError(await remove(hub, url, confirmation), 409, 'module_registered')
    await setModules(hub, id, ['visits'])
    expectError(await remove(hub, url, { record_type: 'visits' }), 422, 'name_differs')
    expectError(await remove(hub, url, {}), 400, 'invalid_request')
    expectError(await remove(hub, url, undefined), 400, 'invalid_request')
    const ghosts = `/api/v1/platforms/${id}/modules/ghosts/records`
    expectError(await hub.get(ghosts), 404, 'not_found')
    expectError(await remove(hub, ghosts, { record_type: 'ghosts' }), 404, 'not_found')
    assert.equal((await hub.records(platform.platform_name)).length, 6)

    const { removal } = await hub.call(`DELETE ${MODULE_RECORDS}`, request)
    assert.deepEqual([removal.record_type, removal.records], ['cases', 3])
    const done = await untilDone(hub, removal.id)
    assert.deepEqual([done.removed, done.requested_by], [3, 'token 2 (test operator)'])
    const left = await hub.records(platform.platform_name)
    assert.deepEqual(new Set(left.map((record) => record.record_type)), new Set(['visits']))
    assert.equal((await readPlatform(hub, id)).records, 3)
    await setModules(hub, id, ['visits', 'cases'])
    assert.equal((await hub.pullAll()).pull.counts.created, 3)
  })
})

describeOnEngines('removing a platform', (engine) => {
  test('it has a preview and takes effect at once in lists, pulls and the receiver', async () => {
    await using kit = await startWithTwoModules(engine)
    const { hub, id, key, platform } = kit
    const { platform_name } = platform
    await hub.push(key, newRecord('R-1', { data: 'none' }))
    const url = `/api/v1/platforms/${id}`
    const preview = await hub.call('GET /api/v1/platforms/:id/removal', { params: { id } })
    assert.deepEqual(preview.removal, {
      platform_name,
      modules: 2,
      records: 6,
      rejected_pushes: 1,
      hub_api_keys: 1,
    })

    for (const wrong of [{ platform_name: platform_name.toUpperCase() }, { platform_name: '' }]) {
      expectError(await remove(hub, url, wrong), 422, 'name_differs')
    }
    expectError(await remove(hub, url, undefined), 400, 'invalid_request')
    expectBody(await hub.push(key, newRecord('R-9')), 201, PushResponse)

    const responses = await Promise.all([1, 2].map(() => remove(hub, url, { platform_name })))
    assert.deepEqual(responses.map((response) => response.status).sort(), [202, 404])
    const { removals } = await hub.call('GET /api/v1/removals')
    expectError(await hub.push(key, newRecord('R-10')), 401, 'api_key_invalid')
    expectError(await hub.get(url), 404, 'not_found')
    expectError(await hub.get(`${url}/removal`), 404, 'not_found')
    expectError(await patch(hub, id, { status: 'active' }), 404, 'not_found')
    const requests = platform.requests.length
    assert.deepEqual((await hub.pullAll()).tasks, [])
    assert.equal(platform.requests.length, requests)
    const snapshot = await hub.snapshot()
    assert.deepEqual([snapshot.platforms, snapshot.records], [[], []])
    assert.equal(snapshot.stats.records, 0)

    assert.equal((await untilDone(hub, only(removals).id)).removed, 7)
    for (const table of ['platforms', 'modules', 'records', 'hub_keys', 'secrets']) {
      assert.deepEqual(await hub.sql(`SELECT 1 FROM ${table}`), [], table)
    }
    const entries = await hub.activity()
    assert.ok(
      entries.some((one) => one.kind === 'push.created' && one.platform_name === platform_name),
    )
    assert.ok(entries.some((one) => one.kind === 'platform.removed'))
    const audit = await hub.sql(`SELECT * FROM audit WHERE action = 'platform.remove'`)
    assert.equal(only(audit)['target'], platform_name)
  })
})

describeOnEngines('platforms that are being removed', (engine) => {
  test('the activity counts a single module or record in the singular', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform()
    const { id, post } = await hub.register(platform)
    await post(newRecord('R-1'))
    const { platform_name } = platform
    const request = { params: { id }, body: { platform_name } }
    await untilDone(hub, (await hub.call('DELETE /api/v1/platforms/:id', request)).removal.id)
    const messageOf = (kind: string, entries: ActivityEntry[]) =>
      only(entries.filter((entry) => entry.kind === kind)).message
    const entries = await hub.activity()
    assert.match(messageOf('platform.registered', entries), / 1 module$/)
    assert.match(messageOf('platform.removed', entries), /: 1 record$/)
    assert.match(messageOf('platform.deleted', entries), /: 1 record$/)
  })

  test('a removal that a stopped hub has not completed is completed after the restart', async () => {
    await using kit = await startWithTwoModules(engine)
    const { hub, id, platform } = kit
    const { platform_name } = platform
    // The state that a hub leaves if it is killed before the first step.
    const request = { platform_id: id, platform_name, requested_by: 'ann', at: AT }
    const entry = { level: 'info', kind: 'platform.removed', message: 'Removed' } as const
    const audit = { actor: 'ann', action: 'platform.remove', target: null, address: null } as const
    await hub.stop()
    const removal = await hub.storage.platforms.removePlatform(request, {
      activity: entry,
      audit,
    })
    await hub.restart()
    assert.equal((await untilDone(hub, removal?.id ?? 0)).removed, 6)
    assert.deepEqual(await hub.sql('SELECT 1 FROM records'), [])
  })
})

const MODULE_RECORDS = '/api/v1/platforms/:id/modules/:record_type/records'
const AT = '2026-03-10T08:00:00.000Z'

/** Starts a hub that has pulled three records of each of two modules. */
async function startWithTwoModules(engine: StorageEngine) {
  const hub = await startTestHub(engine, { withOperator: true })
  const records = () => [1, 2, 3].map((number) => simulatedRecord(number))
  const modules = ['cases', 'visits'].map((type) => simulatedModule(type, { records: records() }))
  const platform = await simulatePlatform({ modules })
  const { id, hub_api_key } = await hub.register(platform)
  await hub.pullAll()
  return {
    hub,
    platform,
    id,
    key: hub_api_key,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

function patch(hub: TestHub, id: number, body: unknown): Promise<TestResponse> {
  return hub.callAs('operator', 'PATCH', `/api/v1/platforms/${id}`, body)
}

function setModules(hub: TestHub, id: number, record_types: string[]): Promise<TestResponse> {
  return patch(hub, id, { record_types })
}

function remove(hub: TestHub, url: string, body: unknown): Promise<TestResponse> {
  return hub.callAs('operator', 'DELETE', url, body)
}

async function readPlatform(hub: TestHub, id: number): Promise<Platform> {
  return expectBody(await hub.get(`/api/v1/platforms/${id}`), 200, OnePlatform).platform
}

function untilDone(hub: TestHub, id: number): Promise<Removal> {
  return until(async () => {
    const { removals } = await hub.call('GET /api/v1/removals')
    return removals.find((one) => one.id === id && one.finished_at !== null) ?? null
  }, `removal ${id} ends`)
}
