/** The records that a pull stores, and those that it leaves unchanged (specification 2.5). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody } from '../helpers/hub/response.ts'
import {
  respond,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { only } from '../helpers/storage/fixtures.ts'

const NONE = { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0, missing: 0 }

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
  const { received, created, updated, unchanged, stale, rejected, missing } = only(
    (await hub.pullAll()).tasks,
  )
  return { received, created, updated, unchanged, stale, rejected, missing }
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

describeOnEngines('the content that a pull stores', { engines: 'both' }, (engine) => {
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

  test('a second pull counts all records as unchanged and writes no record, history or statistics', async () => {
    const records = Array.from({ length: 300 }, (_, n) => simulatedRecord(n, { status: `s${n}` }))
    await using kit = await startWith(engine, ...records)
    assert.deepEqual(await pullCounts(kit.hub), { received: 300, ...NONE, created: 300 })
    const before = { stored: await kit.read(), stats: (await kit.hub.snapshot()).stats }
    const { pulls: _, activity, ...rows } = await kit.hub.countStoredRows()
    assert.deepEqual(await pullCounts(kit.hub), { received: 300, ...NONE, unchanged: 300 })
    const after = { stored: await kit.read(), stats: (await kit.hub.snapshot()).stats }
    assert.deepEqual(after, before)
    assert.equal(after.stats.records, 300)
    assert.equal(after.stats.received_today, 300)
    const { pulls: __, activity: lines, ...again } = await kit.hub.countStoredRows()
    assert.deepEqual(again, rows)
    assert.equal(
      Number(lines) - Number(activity),
      2,
      'only the start and the end of the pull are logged',
    )
    await kit.hub.pullOnSchedule()
    assert.equal(
      (await kit.hub.countStoredRows())['activity'],
      lines,
      'an unchanged scheduled pull is not logged',
    )
    assert.deepEqual(await kit.hub.history(before.stored[0]?.record_id ?? 0), [])
  })

  test('a changed record is updated, and its history entry names the pull', async () => {
    await using kit = await startWith(engine, simulatedRecord(1), simulatedRecord(2))
    await kit.hub.pullAll()
    const changed = { ...simulatedRecord(1, { status: 'closed' }), full_name: 'Bea' }
    kit.serve(changed, simulatedRecord(2))
    const { pull } = await kit.hub.pullAll()
    assert.deepEqual(pull.counts, { received: 2, ...NONE, updated: 1, unchanged: 1 })
    const [first] = await kit.read()
    assert.deepEqual([first?.full_name, first?.data], ['Bea', { status: 'closed' }])
    const entry = only(await kit.hub.history(first?.record_id ?? 0))
    assert.deepEqual([entry.source, entry.pull_id, entry.request_id], ['pull', pull.id, null])
    assert.deepEqual(entry.changes, [
      { path: '/full_name', before: 'Person 1', after: 'Bea' },
      { path: '/data/status', before: 'open', after: 'closed' },
    ])
  })

  test('a pull removes absent keys that the manifest names and no other keys', async () => {
    await using kit = await startWith(engine, simulatedRecord(1, { status: 'new' }))
    const data = { status: 'old', owner: 'Ann', surprise: [1] }
    await kit.hub.push(kit.key, newRecord('R-1', { data }))
    assert.deepEqual(await pullCounts(kit.hub), { received: 1, ...NONE, updated: 1 })
    assert.deepEqual(only(await kit.read()).data, { status: 'new', surprise: [1] })
    assert.deepEqual(await pullCounts(kit.hub), { received: 1, ...NONE, unchanged: 1 })
  })

  test('a pull completes a record that a PATCH created', async () => {
    await using kit = await startWith(engine, simulatedRecord(1, { status: 'open', owner: 'B' }))
    const patch = { record_type: 'cases', reference_number: 'R-1', data: { status: 'open' } }
    expectBody(await kit.hub.push(kit.key, patch, 'PATCH'), 201, PushResponse)
    assert.equal(only(await kit.read()).incomplete, true)
    await kit.hub.pullAll()
    const { incomplete, full_name, data } = only(await kit.read())
    assert.deepEqual([incomplete, full_name], [false, 'Person 1'])
    assert.deepEqual(data, { status: 'open', owner: 'B' })
  })

  for (const method of ['POST', 'PATCH'] as const) {
    test(`a pull does not overwrite a ${method} that arrives while it reads, but the next pull does`, async () => {
      await using kit = await startWith(engine, simulatedRecord(1), simulatedRecord(2))
      await kit.hub.pullAll()
      kit.serve(simulatedRecord(1, { status: 'read before the push' }), simulatedRecord(2))
      const delayed = kit.platform.delayNextResponse('records/cases')
      const pulling = pullCounts(kit.hub)
      await delayed.arrived
      const pushed = newRecord('R-1', { full_name: 'Person 1', data: { status: 'pushed' } })
      await kit.hub.push(kit.key, pushed, method)
      delayed.release()
      assert.deepEqual(await pulling, { received: 2, ...NONE, stale: 1, unchanged: 1 })
      assert.deepEqual((await kit.read())[0]?.data, { status: 'pushed' })
      kit.serve(simulatedRecord(1, { status: 'read after the push' }), simulatedRecord(2))
      assert.deepEqual(await pullCounts(kit.hub), {
        received: 2,
        ...NONE,
        updated: 1,
        unchanged: 1,
      })
      assert.deepEqual((await kit.read())[0]?.data, { status: 'read after the push' })
    })
  }

  test('a push that occurred before the last pull is stale', async () => {
    await using kit = await startWith(engine, simulatedRecord(1, { status: 'read' }))
    await kit.hub.pullAll()
    const late = newRecord('R-1', {
      occurred_at: '2026-01-01T00:00:00Z',
      data: { status: 'late' },
    })
    const response = await kit.hub.push(kit.key, late)
    assert.equal(expectBody(response, 200, PushResponse).outcome, 'stale')
    assert.deepEqual(only(await kit.read()).data, { status: 'read' })
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

  test('of two records with the same reference number, the first is stored and the second is rejected', async () => {
    const duplicates = [
      simulatedRecord(1, { status: 'first' }),
      simulatedRecord(1, { status: 'then' }),
    ]
    await using kit = await startWith(engine, ...duplicates, simulatedRecord(2))
    assert.deepEqual(await pullCounts(kit.hub), { received: 3, ...NONE, created: 2, rejected: 1 })
    assert.deepEqual((await kit.read())[0]?.data, { status: 'first' })
    const saved = only(await kit.rejected())
    assert.deepEqual([saved.code, saved.body], ['duplicate_reference', duplicates[1]])
    assert.deepEqual(await pullCounts(kit.hub), {
      received: 3,
      ...NONE,
      unchanged: 2,
      rejected: 1,
    })
    assert.equal((await kit.hub.history((await kit.read())[0]?.record_id ?? 0)).length, 0)
  })

  test('of 150 rejected records, all are counted and the first 100 are saved', async () => {
    const invalid = Array.from({ length: 150 }, (_, number) => ({ number }))
    await using kit = await startWith(engine, ...invalid, simulatedRecord(1))
    assert.deepEqual(await pullCounts(kit.hub), {
      received: 151,
      ...NONE,
      created: 1,
      rejected: 150,
    })
    const { text } = await kit.hub.get('/api/v1/rejected-pushes?limit=500')
    assert.equal(text.match(/"method":"pull"/g)?.length, 100)
  })

  test('"data": [] is stored as {}', async () => {
    await using kit = await startWith(engine, simulatedRecord(1, []))
    await kit.hub.pullAll()
    assert.deepEqual(only(await kit.read()).data, {})
    assert.deepEqual(await pullCounts(kit.hub), { received: 1, ...NONE, unchanged: 1 })
  })
})
