/** Activating and deactivating platforms, and the secrecy of keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectAbsent, expectBody, expectError } from '../helpers/hub/response.ts'
import { respond, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

describeOnEngines('activating and deactivating a platform', (engine) => {
  test('pushes of an inactive platform are rejected and it is not pulled; both work again once it is active', async () => {
    await using hub = await startTestHub(engine)
    await using simulated = await simulatePlatform()
    const { id, post } = await hub.register(simulated)
    expectBody(await post(newRecord('N-1')), 201, PushResponse)
    assert.equal((await hub.setStatus(id, 'inactive')).status, 'inactive')
    expectError(await post(newRecord('N-2')), 401, 'api_key_invalid')
    const calls = simulated.requests.length
    assert.deepEqual((await hub.pullAll()).tasks, [])
    assert.equal(simulated.requests.length, calls)
    assert.equal((await hub.setStatus(id, 'active')).status, 'active')
    expectBody(await post(newRecord('N-2')), 201, PushResponse)
    assert.equal(only((await hub.pullAll()).tasks).state, 'succeeded')
    const kinds = (await hub.activity()).map((entry) => entry.kind)
    assert.ok(kinds.includes('platform.deactivated') && kinds.includes('platform.activated'))
  })

  test('a pull stores no records of a platform that is deactivated during the pull', async () => {
    await using hub = await startTestHub(engine)
    await using simulated = await simulatePlatform()
    const { id } = await hub.register(simulated)
    simulated.modules[0]?.records.push(simulatedRecord(1))
    const delayed = simulated.delayNextResponse('records/cases')
    const pulling = hub.pullAll()
    await delayed.arrived
    await hub.setStatus(id, 'inactive')
    delayed.release()
    const { tasks } = await pulling
    assert.notEqual(only(tasks).state, 'succeeded')
    assert.match((await hub.get('/api/v1/records')).text, /"records":\[\]/)
  })

  test('no response, page or log entry contains a key or an encrypted secret', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    await using simulated = await simulatePlatform()
    const { id, hub_api_key } = await hub.register(simulated)
    await hub.push(hub_api_key, newRecord('N-1'))
    await hub.push(hub_api_key, newRecord('N-1', { record_type: 'ghosts' }))
    simulated.setResponse('records/cases', respond.status(500))
    await hub.pullAll()
    const { headers } = await hub.signIn()
    const responses: string[] = [JSON.stringify(await hub.snapshot()), hub.log()]
    for (const url of [
      ...['platforms', `platforms/${id}`, 'activity', 'pulls', 'pulls/1', 'records'],
      ...['rejected-pushes', 'records/1', 'records/1/history'],
    ]) {
      responses.push((await hub.get(`/api/v1/${url}`)).text)
    }
    responses.push((await hub.send({ url: '/dashboard', headers })).text)
    const encrypted = await hub.sql('SELECT ciphertext FROM secrets')
    const hashes = await hub.sql('SELECT key_hash FROM hub_keys')
    const secrets = [
      ...[simulated.source_api_key, hub_api_key, hub.authorization('admin').slice(7)],
      ...[...encrypted, ...hashes].flatMap((row) => Object.values(row).map(String)),
    ]
    assert.equal(secrets.length, 6)
    expectAbsent(secrets, responses)
    const stored = JSON.stringify([
      await hub.sql('SELECT * FROM secrets'),
      await hub.sql('SELECT * FROM hub_keys'),
      await hub.sql('SELECT * FROM platforms'),
      await hub.sql('SELECT * FROM audit'),
    ])
    expectAbsent([simulated.source_api_key, hub_api_key], [stored])
  })
})
