import type { Platform, RegisterRequest } from '@recordhub/protocol'
import { formatCount, logChange, type Requester } from '../../domain/activity/activity.ts'
import {
  createKey,
  HUB_KEY_PREFIX,
  HUB_KEY_PURPOSE,
  SOURCE_KEY_PURPOSE,
} from '../../domain/platform/api-key.ts'
import { HubError, isErrorCode } from '../../errors.ts'
import { parseSourceUrl } from '../../platform-client/platform-client.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { auditProbe, probePlatform } from './test-connection.ts'

/**
 * Registers a platform with some modules of its manifest, which is fetched again. Returns the hub API key that the
 * platform pushes with; it is stored encrypted.
 * @throws HubError when the test of the connection fails, a module is unknown, or the name is registered already.
 */
export async function registerPlatform(
  deps: Pick<FeatureDeps, 'client' | 'platforms' | 'activity' | 'secrets' | 'clock'>,
  request: RegisterRequest,
  requester: Requester,
): Promise<{ platform: Platform; hub_api_key: string }> {
  const entered = parseSourceUrl(request.source_base_url)
  await auditProbe(deps, requester, { platform_name: null, source_base_url: entered })
  const probe = await probePlatform(deps.client, { ...request, source_base_url: entered })
  const [problem] = probe.problems
  if (problem) throw toProbeError(problem)
  const { manifest, source_base_url } = probe
  if (!manifest || source_base_url === null)
    throw new Error('A probe without problems has no manifest')
  const known = new Set(manifest.modules.map((module) => module.record_type))
  const record_types = [...new Set(request.record_types)]
  const unknown = record_types.find((record_type) => !known.has(record_type))
  if (unknown !== undefined) {
    const message = `is not in the manifest, which has: ${[...known].join(', ')}`
    const errors = { record_types: [`${unknown} ${message}`] }
    throw new HubError('module_unknown', { record_type: unknown }, { errors })
  }
  const chosen = new Set(record_types)
  const hubKey = createKey(HUB_KEY_PREFIX)
  const { platform_name, platform_title } = manifest
  const { activity, audit } = logChange(requester, {
    ...{ kind: 'platform.registered', action: 'platform.register', target: platform_name },
    message: `${platform_title} registered with ${formatCount(record_types.length, 'module')}`,
    details: { record_types },
  })
  const registered = await deps.platforms.registerPlatform(
    {
      platform_name,
      display_title: platform_title,
      platform_description: manifest.platform_description,
      source_base_url,
      encrypted_source_key: deps.secrets.encrypt(request.source_api_key, SOURCE_KEY_PURPOSE),
      hub_key: {
        key_hash: hubKey.hash,
        hint: hubKey.hint,
        ciphertext: deps.secrets.encrypt(hubKey.key, HUB_KEY_PURPOSE),
      },
      modules: manifest.modules.map((module) => ({
        ...module,
        registered: chosen.has(module.record_type),
      })),
      at: deps.clock.now().toISOString(),
    },
    { activity, audit: { ...audit, details: { source_base_url, record_types } } },
  )
  if (registered.outcome === 'name_taken') {
    throw new HubError('platform_already_registered', { platform_name })
  }
  return { platform: registered.platform, hub_api_key: hubKey.key }
}

/** The error of a request that fails because of a problem that the probe found. */
export function toProbeError(problem: { code: string; message: string }): HubError {
  const code = isErrorCode(problem.code) ? problem.code : 'platform_response_invalid'
  return HubError.withMessage(code, problem.message)
}
