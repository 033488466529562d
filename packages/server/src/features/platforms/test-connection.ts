import type { ConnectionCheck, ProbeAnswer } from '@recordhub/protocol'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { type CheckingClient, checkDescription, checkEndpoints } from './check-connection.ts'
import { toProbeAnswer } from './probe-platform.ts'

export type Tested = {
  target: CallTarget
  /** The name that the platform must have; null where any will do. */
  expected: string | null
  /** The modules whose records endpoint is called; null for those of the manifest. */
  recordTypes: string[] | null
  /** Whether the platform is also looked for at a corrected address. */
  correctUrl: boolean
  /** Whether the records endpoints and the search endpoint are called too. */
  checkEverything: boolean
}

/**
 * Calls a platform's ping and manifest; where the caller requests it, also the beginning of each records endpoint and
 * the search endpoint. Nothing is stored. Ends early where nothing further could work.
 * @returns after the checks, the response of a probe.
 */
export async function* testConnection(
  client: CheckingClient,
  { target, expected, recordTypes, correctUrl, checkEverything }: Tested,
  signal: AbortSignal,
): AsyncGenerator<ConnectionCheck, ProbeAnswer> {
  const checks: ConnectionCheck[] = []
  const description = checkDescription(client, target, { expected, correctUrl, signal })
  let step = await description.next()
  while (!step.done) {
    checks.push(step.value)
    yield step.value
    step = await description.next()
  }
  const described = step.value
  const answer = toProbeAnswer(described, checks)
  const types = recordTypes ?? described.manifest?.modules.map((module) => module.record_type)
  if (!checkEverything || !types || !described.target) return answer
  const endpoints = checkEndpoints(client, described.target, { recordTypes: types, signal })
  for await (const check of endpoints) {
    answer.checks.push(check)
    yield check
  }
  return answer
}

/**
 * Tests the connection to a registered platform. If one of its endpoints responds as agreed, scheduled pulls no longer
 * skip the platform.
 */
export async function* testRegistered(
  {
    client,
    platforms,
  }: { client: CheckingClient; platforms: Pick<PlatformStore, 'recordRecovery'> },
  { platform_id, ...tested }: Tested & { platform_id: number },
  signal: AbortSignal,
): AsyncGenerator<ConnectionCheck, ProbeAnswer> {
  const steps = testConnection(client, tested, signal)
  let isRecorded = false
  let step = await steps.next()
  while (!step.done) {
    // A reachable server does not show that the platform works.
    if (!isRecorded && step.value.ok && step.value.check !== 'reachable') {
      await platforms.recordRecovery(platform_id)
      isRecorded = true
    }
    yield step.value
    step = await steps.next()
  }
  return step.value
}
