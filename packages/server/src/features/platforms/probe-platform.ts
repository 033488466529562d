import type { ConnectionCheck, ProbeAnswer, Problem } from '@recordhub/protocol'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import { checkDescription, type Described } from './check-connection.ts'

/**
 * Requests a platform's ping and manifest and describes each problem. Nothing is stored.
 */
export async function probePlatform(
  client: Pick<PlatformClient, 'ping' | 'fetchManifest'>,
  target: CallTarget,
): Promise<ProbeAnswer> {
  const checking = checkDescription(client, target, {
    expected: null,
    correctUrl: true,
    signal: null,
  })
  const checks: ConnectionCheck[] = []
  let step = await checking.next()
  while (!step.done) {
    checks.push(step.value)
    step = await checking.next()
  }
  return toProbeAnswer(step.value, checks)
}

/** The response of a probe that made these checks; each problem is reported once. */
export function toProbeAnswer(
  { source_base_url, ping, manifest }: Described,
  checks: readonly ConnectionCheck[],
): ProbeAnswer {
  const problems = new Map<string, Problem>()
  for (const { code, message } of checks) {
    if (code !== null) problems.set(message, { code, message })
  }
  const success = problems.size === 0
  return {
    success,
    source_base_url,
    ping,
    manifest,
    problems: [...problems.values()],
    checks: [...checks],
  }
}
