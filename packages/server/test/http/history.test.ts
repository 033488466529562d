/** A record as of an earlier time, and the write that set each of its values. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import Type from 'typebox'
import { readFieldProvenance } from '../../src/features/records/read-history.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectMembers, expectObject } from '../helpers/hub/response.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { rounds } from '../helpers/time/tier.ts'

const START = '2026-03-10T08:00:00.000Z'
const RecordId = Type.Object({ record_id: Type.Integer() })
const at = (second: number) => new Date(Date.parse(START) + second * 1000).toISOString()

const clock = new TestClock()

describeHub('record history', { clock }, (hub) => {
  let key = ''
  let count = 0
  before(async () => {
    key = (await hub.registerPushing()).hub_api_key
  })

  /** Pushes at this number of seconds after the start. @returns the record's id. */
  async function pushAt(second: number, body: unknown, method: 'POST' | 'PATCH' = 'POST') {
    clock.set(at(second))
    const response = await hub.push(key, body, method)
    assert.ok(response.status < 300, response.text)
    return expectBody(response, response.status, RecordId).record_id
  }
  const asOf = (id: number, moment: string) =>
    hub.get(`/api/v1/records/${id}?as_of=${encodeURIComponent(moment)}`)
  const readFields = (record_id: number) =>
    hub.call('GET /api/v1/records/:record_id/fields', { params: { record_id } })
  const rawRecord = (reference: string, data: string, name = 'Ann') =>
    `{"module_name":"m","record_type":"cases","reference_number":"${reference}","full_name":"${name}","data":${data}}`

  test('a record as of each change has the values of that change, with all digits', async () => {
    const id = await pushAt(0, rawRecord('A-1', '{"n":9007199254740993,"p":1.10,"a/b":[1.0]}'))
    await pushAt(10, rawRecord('A-1', '{"n":9007199254740992,"p":1.1,"new":-0}', 'Bob'))
    await pushAt(20, rawRecord('A-1', '{}', 'Bob'))
    const readAsOf = async (moment: string) => {
      const { text } = await asOf(id, moment)
      const { record, as_of } = Object(parseLossless(text))
      assert.ok(typeof as_of === 'string')
      return [record.full_name, JSON.stringify(record.data, Object.keys(record.data).sort())]
    }
    const first = ['Ann', '{"a/b":[1.0],"n":9007199254740993,"p":1.10}']
    const second = ['Bob', '{"n":9007199254740992,"new":-0,"p":1.1}']
    assert.deepEqual(await readAsOf(at(0)), first)
    assert.deepEqual(await readAsOf(at(9.999)), first)
    assert.deepEqual(await readAsOf(at(10)), second)
    assert.deepEqual(await readAsOf(at(19)), second)
    assert.deepEqual(await readAsOf(at(20)), ['Bob', '{}'])
    assert.deepEqual(await readAsOf('2999-01-01T00:00:00Z'), ['Bob', '{}'])
    // The same time in another time zone.
    assert.deepEqual(await readAsOf('2026-03-10T10:00:10+02:00'), second)
  })

  test('the response has the record with its times, and the requested time', async () => {
    const id = await pushAt(100, newRecord('A-2', { data: { a: 1 } }))
    await pushAt(110, newRecord('A-2', { data: { a: 2 } }))
    await pushAt(120, newRecord('A-2', { data: { a: 3 } }))
    const now = expectObject(await hub.get(`/api/v1/records/${id}`), 200)
    expectMembers(now, ['success', 'record'])
    const past = expectObject(await asOf(id, at(115)), 200)
    expectMembers(past, ['success', 'record', 'as_of'])
    assert.equal(past['as_of'], at(115))
    assert.deepEqual(past['record'], {
      ...Object(now['record']),
      data: { a: 2 },
      updated_at: at(110),
    })
    assert.equal(Object(expectObject(await asOf(id, at(105)), 200)['record']).updated_at, at(100))
  })

  test('a change number identifies the version of one of several changes with one time', async () => {
    const id = await pushAt(150, newRecord('A-6', { data: { a: 1 } }))
    for (const a of [2, 3, 4]) await pushAt(160, newRecord('A-6', { data: { a } }))
    const url = `/api/v1/records/${id}`
    const history = await hub.history(id)
    const read = (query: string) => hub.get(`${url}?${query}`)
    for (const { change_seq, changes } of history) {
      const { record } = expectObject(await read(`change_seq=${change_seq}`), 200)
      assert.deepEqual(Object(record).data, { a: changes[0]?.after })
      assert.equal(Object(record).updated_at, at(160))
    }
    assert.equal(new Set(history.map(({ change_seq }) => change_seq)).size, 3)
    expectError(await read('change_seq=1'), 404, 'not_found')
    const both = await read(`change_seq=1&as_of=${at(160)}`)
    expectError(both, 400, 'invalid_request')
  })

  test('the incomplete flag and the name are returned as of that time too', async () => {
    const patch = { record_type: 'cases', reference_number: 'A-3', data: { a: 1 } }
    const id = await pushAt(200, patch, 'PATCH')
    await pushAt(210, newRecord('A-3', { data: { a: 1 } }))
    const past = Object(expectObject(await asOf(id, at(205)), 200)['record'])
    assert.deepEqual([past.incomplete, past.full_name], [true, ''])
    const now = Object(expectObject(await asOf(id, at(210)), 200)['record'])
    assert.deepEqual([now.incomplete, now.full_name], [false, 'Ann Example'])
  })

  test('a time before the creation returns 404, and an invalid time returns 400', async () => {
    const id = await pushAt(300, newRecord('A-4'))
    expectError(await asOf(id, at(299)), 404, 'not_found')
    expectError(await asOf(999_999, at(300)), 404, 'not_found')
    for (const wrong of ['', 'yesterday', '2026-02-30T00:00:00Z', '2026-03-10', '0']) {
      const error = expectError(await asOf(id, wrong), 400, 'invalid_request')
      assert.ok(error.errors?.['as_of'])
    }
  })

  test('a record as of any time equals the result of replaying the pushes up to that time', async () => {
    const value = fc.constantFrom('1', '1.10', '9007199254740993', '"x"', 'null', '{"z":[]}')
    const data = fc.dictionary(fc.constantFrom('a', 'b', 'c/~'), value, { maxKeys: 3 })
    const one = fc.record({
      method: fc.constantFrom('POST' as const, 'PATCH' as const),
      data,
      // Some pushes arrive in the same millisecond.
      wait: fc.nat(2),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 8 }), async (pushes) => {
        count += 1
        const expected = new Map<number, Record<string, string>>()
        let second = 1000
        let state: Record<string, string> = {}
        let id = 0
        for (const { method, data: members, wait } of pushes) {
          second += wait
          const text = Object.entries(members).map(([k, v]) => `${JSON.stringify(k)}:${v}`)
          id = await pushAt(second, rawRecord(`P-${count}`, `{${text.join(',')}}`), method)
          state = method === 'POST' ? members : { ...state, ...members }
          expected.set(second, state)
        }
        for (const [moment, members] of expected) {
          const { record } = Object(parseLossless((await asOf(id, at(moment))).text))
          const actual = Object.entries(record.data).map(([k, v]) => [k, JSON.stringify(v)])
          assert.deepEqual(Object.fromEntries(actual), { ...members })
        }
      }),
      { numRuns: rounds(8, 40) },
    )
  })

  test('a history longer than one batch is undone to its beginning', async () => {
    const id = await pushAt(2000, newRecord('L-1', { data: { n: 0 } }))
    clock.set(at(2001))
    await Promise.all(
      Array.from({ length: 620 }, (_, n) =>
        hub.push(key, newRecord('L-1', { data: { n: n + 1 } })),
      ),
    )
    const { record } = Object(expectObject(await asOf(id, at(2000)), 200))
    assert.deepEqual(record.data, { n: 0 })
  })

  test('each value names the write that set it', async () => {
    const id = await pushAt(3000, newRecord('F-1', { data: { a: 1, b: 1, 'c/~': 1 } }))
    clock.set(at(3010))
    const second = await hub.push(key, newRecord('F-1', { data: { a: 2, b: 1, 'c/~': 1 } }))
    clock.set(at(3020))
    const patch = { record_type: 'cases', reference_number: 'F-1', data: { b: 2, d: null } }
    const third = await hub.push(key, patch, 'PATCH')
    const { fields } = await readFields(id)
    const nothing = { pull_id: null, revert_id: null }
    const creation = { ...nothing, written_at: at(3000), source: 'creation', request_id: null }
    const writtenBy = (source: string, seconds: number, request_id: string) => ({
      ...nothing,
      written_at: at(seconds),
      source,
      request_id,
    })
    assert.deepEqual(fields, [
      { path: '/full_name', value: 'Ann Example', ...creation },
      { path: '/data/a', value: 2, ...writtenBy('POST', 3010, second.header('x-request-id')) },
      { path: '/data/b', value: 2, ...writtenBy('PATCH', 3020, third.header('x-request-id')) },
      { path: '/data/c~1~0', value: 1, ...creation },
      { path: '/data/d', value: null, ...writtenBy('PATCH', 3020, third.header('x-request-id')) },
    ])
    expectError(await hub.get('/api/v1/records/999999/fields'), 404, 'not_found')
  })

  test('a record, its origins and its history are of one version, whatever is written between the reads', async () => {
    const change = async (n: number) => hub.push(key, newRecord('V-1', { data: { a: n } }))
    const id = await pushAt(3500, newRecord('V-1', { data: { a: 0 } }))
    const second = await change(1)
    const { storage } = hub
    const records = {
      ...storage.records,
      readRecord: async (recordId: number) => {
        const row = await storage.records.readRecord(recordId)
        await change(2)
        return row
      },
    }
    const read = await readFieldProvenance({ records, retention: storage.retention }, id)
    const request_id = second.header('x-request-id')
    const origin = read.fields.find(({ path }) => path === '/data/a')
    assert.deepEqual(
      [read.record.data, origin?.value, origin?.request_id],
      [{ a: 1 }, 1, request_id],
    )
    const { history } = await hub.call('GET /api/v1/records/:record_id/history', {
      ...{ params: { record_id: id }, query: { change_seq: read.change_seq } },
    })
    assert.deepEqual([history[0]?.request_id, history.length], [request_id, 1])
    assert.equal((await hub.history(id)).length, 2)
    const { record, change_seq } = await readFields(id)
    assert.deepEqual([record.data, change_seq > read.change_seq], [{ a: 2 }, true])
  })

  test('the history of an anonymised record returns 410 instead of invented values', async () => {
    const id = await pushAt(5000, newRecord('E-1', { data: { a: 1 } }))
    await pushAt(5010, newRecord('E-1', { data: { a: 2 } }))
    clock.set(at(5020))
    await hub.call('POST /api/v1/records/:record_id/erase', {
      ...{ params: { record_id: id }, body: { mode: 'anonymise' } },
    })
    for (const second of [5000, 5010, 5019]) {
      expectError(await asOf(id, at(second)), 410, 'history_not_stored')
    }
    assert.equal((await asOf(id, at(5020))).status, 200)
    expectError(await asOf(id, at(4999)), 404, 'not_found')
    const [origin] = (await readFields(id)).fields
    assert.deepEqual([origin?.written_at, origin?.source], [null, null])
  })

  test('history deleted by retention returns 410, and its field origins are null', async () => {
    const id = await pushAt(4000, newRecord('R-1', { data: { a: 1, b: 1 } }))
    await pushAt(4010, newRecord('R-1', { data: { a: 2, b: 1 } }))
    await pushAt(4020, newRecord('R-1', { data: { a: 3, b: 1 } }))
    const unchangedId = await pushAt(4000, newRecord('R-2', { data: { a: 1 } }))
    clock.set(at(4030))
    const { storage } = hub
    await runSql(storage, `DELETE FROM record_history WHERE at < '${at(4015)}'`)
    await runSql(storage, `INSERT INTO retention VALUES ('history', '${at(4015)}')`)
    const error = expectError(await asOf(id, at(4014)), 410, 'history_not_stored')
    assert.ok(error.message.includes(at(4015)))
    const { record } = Object(expectObject(await asOf(id, at(4015)), 200))
    assert.deepEqual([record.data, record.updated_at], [{ a: 2, b: 1 }, null])
    // This record has not changed since, so none of its history can have been deleted.
    assert.equal((await asOf(unchangedId, at(4001))).status, 200)
    const { fields: origins } = await readFields(id)
    assert.deepEqual(
      origins.map(({ path, source, written_at }) => [path, source, written_at]),
      [
        ['/full_name', null, null],
        ['/data/a', 'POST', at(4020)],
        ['/data/b', null, null],
      ],
    )
    const sources = (await readFields(unchangedId)).fields.map((field) => field.source)
    assert.deepEqual(new Set(sources), new Set(['creation']))
    await runSql(storage, 'DELETE FROM retention')
  })
})
