import type { Platform } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

/**
 * Accepts the new name of a platform that was renamed: its manifest must have this name. Its id, records, history and
 * keys stay.
 * @throws HubError `not_found`, `platform_name_differs`, `platform_already_registered`, or the error of the request.
 */
export async function renamePlatform(
  deps: {
    client: Pick<PlatformClient, 'fetchManifest'>
    platforms: Pick<PlatformStore, 'readSource' | 'renamePlatform'>
    secrets: SecretBox
    clock: Clock
  },
  { platform_id, platform_name }: { platform_id: number; platform_name: string },
  requester: Requester,
): Promise<Platform> {
  const { client, platforms, secrets, clock } = deps
  const source = await platforms.readSource(platform_id)
  if (!source) throw new HubError('not_found', { what: 'platform' })
  const { source_base_url, encrypted_source_key, display_title, platform_name: before } = source
  const source_api_key = secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  const manifest = await client.fetchManifest({ source_base_url, source_api_key })
  const got = manifest.platform_name
  if (got !== platform_name) {
    throw new HubError('platform_name_differs', { got, expected: platform_name })
  }
  const details = { before, platform_name }
  const renamed = await platforms.renamePlatform(
    { platform_id, platform_name, at: clock.now().toISOString() },
    {
      activity: {
        level: 'info',
        kind: 'platform.renamed',
        message: `${display_title} has the new name ${platform_name}, formerly ${before}. Its records, history and keys stay.`,
        actor: requester.actor,
        details,
      },
      audit: { ...requester, action: 'platform.rename', target: before, details },
    },
  )
  if (!renamed) throw new HubError('not_found', { what: 'platform' })
  if (renamed.outcome === 'renamed') return renamed.platform
  throw new HubError('platform_already_registered', { platform_name })
}
