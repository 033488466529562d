import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { ROLES } from './caller.ts'
import { decideAdmission } from './operator.ts'

const policy = { invited: null, domains: ['example.org'], defaultRole: 'viewer' } as const

test('an e-mail that the provider has not verified is never admitted', () => {
  fc.assert(
    fc.property(fc.emailAddress(), fc.constantFrom(null, ...ROLES), (email, invited) => {
      const domains = [email.split('@')[1] ?? '']
      const admission = decideAdmission(
        { email, emailVerified: false },
        { invited, domains, defaultRole: 'admin' },
      )
      assert.equal(admission.outcome, 'rejected')
    }),
  )
})

test('the domain is everything after the last @', () => {
  const admit = (email: string) => decideAdmission({ email, emailVerified: true }, policy).outcome
  for (const email of ['ann@example.org', 'ann@EXAMPLE.org', '"a@evil.example"@example.org']) {
    assert.equal(admit(email), 'admitted', email)
  }
  for (const email of [
    'ann@evil.example',
    'ann@sub.example.org',
    'ann@notexample.org',
    'ann@example.org.evil.example',
    '"ann@example.org"@evil.example',
    'example.org',
    '@example.org',
    '',
  ]) {
    assert.equal(admit(email), 'rejected', email)
  }
})

test('an invitation gives its own role, whatever the domain', () => {
  for (const invited of ROLES) {
    const newcomer = { email: 'eve@elsewhere.example', emailVerified: true }
    const admission = decideAdmission(newcomer, { ...policy, invited })
    assert.deepEqual(admission, { outcome: 'admitted', role: invited })
  }
})
