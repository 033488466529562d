import type { Platform } from '@recordhub/protocol'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { HubError } from '../../errors.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'

/**
 * Reads a registered platform with its base URL and source API key.
 * @throws HubError `not_found`.
 */
export async function readTarget(
  deps: { platforms: Pick<PlatformStore, 'readSource' | 'readPlatform'>; secrets: SecretBox },
  platformId: number,
): Promise<{ platform: Platform; target: CallTarget }> {
  const source = await deps.platforms.readSource(platformId)
  const platform = source && (await deps.platforms.readPlatform(platformId))
  if (!platform) throw new HubError('not_found', { what: 'platform' })
  const { source_base_url, encrypted_source_key } = source
  const source_api_key = deps.secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  return { platform, target: { source_base_url, source_api_key } }
}
