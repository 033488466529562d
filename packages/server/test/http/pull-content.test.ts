/** The records that a pull stores, and those that it leaves unchanged (specification 2.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import {
  respond,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { only } from '../helpers/storage/fixtures.ts'

const NONE = {
  ...{ created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 },
  ...{ accepted: 0, missing: 0, not_listed: 0 },
}

/** A hub with one platform whose module `cases` serves these records. */
async function startWith(engine: StorageEngine, ...records: unknown[]) {
  const hub = await startTestHub(engine, { withOperator: true })
  const module = simulatedModule('cases', { records, keys: ['status', 'owner', 'note'] })
  const platform = await simulatePlatform({ modules: [module] })
  const registered = await hub.register(platform)
  return {
    hub,
    platform,
    key: registered.hub_api_key,
    serve: (...served: unknown[]) => {
      module.records = served
    },
    read: () => hub.records(platform.platform_name),
    rejected: () => hub.rejected(platform.platform_name),
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

/** Pulls everything and returns the counts of the only task. */
async function pullCounts(hub: TestHub) {
  const { received, created, updated, unchanged, stale, rejected, missing, not_listed, accepted } =
    only((await hub.pullAll()).tasks)
  return { received, created, updated, unchanged, stale, rejected, missing, not_listed, accepted }
}

/** An envelope, and the members that the warning names; null for no warning. */
const ENVELOPES: readonly (readonly [Record<string, unknown>, string | null])[] = [
  [{}, null],
  [{ total: '2' }, null],
  [{ success: undefined }, 'member "success", which is'],
  [{ total: undefined }, 'member "total", which is'],
  [
    { platform_name: undefined, record_type: null },
    'members "platform_name", "record_type", which are',
  ],
  [
    { success: undefined, platform_name: undefined, record_type: undefined, total: 'two' },
    '"success", "platform_name", "record_type", "total"',
  ],
]

describeOnEngines('the content that a pull stores', (engine) => {
  test('a response without the required members adds a warning that names them', async () => {
    await using kit = await startWith(engine)
    const required = {
      success: true,
      platform_name: kit.platform.platform_name,
      record_type: 'cases',
    }
    for (const [envelope, expected] of ENVELOPES) {
      const records = [simulatedRecord(1), simulatedRecord(2)]
      const body = { ...required, total: 2, ...envelope, records }
      kit.platform.setResponse('records/cases', respond.json(body))
      const { state, warnings, error } = only((await kit.hub.pullAll()).tasks)
      assert.deepEqual([state, error], ['succeeded', null])
      if (expected === null) assert.deepEqual(warnings, [])
      else assert.ok(only(warnings).includes(expected), warnings.join())
    }
  })

  test('a record is stored exactly as it was sent, including the digits of its numbers', async () => {
    await using kit = await startWith(engine)
    const data =
      '{"status":null,"n":1.10,"big":12345678901234567890,"e":1e2,"z":-0,"👍":"a\\u0000\\ud800","constructor":{"\\"":[]}}'
    const record = `{"reference_number":" R-1 ","full_name":"Ännchen 👍","data":${data},"extra":1}`
    const text = `{"success":true,"total":1,"records":[${record}]}`
    kit.platform.setResponse('records/cases', respond.text(text, 'application/json'))
    assert.deepEqual(await pullCounts(kit.hub), { received: 1, ...NONE, created: 1 })
    const { reference_number, full_name, incomplete } = only(await kit.read())
    assert.deepEqual([reference_number, full_name, incomplete], [' R-1 ', 'Ännchen 👍', false])
    const raw = (await kit.hub.get('/api/v1/records')).text
    assert.ok(raw.includes(`"data":${data}`), raw)
  })

  test('invalid records are saved as rejected with their reasons, and valid ones are stored', async () => {
    const invalid = [
      { full_name: 'No reference', data: {} },
      { reference_number: 7, full_name: 'A number', data: {} },
      { reference_number: 'B-1', full_name: null, data: {} },
      { reference_number: 'B-2', full_name: 'No data' },
      { reference_number: 'B-3', full_name: 'A list', data: [1] },
      { reference_number: 'a\0', full_name: 'U+0000', data: {} },
      { reference_number: 'x'.repeat(513), full_name: 'Too long', data: {} },
      'text',
      null,
      [],
      JSON.parse('{"reference_number":"B-4","full_name":"","data":{"__proto__":1}}'),
      {
        reference_number: 'B-5',
        full_name: '',
        data: JSON.parse(`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`),
      },
    ]
    await using kit = await startWith(engine, simulatedRecord(1), ...invalid, simulatedRecord(2))
    const counts = { received: invalid.length + 2, ...NONE, created: 2, rejected: invalid.length }
    assert.deepEqual(await pullCounts(kit.hub), counts)
    const references = (await kit.read()).map((record) => record.reference_number)
    assert.deepEqual(references, ['R-1', 'R-2'])
    const saved = await kit.rejected()
    assert.equal(saved.length, invalid.length)
    for (const one of saved) {
      assert.deepEqual([one.method, one.code, one.count], ['pull', 'invalid_record', 1])
      assert.ok(Object.keys(one.errors).length > 0)
    }
    const bodies = saved.map((one) => JSON.stringify(one.body)).sort()
    assert.deepEqual(bodies, invalid.map((one) => JSON.stringify(one)).sort())
    await kit.hub.pullAll()
    assert.deepEqual(new Set((await kit.rejected()).map((one) => one.count)), new Set([2]))
  })
})
