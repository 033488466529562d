/** One hub for all tests of a process that do not stop it. Each test registers its own platform. */
import { after, before, type TestContext } from 'node:test'
import type { Operator } from '../../../server/test/helpers/process/operator.ts'
import {
  createSandbox,
  PROCESS_TEST,
  type RunningHub,
} from '../../../server/test/helpers/process/sandbox.ts'

let hub: RunningHub | null = null
const cleanUps: (() => unknown)[] = []
before(async () => {
  const hubs = createSandbox({ after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) })
  hub = await hubs.startHub()
}, PROCESS_TEST)
after(async () => {
  for (const cleanUp of cleanUps) await cleanUp()
}, PROCESS_TEST)

export function sharedHub(): RunningHub {
  if (!hub) throw new Error('The hub has not started')
  return hub
}

/** Deactivates a platform after the test, so that pulls of other tests do not wait for it. */
export function deactivateAfter(t: TestContext, operator: Operator, id: number): void {
  const url = `/api/v1/platforms/${id}`
  t.after(() => operator.request('PATCH', url, { status: 'inactive' }))
}
