import type { Requester } from '../../domain/activity/activity.ts'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import { parseSourceUrl } from '../../platform-client/source-url.ts'
import type { ConnectionStore } from '../../storage/port/connection-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import { toProbeError } from './register-platform.ts'
import { probePlatform } from './test-connection.ts'

/**
 * Changes the base URL of a platform, its source API key, or both. They are tested before they are stored: the platform
 * must respond with the platform_name that it is registered with.
 * @throws HubError `not_found`, `platform_name_differs`, or the error of the test.
 */
export async function changeSource(
  deps: {
    client: Pick<PlatformClient, 'ping' | 'fetchManifest'>
    platforms: Pick<PlatformStore, 'readSource'>
    connections: Pick<ConnectionStore, 'setSource'>
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
  const isNewKey = change.source_api_key !== undefined
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
      encrypted_source_key: isNewKey ? secrets.encrypt(source_api_key, SOURCE_KEY_PURPOSE) : null,
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
