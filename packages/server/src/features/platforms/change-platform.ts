/** Changes a registered platform: its base URL and source API key, its registered modules, its status, and its name. */

import type { Platform, PlatformStatus } from '@recordhub/protocol'
import { logChange, type Requester } from '../../domain/activity/activity.ts'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { found, HubError } from '../../errors.ts'
import { parseSourceUrl } from '../../platform-client/platform-client.ts'
import type { PlatformUpdate } from '../../storage/port/platform-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { toProbeError } from './register-platform.ts'
import { auditProbe, probePlatform } from './test-connection.ts'

type ChangeDeps = Pick<FeatureDeps, 'client' | 'platforms' | 'activity' | 'secrets' | 'clock'>

/** What is changed; undefined leaves it as it is. */
type Change = {
  platform_id: number
  source_base_url?: string | undefined
  source_api_key?: string | undefined
  record_types?: string[] | undefined
  status?: PlatformStatus | undefined
}

/**
 * Changes a platform, all or nothing. A new base URL or source API key is tested before anything is stored.
 * @throws HubError `not_found`, `module_unknown`, `removal_under_way`, and those of {@link testSource}.
 */
export async function changePlatform(
  deps: ChangeDeps,
  change: Change,
  requester: Requester,
): Promise<Platform> {
  const { platform_id, source_base_url, source_api_key, record_types, status } = change
  const before = found('platform', await deps.platforms.readPlatform(platform_id))
  const isNewSource = source_base_url !== undefined || source_api_key !== undefined
  const source = isNewSource ? await testSource(deps, change, requester) : null
  const update = {
    platform_id,
    at: deps.clock.now().toISOString(),
    ...(source ? { source } : {}),
    ...(record_types ? { modules: describeModules(before, record_types, requester) } : {}),
    ...(status ? { status: describeStatus(before, status, requester) } : {}),
  }
  const changed = found('platform', await deps.platforms.changePlatform(update))
  if (changed.outcome === 'changed') return changed.platform
  const { outcome, record_type } = changed
  throw new HubError(outcome === 'removing' ? 'removal_under_way' : 'module_unknown', {
    record_type,
  })
}

/**
 * Tests a new base URL of a platform, a new source API key, or both: the platform must respond with the platform_name
 * that it is registered with. The stored key is sent to no other scheme, host or port than the one that it was entered
 * for.
 * @returns the change; null if nothing is new.
 * @throws HubError `not_found`, `source_key_required`, `platform_name_differs`, or the error of the test.
 */
async function testSource(
  deps: ChangeDeps,
  change: Change,
  requester: Requester,
): Promise<NonNullable<PlatformUpdate['source']> | null> {
  const { secrets } = deps
  const before = found('platform', await deps.platforms.readSource(change.platform_id))
  const { platform_name, display_title } = before
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
  if (!isNewKey && !isNewUrl) return null
  const changes = [
    ...(isNewUrl ? [`the base URL ${source_base_url}`] : []),
    ...(isNewKey ? ['a new source API key'] : []),
  ]
  return {
    source_base_url,
    encrypted_source_key: secrets.encrypt(source_api_key, SOURCE_KEY_PURPOSE),
    log: logChange(requester, {
      ...{ kind: 'platform.source_changed', action: 'platform.change_source' },
      target: platform_name,
      message: `${display_title} now has ${changes.join(' and ')}.`,
      details: { source_base_url, before: before.source_base_url, new_source_key: isNewKey },
    }),
  }
}

/** The scheme, host and port of a URL. */
function originOf(url: string): string {
  return new URL(url).origin
}

/**
 * The given modules are registered, and all others unregistered. A module that is not registered is not pulled and its
 * pushes are rejected. Its records remain.
 */
function describeModules(
  before: Platform,
  record_types: string[],
  requester: Requester,
): NonNullable<PlatformUpdate['modules']> {
  const { display_title, platform_name: target } = before
  const details = {
    record_types,
    before: before.modules.filter((one) => one.registered).map((one) => one.record_type),
  }
  const message = `The registered modules of ${display_title} are now: ${record_types.join(', ') || 'none'}. Records of other modules remain.`
  const names = { kind: 'platform.modules_changed', action: 'platform.change_modules' } as const
  return { record_types, log: logChange(requester, { ...names, target, message, details }) }
}

const STATUS_EFFECTS = {
  active: { verb: 'activated', effect: 'It is pulled, and its pushes are accepted.' },
  inactive: { verb: 'deactivated', effect: 'It is not pulled, and its pushes are rejected.' },
} as const

/** The status applies to pushes from the commit on. */
function describeStatus(
  { display_title, platform_name: target }: Platform,
  status: PlatformStatus,
  requester: Requester,
): NonNullable<PlatformUpdate['status']> {
  const { verb, effect } = STATUS_EFFECTS[status]
  const action = `platform.${verb}` as const
  const message = `${display_title} was ${verb}. ${effect}`
  return { status, log: logChange(requester, { kind: action, action, target, message }) }
}

/**
 * Accepts the new name of a platform that was renamed: its manifest must have this name. Its id, records, history and
 * keys stay.
 * @throws HubError `not_found`, `platform_name_differs`, `platform_already_registered`, or the error of the request.
 */
export async function renamePlatform(
  { client, platforms, secrets, clock }: ChangeDeps,
  { platform_id, platform_name }: { platform_id: number; platform_name: string },
  requester: Requester,
): Promise<Platform> {
  const source = found('platform', await platforms.readSource(platform_id))
  const { source_base_url, encrypted_source_key, display_title, platform_name: before } = source
  const source_api_key = secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  const manifest = await client.fetchManifest({ source_base_url, source_api_key })
  const got = manifest.platform_name
  if (got !== platform_name) {
    throw new HubError('platform_name_differs', { got, expected: platform_name })
  }
  const outcome = await platforms.renamePlatform(
    { platform_id, platform_name, at: clock.now().toISOString() },
    logChange(requester, {
      ...{ kind: 'platform.renamed', action: 'platform.rename', target: before },
      message: `${display_title} has the new name ${platform_name}, formerly ${before}. Its records, history and keys stay.`,
      details: { before, platform_name },
    }),
  )
  const renamed = found('platform', outcome)
  if (renamed.outcome === 'renamed') return renamed.platform
  throw new HubError('platform_already_registered', { platform_name })
}
