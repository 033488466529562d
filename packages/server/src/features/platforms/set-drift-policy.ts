import type { DriftPolicy, Platform } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ManifestStore } from '../../storage/port/manifest-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

const EFFECTS = {
  accept: 'are stored',
  reject: 'are rejected and saved, to be replayed',
} as const

/**
 * Sets whether records of a module that do not match its manifest are stored or rejected. It applies to later pushes and
 * to pulled records that are new or have changed.
 * @throws HubError `not_found`.
 */
export async function setDriftPolicy(
  deps: {
    platforms: Pick<PlatformStore, 'readPlatform'>
    manifests: Pick<ManifestStore, 'setDriftPolicy'>
    clock: Clock
  },
  change: { platform_id: number; record_type: string; drift_policy: DriftPolicy },
  requester: Requester,
): Promise<Platform> {
  const { platform_id, record_type, drift_policy } = change
  const before = await deps.platforms.readPlatform(platform_id)
  const module = before?.modules.find((one) => one.record_type === record_type)
  if (!before || !module) throw new HubError('not_found', { what: 'module' })
  const { module_name } = module
  const details = { record_type, drift_policy }
  await deps.manifests.setDriftPolicy(
    { ...change, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: 'module.drift_policy',
        message: `Records of ${module_name} of ${before.display_title} that do not match the manifest ${EFFECTS[drift_policy]} from now on`,
        actor: requester.actor,
        details,
      },
      audit: {
        ...requester,
        action: 'module.drift_policy',
        target: before.platform_name,
        details,
      },
    },
  )
  const platform = await deps.platforms.readPlatform(platform_id)
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  return platform
}
