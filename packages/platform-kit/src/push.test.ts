import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftChanges, draftNewRecord, finishPush } from './push.ts'

const NAMES = { record_type: 'employee', reference_number: 'E-1' }
const RECORD = { ...NAMES, module_name: 'Employees', full_name: 'Ann', data: { job: 'cook' } }
const AT = '2026-11-21T07:30:00.000Z'

test('a push contains the members of the specification and its time', () => {
  const more = Object.assign({ platform_name: 'ignored', id: 1 }, RECORD)
  assert.deepEqual(JSON.parse(finishPush(draftNewRecord(more), AT).body), {
    ...RECORD,
    occurred_at: AT,
  })
  const changes = Object.assign({ record_type: 'other' }, { data: { job: null } })
  assert.deepEqual(JSON.parse(finishPush(draftChanges(NAMES, changes), AT).body), {
    ...NAMES,
    data: { job: null },
    occurred_at: AT,
  })
  const named = finishPush(draftChanges(NAMES, { full_name: 'Ann B.', data: {} }), AT)
  assert.equal(JSON.parse(named.body).full_name, 'Ann B.')
  assert.equal(named.method, 'PATCH')
})

test('a push contains the data at the time when it was created', () => {
  const data = { job: 'cook' }
  const draft = draftChanges(NAMES, { data })
  data.job = 'smith'
  assert.equal(JSON.parse(finishPush(draft, AT).body).data.job, 'cook')
})

test('values that the hub would reject or JSON cannot represent are reported', () => {
  const reject = (over: object, message: RegExp) =>
    assert.throws(() => draftNewRecord(Object.assign({}, RECORD, over)), message)
  reject({ reference_number: 'a\u0000b' }, /reference_number contains a null character/)
  reject({ reference_number: '\ud83d' }, /reference_number contains .*surrogate/)
  reject({ full_name: '\udc00' }, /full_name contains/)
  reject({ reference_number: '' }, /reference_number is empty/)
  reject({ reference_number: 7 }, /reference_number is not a string/)
  reject({ record_type: undefined }, /record_type is not a string/)
  reject({ full_name: null }, /full_name is not a string/)
  reject({ module_name: undefined }, /module_name is not a string/)
  reject({ reference_number: 'ü'.repeat(257) }, /longer than 512 bytes/)
  reject({ data: { a: 1n } }, /push of employee "E-1" cannot be sent: data\.a is a BigInt/)
  reject({ data: undefined }, /data is not an object/)
  assert.ok(draftNewRecord({ ...RECORD, reference_number: 'ü'.repeat(256), full_name: '' }))
})
