import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCESS, type Access } from './access.ts'

/** The routes of a kind of caller whose key does not match. */
function findOthers(access: Access, expected: RegExp): string[] {
  const routes = Object.keys(ACCESS).filter((route) => ACCESS[route] === access)
  assert.ok(routes.length > 0)
  return routes.filter((route) => !expected.test(route))
}

test('anyone may only read pages, sign in, set up the hub, accept an invitation and get the status of auto-sync', () => {
  const pages = '/|/(?:healthz|readyz|assets/\\*|downloads/\\*|docs.*|api/openapi.json)'
  const entrances = '/(?:sign-in|setup|invitation)|/api/v1/sign-in-options'
  const signIn = '/api/auth/(?!sign-out).*|/setup.*|/invitation|/api/v1/invitation'
  const expected = new RegExp(
    `^(?:GET (?:${pages}|${entrances}|/api/auth/(?:passkey|callback)/.*)` +
      `|POST (?:${signIn}|/dashboard/auto-sync))$`,
  )
  assert.deepEqual(findOthers('anyone', expected), [])
})

test('a viewer may read, and change only what is his own: account, tokens and saved views', () => {
  const own = /^(?:GET |\w+ \/api\/(?:auth\/sign-out$|v1\/(?:account|tokens|views)\b))/
  assert.deepEqual(findOthers('viewer', own), [])
})

test('only an admin may manage operators, erase records, read the audit log and handle backups', () => {
  const administration =
    /\/api\/v1\/(?:operators(?!\/names)|invitations|single-sign-on|audit|tombstones|backups|alerts\/test-mail)|\/eras/
  const routes = Object.entries(ACCESS).filter(([route]) => administration.test(route))
  assert.ok(routes.length > 0)
  assert.deepEqual(
    routes.filter(([, access]) => access !== 'admin'),
    [],
  )
})
