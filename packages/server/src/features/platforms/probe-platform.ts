import type { ConnectionCheck, ProbeAnswer, Problem } from '@recordhub/protocol'
import type { CallTarget } from '../../outgoing/call-platform.ts'
import type { PlatformClient } from '../../outgoing/platform-client.ts'
import { checkDescription, type Described } from './check-connection.ts'

/**
 * Asks a platform for its ping and its manifest and tells every problem in words. Nothing is stored.
 */
export async function probePlatform(
  client: Pick<PlatformClient, 'ping' | 'fetchManifest'>,
  target: CallTarget,
): Promise<ProbeAnswer> {
  const checking = checkDescription(client, target, { expected: null, signal: null })
  const checks: ConnectionCheck[] = []
  let step = await checking.next()
  while (!step.done) {
    checks.push(step.value)
    step = await checking.next()
  }
  return toProbeAnswer(step.value, checks)
}

/** What a probe answers, given what was tried; each problem once, however often it was met. */
export function toProbeAnswer(
  { ping, manifest }: Described,
  checks: readonly ConnectionCheck[],
): ProbeAnswer {
  const problems = new Map<string, Problem>()
  for (const { code, message } of checks) {
    if (code !== null) problems.set(message, { code, message })
  }
  return { success: problems.size === 0, ping, manifest, problems: [...problems.values()] }
}
