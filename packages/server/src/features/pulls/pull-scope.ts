import { HubError } from '../../errors.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { PullScope } from '../../storage/port/pull-store.ts'

/**
 * What a pull of one platform covers: the modules that are named, or all that are registered.
 * @throws HubError `not_found`, `platform_inactive`, `module_not_registered`.
 */
export async function toPullScope(
  platforms: Pick<PlatformStore, 'readPlatform'>,
  platformId: number,
  recordTypes: string[] | null,
): Promise<PullScope> {
  const platform = await platforms.readPlatform(platformId)
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  if (platform.status !== 'active') throw new HubError('platform_inactive')
  const registered = platform.modules.filter((module) => module.registered)
  for (const record_type of recordTypes ?? []) {
    if (!registered.some((module) => module.record_type === record_type)) {
      throw new HubError('module_not_registered', { record_type })
    }
  }
  return { platform_id: platformId, record_types: recordTypes }
}
