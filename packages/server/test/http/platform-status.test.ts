/** Activating and deactivating platforms, and the secrecy of keys. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import {
  activityOf,
  newRecord,
  pullAll,
  push,
  readSnapshot,
  registerPlatform,
  setStatus,
  signIn,
} from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { expectAbsent, expectBody, expectError } from '../helpers/hub/response.ts'
import { respond, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { onEachEngineWhenDeep } from '../helpers/storage/engines.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { runSql } from '../helpers/storage/sql.ts'

onEachEngineWhenDeep((engine) => {
  describe(`activating and deactivating a platform, on ${engine.name}`, () => {
    test('pushes of an inactive platform are rejected and it is not pulled; both work again once it is active', async () => {
      await using hub = await startTestHub(engine)
      await using simulated = await simulatePlatform()
      const { id, hub_api_key } = await registerPlatform(hub, simulated)
      expectBody(await push(hub, hub_api_key, newRecord('N-1')), 201, PushResponse)
      assert.equal((await setStatus(hub, id, 'inactive')).status, 'inactive')
      expectError(await push(hub, hub_api_key, newRecord('N-2')), 401, 'api_key_invalid')
      const calls = simulated.requests.length
      assert.deepEqual((await pullAll(hub)).tasks, [])
      assert.equal(simulated.requests.length, calls)
      assert.equal((await setStatus(hub, id, 'active')).status, 'active')
      expectBody(await push(hub, hub_api_key, newRecord('N-2')), 201, PushResponse)
      assert.equal(only((await pullAll(hub)).tasks).state, 'succeeded')
      const kinds = (await activityOf(hub)).map((entry) => entry.kind)
      assert.ok(kinds.includes('platform.deactivated') && kinds.includes('platform.activated'))
    })

    test('a pull stores no records of a platform that is deactivated during the pull', async () => {
      await using hub = await startTestHub(engine)
      await using simulated = await simulatePlatform()
      const { id } = await registerPlatform(hub, simulated)
      simulated.modules[0]?.records.push(simulatedRecord(1))
      const delayed = simulated.delayNextResponse('records/cases')
      const pulling = pullAll(hub)
      await delayed.arrived
      await setStatus(hub, id, 'inactive')
      delayed.release()
      const { tasks } = await pulling
      assert.notEqual(only(tasks).state, 'succeeded')
      assert.match((await hub.get('/api/v1/records')).text, /"records":\[\]/)
    })
  })

  test(`no response, page or log entry contains a key or an encrypted secret, on ${engine.name}`, async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    await using simulated = await simulatePlatform()
    const { id, hub_api_key } = await registerPlatform(hub, simulated)
    await push(hub, hub_api_key, newRecord('N-1'))
    await push(hub, hub_api_key, newRecord('N-1', { record_type: 'ghosts' }))
    simulated.setResponse('records/cases', respond.status(500))
    await pullAll(hub)
    const { headers } = await signIn(hub)
    const responses: string[] = [JSON.stringify(await readSnapshot(hub)), hub.log()]
    for (const url of [
      ...['platforms', `platforms/${id}`, 'activity', 'pulls', 'pulls/1', 'records'],
      ...['rejected-pushes', 'records/1', 'records/1/history'],
    ]) {
      responses.push((await hub.get(`/api/v1/${url}`)).text)
    }
    responses.push((await hub.send({ url: '/dashboard', headers })).text)
    const encrypted = await runSql(hub.storage, 'SELECT ciphertext FROM secrets')
    const hashes = await runSql(hub.storage, 'SELECT key_hash FROM hub_keys')
    const secrets = [
      ...[simulated.source_api_key, hub_api_key, hub.authorization('admin').slice(7)],
      ...[...encrypted, ...hashes].flatMap((row) => Object.values(row).map(String)),
    ]
    assert.equal(secrets.length, 6)
    expectAbsent(secrets, responses)
    const stored = JSON.stringify([
      await runSql(hub.storage, 'SELECT * FROM secrets'),
      await runSql(hub.storage, 'SELECT * FROM hub_keys'),
      await runSql(hub.storage, 'SELECT * FROM platforms'),
      await runSql(hub.storage, 'SELECT * FROM audit'),
    ])
    expectAbsent([simulated.source_api_key, hub_api_key], [stored])
  })
})
