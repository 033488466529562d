import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { enginesForTier, LOCK_MS, sqlite } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'
import { findIn, findInFiles, NAME, REFERENCE, VALUE } from './erasure.ts'

for (const engine of enginesForTier(sqlite)) {
  test(`no trace of the records and rejected pushes of a removed platform is left (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub()
    const operator = await signIn(hub.address)
    const module = generateModule('person', 300)
    const person = { reference_number: 'person-1000', full_name: NAME, data: { note: VALUE } }
    module.records.splice(150, 0, JSON.stringify(person))
    const platform = await startPlatform(t, { name: 'archive', modules: [module] })
    const { hub_api_key: hubApiKey, platform: registered } =
      await operator.registerModules(platform)
    await operator.pullAll()
    const pusher = createPusher({ address: hub.address, hubApiKey })
    t.after(() => pusher.close())
    const push = { method: 'PATCH', reference_number: 'person-1000' } as const
    await pusher.push({ ...push, record_type: 'person', data: { note: `${VALUE} too` } })
    await pusher.push({ ...push, record_type: 'unknown', data: { note: VALUE } })
    assert.ok((await findIn(engine, kit)).length > 0, 'the search finds stored texts')

    const path = `/api/v1/platforms/${registered.id}`
    await operator.request('DELETE', path, { platform_name: 'archive' })
    await until(
      async () => ((await findIn(engine, kit)).length === 0 ? true : null),
      'no trace is left',
    )
    await hub.stop()
    assert.deepEqual(await findIn(engine, kit), [])
  })
}

test('a restarted hub removes an erased record from the SQLite log left by a killed hub', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const hub = await kit.sandbox.startHub()
  const operator = await signIn(hub.address)
  const platform = await startPlatform(t, {
    name: 'archive',
    modules: [generateModule('person', 10)],
  })
  const { hub_api_key: hubApiKey } = await operator.registerModules(platform)
  const pusher = createPusher({ address: hub.address, hubApiKey })
  t.after(() => pusher.close())
  const push = { method: 'PATCH', record_type: 'person', reference_number: REFERENCE } as const
  await pusher.push({ ...push, data: { note: VALUE } })
  const id = (await operator.records()).at(0)?.record_id

  // An open read transaction prevents the truncation of the write-ahead log.
  const reader = new DatabaseSync(join(kit.sandbox.folder, 'data', 'recordhub.sqlite'), {
    readOnly: true,
    timeout: LOCK_MS,
  })
  reader.exec('BEGIN')
  assert.equal(reader.prepare('SELECT count(*) AS n FROM records').get()?.['n'], 1)
  const erasing = operator.call('POST', `/api/v1/records/${id}/erase`, { mode: 'erase' })
  const interrupted = assert.rejects(erasing)
  await until(
    async () => ((await operator.records()).length === 0 ? true : null),
    'the record is deleted',
  )
  await hub.stop('SIGKILL')
  await interrupted
  assert.notDeepEqual(findInFiles(kit), [])
  reader.close()

  await kit.sandbox.startHub()
  await until(async () => (findInFiles(kit).length === 0 ? true : null), 'no trace is left')
})
