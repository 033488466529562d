import type { ManifestChange, Platform } from '@recordhub/protocol'
import { formatCount, type Requester } from '../../domain/activity/activity.ts'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { found, HubError } from '../../errors.ts'
import type { PlatformSource } from '../../storage/port/platform-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

type ManifestDeps = Pick<FeatureDeps, 'client' | 'platforms' | 'manifests' | 'secrets' | 'clock'>

/**
 * Fetches a platform's manifest and stores it.
 * @throws HubError `not_found`, or the error of the request or the response. Nothing is changed then.
 */
export async function refreshManifest(
  deps: ManifestDeps,
  platformId: number,
  requester: Requester,
): Promise<{ platform: Platform; changes: ManifestChange[] }> {
  const source = found('platform', await deps.platforms.readSource(platformId))
  const stored = await fetchAndStore(deps, source, { requester, signal: null })
  const changes = found('platform', stored)
  return { platform: found('platform', await deps.platforms.readPlatform(platformId)), changes }
}

/** Minimum time between two refreshes of a platform after pulls. */
const MIN_INTERVAL_MS = 60 * 60 * 1000

/** Refreshes a platform's manifest unless that was attempted within the last hour. Never rejects. */
export function createManifestRefresher(
  deps: ManifestDeps &
    Pick<FeatureDeps, 'activity'> & { onError: (error: unknown, platformId: number) => void },
): (platformId: number, signal: AbortSignal) => Promise<void> {
  const { platforms, manifests, activity, clock, onError } = deps
  async function refresh(source: PlatformSource, signal: AbortSignal): Promise<void> {
    try {
      await fetchAndStore(deps, source, { requester: null, signal })
    } catch (error) {
      if (signal.aborted) return
      if (!(error instanceof HubError)) throw error
      const message = `The manifest of ${source.display_title} could not be refreshed: ${error.message}`
      const entry = { level: 'warning', kind: 'manifest.failed', message } as const
      await activity.appendActivity({ ...entry, platform: source })
    }
  }
  return async (platformId, signal) => {
    try {
      const now = clock.now()
      const notSince = new Date(now.getTime() - MIN_INTERVAL_MS).toISOString()
      const when = { at: now.toISOString(), notSince }
      if (signal.aborted || !(await manifests.reserveManifestFetch(platformId, when))) return
      const source = await platforms.readSource(platformId)
      if (source) await refresh(source, signal)
    } catch (error) {
      onError(error, platformId)
    }
  }
}

async function fetchAndStore(
  { client, manifests, secrets, clock }: ManifestDeps,
  source: PlatformSource,
  { requester, signal }: { requester: Requester | null; signal: AbortSignal | null },
): Promise<ManifestChange[] | null> {
  const { platform_id, platform_name, source_base_url } = source
  const source_api_key = secrets.decrypt(source.encrypted_source_key, SOURCE_KEY_PURPOSE)
  const manifest = await client.fetchManifest({ source_base_url, source_api_key }, signal)
  if (manifest.platform_name !== platform_name) {
    const got = manifest.platform_name
    throw new HubError('platform_name_differs', { got, expected: platform_name })
  }
  const at = clock.now().toISOString()
  return manifests.saveManifest({ platform_id, manifest, at }, (changes) => ({
    activity: {
      level: changes.some(({ change }) => change.endsWith('_removed')) ? 'warning' : 'info',
      kind: 'manifest.changed',
      message: `The manifest of ${source.display_title} has changed: ${formatChanges(changes)}`,
      ...(requester ? { actor: requester.actor } : {}),
      details: { changes: changes.slice(0, MAX_DETAILS) },
    },
    audit: requester && {
      ...{ ...requester, action: 'manifest.refresh', target: platform_name },
      details: { changes: changes.length },
    },
  }))
}

const MAX_DETAILS = 50

const LABELS: Record<ManifestChange['change'], [noun: string, verb: string]> = {
  platform_changed: ['attribute', 'of the platform changed'],
  module_added: ['module', 'added'],
  module_removed: ['module', 'removed'],
  module_changed: ['attribute', 'of modules changed'],
  field_added: ['field', 'added'],
  field_removed: ['field', 'removed'],
  field_changed: ['attribute', 'of fields changed'],
}

function formatChanges(changes: ManifestChange[]): string {
  const counts = Map.groupBy(changes, (one) => one.change)
  const texts = [...counts].map(([change, ones]) => {
    const [noun, verb] = LABELS[change]
    return `${formatCount(ones.length, noun)} ${verb}`
  })
  return texts.join(', ')
}
