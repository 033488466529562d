import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRedactor, secretsInUrl } from './secrets.ts'

test('a secret is masked wherever it occurs', () => {
  const hide = createRedactor(['the secret', 'the secret key'])
  assert.equal(hide('the secret key, and the secret.'), '***, and ***.')
})

test('a short password is masked in addresses and leaves other text unchanged', () => {
  for (const address of ['mysql://a:a@host/a', 'postgres://host/a?password=a']) {
    const hide = createRedactor(secretsInUrl(address))
    assert.equal(hide('mysql://a:a@host/a failed'), 'mysql://a:***@host/a failed')
    assert.equal(hide('no database "a" at ?password=a'), 'no database "a" at ?password=***')
    assert.equal(hide('platform.yaml: a table has data'), 'platform.yaml: a table has data')
  }
})
