import assert from 'node:assert/strict'
import { test } from 'node:test'
import { adviceFor, noResponseLabel, referenceOf, responseSent } from './advice.ts'

test('every rejection code has advice, including unknown codes', () => {
  assert.match(adviceFor({ code: 'module_not_registered' }), /Register the module/)
  assert.notEqual(adviceFor({ code: 'something_new' }), '')
})

test('a rejected push shows the response sent, a pulled record has none', () => {
  const rejected = {
    ...{ code: 'invalid_record', message: 'No.', request_id: 'r-1' },
    errors: { data: ['is required'] },
  }
  assert.deepEqual(JSON.parse(responseSent({ ...rejected, method: 'POST' }) ?? ''), {
    success: false,
    ...rejected,
  })
  const withoutErrors = responseSent({ ...rejected, errors: {}, method: 'PATCH' })
  assert.ok(!withoutErrors?.includes('errors'))
  assert.equal(responseSent({ ...rejected, method: 'pull' }), null)
  assert.match(noResponseLabel({ method: 'pull' }), /in a pull/)
  assert.equal(responseSent({ ...rejected, code: 'held', method: 'PATCH' }), null)
  assert.match(noResponseLabel({ method: 'PATCH' }), /accepted/)
})

test('the reference number is shown if the body has one, whatever the body is', () => {
  assert.equal(referenceOf({ reference_number: 'R-1' }), 'R-1')
  assert.equal(referenceOf({ reference_number: 7 }), '7')
  for (const body of [
    null,
    5,
    'text',
    [],
    {},
    { reference_number: [7] },
    { reference_number: '' },
  ]) {
    assert.equal(referenceOf(body), '—')
  }
})
