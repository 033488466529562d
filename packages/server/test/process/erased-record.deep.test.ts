import assert from 'node:assert/strict'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { connectOperator } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'
import { findIn, NAME, REFERENCE, TEXTS, VALUE } from './erasure.ts'

for (const engine of enginesForTier(sqlite)) {
  test(`no trace of an erased record is left in the storage and output of the hub (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const hub = await kit.sandbox.startHub({ env: { HUB_LOG_LEVEL: 'trace' } })
    const operator = await connectOperator(hub)
    const module = generateModule('person', 300)
    const person = { reference_number: REFERENCE, full_name: NAME, data: { note: VALUE } }
    module.records.splice(150, 0, JSON.stringify(person))
    const platform = await startPlatform(t, { name: 'archive', modules: [module] })
    const { hub_api_key: hubApiKey, platform: registered } =
      await operator.registerModules(platform)
    await operator.pullAll()

    // Creates history, rejected pushes and activity, and database pages that grow and shrink.
    const pusher = createPusher({ address: hub.address, hubApiKey })
    t.after(() => pusher.close())
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
