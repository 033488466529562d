import assert from 'node:assert/strict'
import type { Operator } from '../helpers/process/operator.ts'
import { until } from '../helpers/time/until.ts'

/** Asserts that the process of a hub runs, and that it rejects requests that need the database. */
export async function assertUnavailable(operator: Operator, address: string): Promise<void> {
  await until(async () => {
    const { status, headers } = await fetch(`${address}/readyz`)
    return status === 503 && headers.has('Retry-After') ? true : null
  }, 'the hub is not ready')
  assert.equal((await fetch(`${address}/healthz`)).status, 200, 'the process is running')
  for (const [method, path] of [
    ['GET', '/api/v1/platforms'],
    ['GET', '/api/v1/records'],
    ['POST', '/api/v1/pulls'],
  ] as const) {
    const { status, header } = await operator.call(method, path)
    assert.equal(status, 503, path)
    assert.match(header('Retry-After'), /^\d+$/)
  }
}
