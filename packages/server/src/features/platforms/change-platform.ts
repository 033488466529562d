/** Changes a registered platform: its base URL and source API key, its registered modules, and its status. */

import type { Platform, PlatformStatus } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import { parseSourceUrl } from '../../platform-client/source-url.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { auditProbe } from './audit-probe.ts'
import { toProbeError } from './register-platform.ts'
import { probePlatform } from './test-connection.ts'

/**
 * Changes the base URL of a platform, its source API key, or both. They are tested before they are stored: the platform
 * must respond with the platform_name that it is registered with. The stored key is sent to no other scheme, host or port
 * than the one that it was entered for.
 * @throws HubError `not_found`, `source_key_required`, `platform_name_differs`, or the error of the test.
 */
export async function changeSource(
  deps: {
    client: Pick<PlatformClient, 'ping' | 'fetchManifest'>
    platforms: Pick<PlatformStore, 'readSource'>
    connections: Pick<ConnectionStore, 'setSource'>
    activity: Pick<ActivityStore, 'appendAudit'>
    secrets: SecretBox
    clock: Clock
  },
  change: {
    platform_id: number
    source_base_url: string | undefined
    source_api_key: string | undefined
  },
  requester: Requester,
): Promise<void> {
  const { secrets } = deps
  const before = await deps.platforms.readSource(change.platform_id)
  if (!before) throw new HubError('not_found', { what: 'platform' })
  const { platform_id, platform_name, display_title } = before
  const entered = parseSourceUrl(change.source_base_url ?? before.source_base_url)
  const isNewKey = change.source_api_key !== undefined
  const attempt = { platform_name, source_base_url: entered, new_source_key: isNewKey }
  await auditProbe(deps, requester, { ...attempt, before: before.source_base_url })
  if (!isNewKey && originOf(entered) !== originOf(before.source_base_url)) {
    throw new HubError('source_key_required', { origin: originOf(entered) })
  }
  const source_api_key =
    change.source_api_key ?? secrets.decrypt(before.encrypted_source_key, SOURCE_KEY_PURPOSE)
  const probe = await probePlatform(deps.client, { source_base_url: entered, source_api_key })
  const [problem] = probe.problems
  if (problem) throw toProbeError(problem)
  const source_base_url = probe.source_base_url ?? entered
  const got = probe.manifest?.platform_name ?? ''
  if (got !== platform_name) {
    throw new HubError('platform_name_differs', { got, expected: platform_name })
  }
  const isNewUrl = source_base_url !== before.source_base_url
  if (!isNewKey && !isNewUrl) return
  const details = { source_base_url, before: before.source_base_url, new_source_key: isNewKey }
  const changes = [
    ...(isNewUrl ? [`the base URL ${source_base_url}`] : []),
    ...(isNewKey ? ['a new source API key'] : []),
  ]
  const isDone = await deps.connections.setSource(
    {
      platform_id,
      source_base_url,
      encrypted_source_key: secrets.encrypt(source_api_key, SOURCE_KEY_PURPOSE),
      at: deps.clock.now().toISOString(),
    },
    {
      activity: {
        level: 'info',
        kind: 'platform.source_changed',
        message: `${display_title} now has ${changes.join(' and ')}.`,
        actor: requester.actor,
        details,
      },
      audit: { ...requester, action: 'platform.change_source', target: platform_name, details },
    },
  )
  if (!isDone) throw new HubError('not_found', { what: 'platform' })
}

/** The scheme, host and port of a URL. */
function originOf(url: string): string {
  return new URL(url).origin
}

/**
 * Registers the given modules of a platform, and unregisters all others. A module that is not registered is not pulled and
 * its pushes are rejected. Its records remain.
 * @throws HubError `not_found`, `module_unknown`, `removal_under_way`.
 */
export async function setRegisteredModules(
  deps: {
    platforms: Pick<PlatformStore, 'readPlatform' | 'setRegisteredModules'>
    clock: Clock
  },
  change: { platform_id: number; record_types: string[] },
  requester: Requester,
): Promise<Platform> {
  const before = await deps.platforms.readPlatform(change.platform_id)
  if (!before) throw new HubError('not_found', { what: 'platform' })
  const { record_types } = change
  const details = {
    record_types,
    before: before.modules.filter((one) => one.registered).map((one) => one.record_type),
  }
  const changed = await deps.platforms.setRegisteredModules(
    { ...change, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: 'platform.modules_changed',
        message: `The registered modules of ${before.display_title} are now: ${record_types.join(', ') || 'none'}. Records of other modules remain.`,
        actor: requester.actor,
        details,
      },
      audit: {
        ...requester,
        action: 'platform.change_modules',
        target: before.platform_name,
        details,
      },
    },
  )
  if (!changed) throw new HubError('not_found', { what: 'platform' })
  if (changed.outcome === 'changed') return changed.platform
  const { outcome, record_type } = changed
  throw new HubError(outcome === 'removing' ? 'removal_under_way' : 'module_unknown', {
    record_type,
  })
}

const STATUS_EFFECTS = {
  active: { verb: 'activated', effect: 'It is pulled, and its pushes are accepted.' },
  inactive: { verb: 'deactivated', effect: 'It is not pulled, and its pushes are rejected.' },
} as const

/**
 * Activates or deactivates a platform. The status applies to pushes from the commit on.
 * @throws HubError `not_found`.
 */
export async function setPlatformStatus(
  deps: { platforms: Pick<PlatformStore, 'readPlatform' | 'setPlatformStatus'>; clock: Clock },
  change: { platform_id: number; status: PlatformStatus },
  requester: Requester,
): Promise<Platform> {
  const before = await deps.platforms.readPlatform(change.platform_id)
  if (!before) throw new HubError('not_found', { what: 'platform' })
  const { verb, effect } = STATUS_EFFECTS[change.status]
  const platform = await deps.platforms.setPlatformStatus(
    { ...change, at: deps.clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: `platform.${verb}`,
        message: `${before.display_title} was ${verb}. ${effect}`,
        actor: requester.actor,
      },
      audit: { ...requester, action: `platform.${verb}`, target: before.platform_name },
    },
  )
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  return platform
}
