/** Methods of a test hub: its operators, their sign-ins and requests, alerts, and what is stored. */
import assert from 'node:assert/strict'
import { type Alert, AlertPage, type Snapshot } from '@recordhub/protocol'
import type { Role } from '../../../src/domain/auth/caller.ts'
import {
  cookieOf,
  createOperator,
  type Operator,
  readSession,
  type Session,
  withHeaders,
} from '../operator.ts'
import { countRows, runSql } from '../storage/sql.ts'
import { until, untilTrue } from '../time/until.ts'
import { createCalls } from './call.ts'
import type { HubCore } from './hub.ts'
import { tokenOfLink } from './link-token.ts'
import { expectBody, expectObject, type TestResponse } from './response.ts'

export const PASSWORD = 'correct horse battery staple'
export const EMAIL = 'ann@example.org'

export type CreatedOperator = { id: string; email: string }

let operatorCount = 0

export type OperatorRequests = ReturnType<typeof createOperatorRequests>

export function createOperatorRequests(hub: HubCore, operator: Operator) {
  const { call, callAs } = createCalls(hub)

  function sendSignIn(
    email: string,
    password = PASSWORD,
    headers: Record<string, string> = {},
  ): Promise<TestResponse> {
    const body = { email, password }
    return hub.send({ method: 'POST', url: '/api/auth/sign-in/email', headers, body })
  }

  /** The session of a completed sign-in. */
  async function sessionOf(signedIn: TestResponse): Promise<Session> {
    assert.ok(signedIn.status === 200 || signedIn.status === 302, signedIn.text)
    return readSession(hub.send, cookieOf(signedIn))
  }

  async function signIn(email = EMAIL, password = PASSWORD): Promise<Session> {
    return sessionOf(await sendSignIn(email, password))
  }

  /** Creates an invitation with a token. @returns the token of its link. */
  async function invite(email: string, role: Role): Promise<string> {
    const request = { as: 'access', body: { email, role } } as const
    return tokenOfLink((await call('POST /api/v1/invitations', request)).link)
  }

  function acceptInvitation(token: string, overrides: object = {}): Promise<TestResponse> {
    const body = { token, name: 'Bob', password: PASSWORD, ...overrides }
    return hub.send({ method: 'POST', url: '/invitation', body })
  }

  /** Creates an operator by an invitation. @returns the id of the operator. */
  async function addOperator(email: string, role: Role): Promise<string> {
    const accepted = await acceptInvitation(await invite(email, role))
    assert.equal(accepted.status, 201, accepted.text)
    const operators = await hub.storage.operators.listOperators()
    const found = operators.find((one) => one.email === email)
    assert.ok(found)
    return found.id
  }

  async function audit(query = ''): Promise<Record<string, unknown>[]> {
    const page = expectObject(await hub.get(`/api/v1/audit?limit=500${query}`), 200)
    assert.ok(Array.isArray(page['audit']))
    return page['audit'].map((entry) => Object(entry))
  }

  async function alerts(query = ''): Promise<Alert[]> {
    return expectBody(await hub.get(`/api/v1/alerts?limit=500${query}`), 200, AlertPage).alerts
  }

  return {
    call,
    callAs,
    sendSignIn,
    sessionOf,
    signIn,
    invite,
    acceptInvitation,
    addOperator,
    audit,
    alerts,
    /** Reads the invitation with this token. */
    readInvitation: (token: string) =>
      hub.send({ method: 'POST', url: '/api/v1/invitation', body: { token } }),
    /** The snapshot of the page, which accepts only sessions. */
    async snapshot(): Promise<Snapshot> {
      const { headers } = await signIn()
      return createOperator(withHeaders(hub.send, () => headers)).snapshot()
    },
    /** Creates an operator for one test, with the password {@link PASSWORD}. */
    async createOperator({ role = 'admin' }: { role?: Role } = {}): Promise<CreatedOperator> {
      operatorCount += 1
      const email = `${role}-${operatorCount}@example.org`
      return { id: await addOperator(email, role), email }
    },
    /** Waits until all changed records are in the search index. */
    untilIndexed: () =>
      untilTrue(
        'the index has caught up',
        async () => (await hub.storage.searchIndex.readSearchIndex()).lag === 0,
      ),
    async auditActions(): Promise<string[]> {
      return (await audit()).map((entry) => String(entry['action']))
    },
    /** Waits for this number of open alerts of a kind, and returns them. */
    untilAlertsOpen(kind: Alert['kind'], count = 1): Promise<Alert[]> {
      return until(async () => {
        const open = (await alerts('&state=open')).filter((alert) => alert.kind === kind)
        return open.length === count ? open : null
      }, `${count} alerts ${kind} are open`)
    },
    /** The kinds of the activity entries about alerts, oldest first. */
    async alertActivityKinds(): Promise<string[]> {
      const entries = await operator.activity()
      const kinds = entries.map(({ kind }) => kind).filter((kind) => kind.startsWith('alert.'))
      return kinds.reverse()
    },
    /** Sets the number of consecutive failed pulls of all platforms; 0 makes them healthy. */
    async setPullFailures(pulls: number): Promise<void> {
      const since = pulls === 0 ? 'NULL' : "'2026-01-01T08:00:00.000Z'"
      const error = pulls === 0 ? 'NULL' : "'The platform cannot be reached.'"
      await runSql(
        hub.storage,
        `UPDATE platforms SET failures_in_row = ${pulls}, failing_since = ${since}, last_error = ${error}`,
      )
    },
    sql: (statement: string) => runSql(hub.storage, statement),
    countRows: (table: string) => countRows(hub.storage, table),
    /** The number of rows in each table, and the counters, to compare before and after a request. */
    async countStoredRows(): Promise<Record<string, unknown>> {
      const rows: Record<string, unknown> = {}
      for (const table of ['records', 'record_history', 'rejected_pushes', 'activity', 'pulls']) {
        rows[table] = await countRows(hub.storage, table)
      }
      const counters = await runSql(
        hub.storage,
        'SELECT * FROM hourly_counters ORDER BY platform_id',
      )
      return { ...rows, counters }
    },
  }
}
