import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
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
    if (!source || !(await respondsToPing({ client, secrets }, source, signal))) return []
    return await pulls.resumeSkipped(pullId, platformId)
  } catch (error) {
    if (error instanceof HubError) return []
    throw error
  }
}

/** Whether a platform responds to a ping under its own name. */
export async function respondsToPing(
  { client, secrets }: Pick<ResumeDeps, 'client' | 'secrets'>,
  { source_base_url, encrypted_source_key, platform_name }: PlatformSource,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const source_api_key = secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
    const ping = await client.ping({ source_base_url, source_api_key }, signal)
    return ping.platform_name === platform_name
  } catch (error) {
    if (error instanceof HubError) return false
    throw error
  }
}
