/** Creates operators, signs them in, and sends their requests. */
import assert from 'node:assert/strict'
import type { Role } from '../../../src/domain/auth/caller.ts'
import { cookieOf, type Session } from './actions.ts'
import { EMAIL, PASSWORD, type TestHub } from './hub.ts'
import { tokenOfLink } from './link-token.ts'
import { expectObject, type TestResponse } from './response.ts'

export function sendSignIn(
  hub: TestHub,
  email: string,
  password = PASSWORD,
  headers: Record<string, string> = {},
): Promise<TestResponse> {
  const body = { email, password }
  return hub.send({ method: 'POST', url: '/api/auth/sign-in/email', headers, body })
}

/** The session of a completed sign-in. */
export async function sessionOf(hub: TestHub, signedIn: TestResponse): Promise<Session> {
  assert.ok(signedIn.status === 200 || signedIn.status === 302, signedIn.text)
  const cookie = cookieOf(signedIn)
  const response = await hub.send({ url: '/api/v1/session', headers: { cookie } })
  const csrf = String(expectObject(response, 200)['csrf_token'])
  return {
    cookie,
    csrf,
    headers: { cookie, 'x-csrf-token': csrf, acceptInvitation: 'application/json' },
  }
}

export async function signInAs(hub: TestHub, email = EMAIL, password = PASSWORD) {
  return sessionOf(hub, await sendSignIn(hub, email, password))
}

/** Creates an invitation with the token of an admin. @returns the token of its link. */
export async function invite(hub: TestHub, email: string, role: Role): Promise<string> {
  const response = await hub.send({
    method: 'POST',
    url: '/api/v1/invitations',
    headers: { authorization: hub.authorization('admin') },
    body: { email, role },
  })
  const { link } = expectObject(response, 201)
  return tokenOfLink(String(link))
}

/** Reads the invitation with this token. */
export function readInvitation(hub: TestHub, token: string): Promise<TestResponse> {
  return hub.send({ method: 'POST', url: '/api/v1/invitation', body: { token } })
}

export function accept(hub: TestHub, token: string, overrides: object = {}): Promise<TestResponse> {
  const body = { token, name: 'Bob', password: PASSWORD, ...overrides }
  return hub.send({ method: 'POST', url: '/invitation', body })
}

/** Creates an operator by an invitation. @returns the id of the operator. */
export async function addOperator(hub: TestHub, email: string, role: Role): Promise<string> {
  const accepted = await accept(hub, await invite(hub, email, role))
  assert.equal(accepted.status, 201, accepted.text)
  const { storage } = hub
  const found = (await storage.operators.listOperators()).find((one) => one.email === email)
  assert.ok(found)
  return found.id
}

let operatorCount = 0

export type CreatedOperator = { id: string; email: string }

/** Creates an operator for one test, with the password {@link PASSWORD}. */
export async function createOperator(
  hub: TestHub,
  { role = 'admin' }: { role?: Role } = {},
): Promise<CreatedOperator> {
  operatorCount += 1
  const email = `${role}-${operatorCount}@example.org`
  return { id: await addOperator(hub, email, role), email }
}

/** Sends a request of a signed-in operator. */
export function callAs(
  hub: TestHub,
  session: Pick<Session, 'headers'>,
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  url: string,
  body?: object,
): Promise<TestResponse> {
  const { headers } = session
  return hub.send({ method, url, headers, ...(body === undefined ? {} : { body }) })
}

export async function auditOf(hub: TestHub, query = ''): Promise<Record<string, unknown>[]> {
  const { audit } = expectObject(await hub.get(`/api/v1/audit?limit=500${query}`), 200)
  assert.ok(Array.isArray(audit))
  return audit.map((entry) => Object(entry))
}

export async function auditActionsOf(hub: TestHub): Promise<string[]> {
  return (await auditOf(hub)).map((entry) => String(entry['action']))
}
