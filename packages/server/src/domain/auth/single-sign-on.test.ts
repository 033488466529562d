import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { rounds } from '../../../test/helpers/time/tier.ts'
import { ROLES } from './caller.ts'
import { decideAdmission, isIssuer, readIssuer } from './single-sign-on.ts'

const ISSUER = 'https://id.example.org/realms/main'
const SUFFIX = '/.well-known/openid-configuration'

/** Normalises a URL as the configuration does. */
const asConfigured = (url: string) => new URL(url).href.replace(/\/$/, '')

test('the issuer and its discovery URL are equivalent settings', () => {
  const expected = { issuer: ISSUER, discoveryUrl: `${ISSUER}${SUFFIX}` }
  for (const setting of [ISSUER, `${ISSUER}/`, `${ISSUER}${SUFFIX}`, `${ISSUER}${SUFFIX}/`]) {
    assert.deepEqual(readIssuer(asConfigured(setting)), expected, setting)
  }
})

test('different spellings of the issuer URL match', () => {
  for (const named of [
    ISSUER,
    `${ISSUER}/`,
    'HTTPS://ID.Example.org/realms/main',
    'https://id.example.org:443/realms/main',
  ]) {
    assert.ok(isIssuer(ISSUER, named), named)
  }
  for (const named of ['https://id.example.org', 'https://id.example.org/']) {
    assert.ok(isIssuer(readIssuer(asConfigured('https://id.example.org/')).issuer, named), named)
  }
})

test('any other URL does not match', () => {
  for (const named of [
    'https://id.example.org',
    'https://id.example.org/realms',
    'https://id.example.org/realms/Main',
    'https://id.example.org/realms/main2',
    `${ISSUER}//`,
    `${ISSUER}?`,
    `${ISSUER}#`,
    `${ISSUER}?x=1`,
    `${ISSUER}${SUFFIX}`,
    'http://id.example.org/realms/main',
    'https://id.example.org:8443/realms/main',
    'https://id.example.org.evil.example/realms/main',
    'https://id.example.org@evil.example/realms/main',
    'https://someone@id.example.org/realms/main',
    'https://іd.example.org/realms/main',
    'https://evil.example/?https://id.example.org/realms/main',
    'id.example.org/realms/main',
    '',
    null,
    undefined,
    [ISSUER],
    { toString: () => ISSUER },
  ]) {
    assert.ok(!isIssuer(ISSUER, named), String(named))
  }
})

test('an issuer matches its own setting and no other', () => {
  fc.assert(
    fc.property(fc.webUrl(), fc.webUrl(), (one, other) => {
      const { issuer } = readIssuer(asConfigured(one))
      assert.ok(isIssuer(issuer, one))
      assert.equal(isIssuer(issuer, other), asConfigured(other) === issuer)
    }),
    { numRuns: rounds(20, 200) },
  )
})

const policy = { invited: null, domains: ['example.org'], defaultRole: 'viewer' } as const

test('an e-mail that the provider has not verified is never admitted', () => {
  for (const email of ['ann@example.org', 'ANN@EXAMPLE.ORG', '"a@b"@example.org']) {
    for (const invited of [null, ...ROLES]) {
      const settings = { invited, domains: ['example.org'], defaultRole: 'admin' } as const
      const admission = decideAdmission({ email, emailVerified: false }, settings)
      assert.equal(admission.outcome, 'rejected')
    }
  }
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

test('an invitation assigns its role, regardless of the domain', () => {
  for (const invited of ROLES) {
    const newcomer = { email: 'eve@elsewhere.example', emailVerified: true }
    const admission = decideAdmission(newcomer, { ...policy, invited })
    assert.deepEqual(admission, { outcome: 'admitted', role: invited })
  }
})
