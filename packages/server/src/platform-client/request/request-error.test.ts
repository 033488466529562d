import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubError } from '../../errors.ts'
import { withRedactedKey } from './error-message.ts'
import { toBodyError, toRequestError } from './request-error.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

/** Network errors, their codes, and whether they concern the whole platform. */
const NETWORK_ERRORS: readonly (readonly [string, string, boolean])[] = [
  ['ENOTFOUND', 'platform_unreachable', true],
  ['EAI_AGAIN', 'platform_unreachable', true],
  ['ECONNREFUSED', 'platform_unreachable', true],
  ['EHOSTUNREACH', 'platform_unreachable', true],
  ['UND_ERR_CONNECT_TIMEOUT', 'platform_unreachable', true],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'platform_unreachable', true],
  ['ECONNRESET', 'platform_unreachable', false],
  ['UND_ERR_SOCKET', 'platform_unreachable', false],
  ['HPE_INVALID_CONSTANT', 'platform_unreachable', false],
  ['CERT_HAS_EXPIRED', 'platform_certificate_invalid', true],
  ['UND_ERR_HEADERS_TIMEOUT', 'platform_timed_out', true],
  ['ETIMEDOUT', 'platform_timed_out', true],
]

test('each network error has its code, and some concern the whole platform', () => {
  for (const [network, code, expected] of NETWORK_ERRORS) {
    const error = toRequestError(withCode(network))
    assert.deepEqual([error.code, error.concernsPlatform], [code, expected], network)
  }
})

test('a response that is cut off does not concern the whole platform', () => {
  assert.equal(toBodyError(withCode('ECONNRESET'), '/records/a').concernsPlatform, false)
})

test('an error whose message quoted the source key still concerns the whole platform', async () => {
  const key = 'source-key-0123456789'
  const quoting = HubError.withMessage('platform_rejected_key', `Not ${key}`, {
    concernsPlatform: true,
  })
  await assert.rejects(
    withRedactedKey(key, () => Promise.reject(quoting)),
    (error) => error instanceof HubError && error.concernsPlatform && !error.message.includes(key),
  )
})
