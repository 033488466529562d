/** Whether the hub can reach its platforms, and their health. */
import PQueue from 'p-queue'
import { SOURCE_KEY_PURPOSE } from '../../../domain/platform/api-key.ts'
import { HubError } from '../../../errors.ts'
import type { SecretBox } from '../../../lib/crypto/secret-box.ts'
import type { PlatformClient } from '../../../platform-client/platform-client.ts'
import type { PlatformSource } from '../../../storage/port/diagnostics-store.ts'
import { type Finding, info, problem, warning } from './finding.ts'

const CONCURRENCY = 8

/**
 * Pings the active platforms, a few at a time, and states why platforms are failing or need attention.
 * @param signal ends the check. Platforms that were not pinged by then are reported.
 */
export async function checkPlatforms(
  sources: PlatformSource[],
  deps: { client: Pick<PlatformClient, 'ping'>; secrets: SecretBox; signal: AbortSignal },
): Promise<Finding[]> {
  const active = sources.filter(({ status }) => status === 'active')
  const queue = new PQueue({ concurrency: CONCURRENCY })
  const results = await Promise.all(
    active.map((source) => queue.add(() => pingSource(source, deps))),
  )
  const unchecked = results.filter((result) => result === 'not_checked').length
  const findings = results.filter((result) => typeof result === 'object')
  const reached = results.length - unchecked - findings.length
  return [
    info(`${reached} of ${active.length} active platforms respond`),
    ...findings,
    ...sources.flatMap(describeHealth),
    ...(unchecked === 0
      ? []
      : [
          warning(
            `${unchecked} platforms were not checked within the time limit.`,
            'Run this command with a longer --timeout.',
          ),
        ]),
  ]
}

function describeHealth({ platform_name, health }: PlatformSource): Finding[] {
  const { state, reasons } = health
  if (state !== 'failing' && state !== 'needs_attention') return []
  const label = state === 'failing' ? 'is failing' : 'needs attention'
  const message = `${platform_name} ${label}: ${reasons.map((reason) => reason.message).join(' ')}`
  return [warning(message, 'The page of the platform links to what to do.')]
}

async function pingSource(
  { platform_name, source_base_url, encrypted_source_key }: PlatformSource,
  { client, secrets, signal }: Parameters<typeof checkPlatforms>[1],
): Promise<Finding | 'reached' | 'not_checked'> {
  if (signal.aborted) return 'not_checked'
  let source_api_key: string
  try {
    source_api_key = secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  } catch {
    const message = `${platform_name}: the source API key cannot be decrypted.`
    return problem(message, 'Enter the key again in the settings of the platform.')
  }
  try {
    await client.ping({ source_base_url, source_api_key }, signal)
    return 'reached'
  } catch (error) {
    if (signal.aborted) return 'not_checked'
    if (!(error instanceof HubError)) throw error
    const remedy = 'Test the connection in the settings of the platform, or set it to inactive.'
    return problem(`${platform_name}: ${error.message}`, remedy)
  }
}
