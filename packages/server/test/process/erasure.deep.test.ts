import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { enginesForTier, LOCK_MS, sqlite } from '../helpers/process/engine.ts'
import { connectOperator, signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'
import { findIn, findInFiles, pullPerson, REFERENCE, TEXTS, VALUE } from './erasure.ts'

for (const engine of enginesForTier(sqlite)) {
  test(`no trace of the records and rejected pushes of a removed platform is left (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub()
    const operator = await signIn(hub.address)
    const { registered, pusher } = await pullPerson(t, { hub, operator, reference: 'person-1000' })
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

for (const engine of enginesForTier(sqlite)) {
  test(`no trace of an erased record is left in the storage and output of the hub (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub({ env: { HUB_LOG_LEVEL: 'trace' } })
    const operator = await connectOperator(hub)
    const { registered, pusher } = await pullPerson(t, { hub, operator, reference: REFERENCE })
    // Creates history, rejected pushes and activity, and database pages that grow and shrink.
    const push = (
      reference_number: string,
      data: Record<string, unknown>,
      record_type = 'person',
    ) => pusher.push({ method: 'PATCH', record_type, reference_number, data })
    for (let round = 0; round < 12; round += 1) {
      await push(REFERENCE, { note: `${VALUE} ${'x'.repeat(round * 900)}`, round })
      await push(`person-${round * 20}`, { note: 'y'.repeat(round * 1100) })
      await push(REFERENCE, { note: VALUE, round }, 'unknown')
    }
    await operator.request(
      'PUT',
      `/api/v1/platforms/${registered.id}/modules/person/indexed-fields`,
      {
        fields: ['note'],
      },
    )
    await until(async () => {
      const status: { lag: number } = JSON.parse(
        await operator.request('GET', '/api/v1/search/status'),
      )
      const found = await operator.findRecords('q=Unmistakable')
      return status.lag === 0 && found.length === 1 ? true : null
    }, 'the record is in the indexes')
    assert.ok((await findIn(engine, kit)).length > 0, 'the search finds stored texts')

    const records = await operator.records()
    const id = records.find((record) => record.reference_number === REFERENCE)?.record_id
    await operator.request('POST', `/api/v1/records/${id}/erase`, { mode: 'erase' })
    assert.deepEqual(await findIn(engine, kit), [])

    await push(REFERENCE, { note: VALUE })
    await push(REFERENCE, { note: VALUE }, 'unknown')
    await operator.pullAll()
    assert.equal((await operator.records()).length, 300)
    await hub.stop()
    const printed = [...hub.stdout, ...hub.stderr].join('\n')
    assert.deepEqual(await findIn(engine, kit), [])
    for (const text of TEXTS) assert.ok(!printed.includes(text), `${text} was printed`)
  })
}
