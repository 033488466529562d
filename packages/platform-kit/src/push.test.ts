import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftChanges, draftNewRecord, finishPush } from './push.ts'

const NAMES = { record_type: 'employee', reference_number: 'E-1' }
const RECORD = { ...NAMES, module_name: 'Employees', full_name: 'Ann', data: { job: 'cook' } }
const AT = '2026-11-21T07:30:00.000Z'

test('a push contains the members of the specification and its time', () => {
  const more = Object.assign({ platform_name: 'not said', id: 1 }, RECORD)
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

test('a push keeps the data as it was when the push was created', () => {
  const data = { job: 'cook' }
  const draft = draftChanges(NAMES, { data })
  data.job = 'smith'
  assert.equal(JSON.parse(finishPush(draft, AT).body).data.job, 'cook')
})

test('values that the hub would reject or JSON cannot represent are reported', () => {
  const refuse = (over: object, words: RegExp) =>
    assert.throws(() => draftNewRecord(Object.assign({}, RECORD, over)), words)
  refuse({ reference_number: 'a\u0000b' }, /reference_number holds a null character/)
  refuse({ reference_number: '\ud83d' }, /reference_number holds .*surrogate/)
  refuse({ full_name: '\udc00' }, /full_name holds/)
  refuse({ reference_number: '' }, /reference_number is empty/)
  refuse({ reference_number: 7 }, /reference_number is no text/)
  refuse({ record_type: undefined }, /record_type is no text/)
  refuse({ full_name: null }, /full_name is no text/)
  refuse({ module_name: undefined }, /module_name is no text/)
  refuse({ reference_number: 'ü'.repeat(257) }, /longer than 512 bytes/)
  refuse({ data: { a: 1n } }, /push of employee "E-1" cannot be sent: data\.a is a BigInt/)
  refuse({ data: undefined }, /data is no object/)
  assert.ok(draftNewRecord({ ...RECORD, reference_number: 'ü'.repeat(256), full_name: '' }))
})
