/** HTTP scenarios as table rows: a request, the expected response, stored rows, and texts that must be absent. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HubRequest, TestHub } from './hub.ts'
import { expectAbsent, expectError, expectObject } from './response.ts'

export type Scenario = {
  name: string
  request: HubRequest
  /** The role or scope of the token in the request; null for none. `admin` by default. */
  role?: Parameters<TestHub['authorization']>[0] | null
  status: number
  /** The code of the expected error. Without a code, the scenario expects a JSON object. */
  code?: string
  /** The members that the error lists as invalid. */
  errors?: readonly string[]
  /** Members of the expected JSON object, which may have more. */
  body?: Record<string, unknown>
  /** The number of rows that the request adds to each table; by default none. */
  stored?: Partial<Record<string, number>>
  /** Texts that the response must not contain. */
  absent?: readonly string[]
}

/** Registers one test per row. */
export function testScenarios(hub: TestHub, scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) {
    test(`${scenario.name} returns ${scenario.status}`, () => runScenario(hub, scenario))
  }
}

/** Sends the request of a row and checks all of its expectations. */
async function runScenario(hub: TestHub, scenario: Scenario): Promise<void> {
  const { name, request, role = 'admin', status, code, stored = {}, absent = [] } = scenario
  const before = await hub.countStoredRows()
  const authorization = role === null ? {} : { authorization: hub.authorization(role) }
  const response = await hub.send({
    ...request,
    headers: { ...authorization, ...request.headers },
  })
  if (code === undefined) {
    assert.partialDeepStrictEqual(expectObject(response, status), scenario.body ?? {}, name)
  } else {
    const { errors = {} } = expectError(response, status, code)
    if (scenario.errors) assert.deepEqual(Object.keys(errors), scenario.errors, name)
  }
  expectAbsent(absent, [response.text])
  const expected = Object.entries(stored).map(([table, rows]) => [
    table,
    Number(before[table]) + Number(rows),
  ])
  assert.deepEqual(
    await hub.countStoredRows(),
    { ...before, ...Object.fromEntries(expected) },
    name,
  )
}
