import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import type { PullTaskPlan } from '../../storage/port/pull-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

export type ResumeDeps = Pick<FeatureDeps, 'pulls' | 'platforms' | 'client' | 'secrets'>

/**
 * Pings a platform that a running pull skips, unless the signal aborts.
 * @returns its tasks if it responds under its own name. Otherwise none: its tasks stay skipped, and their errors say why.
 */
export async function resumePlatform(
  { pulls, platforms, client, secrets }: ResumeDeps,
  { pullId, platformId }: { pullId: number; platformId: number },
  signal: AbortSignal,
): Promise<PullTaskPlan[]> {
  if (signal.aborted) return []
  try {
    const source = await platforms.readSource(platformId)
    if (!source) return []
    const { source_base_url, encrypted_source_key, platform_name } = source
    const source_api_key = secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
    const ping = await client.ping({ source_base_url, source_api_key }, signal)
    return ping.platform_name === platform_name ? await pulls.resumeSkipped(pullId, platformId) : []
  } catch (error) {
    if (error instanceof HubError) return []
    throw error
  }
}
