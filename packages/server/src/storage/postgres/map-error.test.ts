import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubError } from '../../errors.ts'
import {
  isRejectedRow,
  isTransactionConflict,
  isUnavailable,
  toStartupError,
  withMappedErrors,
} from './map-error.ts'

const withCode = (code: string) => Object.assign(new Error(`made up: ${code}`), { code })

test('errors that make the database unusable are recognised', () => {
  const unreachable = [
    'ECONNREFUSED',
    'ENOTFOUND',
    'EAI_AGAIN',
    'ETIMEDOUT',
    'EPIPE',
    '08006',
    '57P03',
  ]
  const unusable = ['28P01', '3D000', '25006', '25P03', '42501', '53300', '55P03', '58030', 'XX001']
  for (const code of [...unreachable, ...unusable]) assert.ok(isUnavailable(withCode(code)), code)
  for (const code of ['22021', '23505', '42P01', '40P01', '54000', 'FST_ERR']) {
    assert.ok(!isUnavailable(withCode(code)), code)
  }
  assert.ok(isUnavailable(new Error('Connection terminated unexpectedly')))
  assert.ok(!isUnavailable(new Error('Column record_id is no number')))
})

test('a full disk is distinguished from other errors of an unavailable database', async () => {
  const full = await withMappedErrors(Promise.reject(withCode('53100'))).catch((error) => error)
  assert.ok(full instanceof HubError)
  assert.deepEqual([full.code, full.status, full.retryAfterSeconds], ['disk_full', 503, 5])
})

test('rejected rows are distinguished from conflicts with other transactions', () => {
  for (const code of ['22021', '22P02', '23514', '54000']) assert.ok(isRejectedRow(withCode(code)))
  for (const code of ['40001', '40P01']) {
    assert.ok(isTransactionConflict(withCode(code)))
    assert.ok(!isRejectedRow(withCode(code)))
  }
})

test('a missing permission is explained at startup, and later errors do not reveal it', async () => {
  const denied = withCode('42501')
  const later = await withMappedErrors(Promise.reject(denied)).catch((error: unknown) => error)
  assert.ok(later instanceof HubError)
  assert.equal(later.code, 'storage_unavailable')
  assert.doesNotMatch(later.message, /made up/)
  const atStart = toStartupError(later)
  assert.ok(atStart instanceof HubError)
  assert.equal(atStart.code, 'database_rejected')
  assert.match(atStart.message, /owner of the database/)
})
