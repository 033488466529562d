import {
  type DriftPolicy,
  DriftResponse,
  ManifestRefreshResponse,
  ModuleChange,
  Platform,
} from '@recordhub/protocol'
import { logChange, type Requester } from '../../domain/activity/activity.ts'
import { found } from '../../errors.ts'
import { route } from '../../http/route.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { refreshManifest } from './refresh-manifest.ts'

/** Manifests and drift. */
export function manifestRoutes(
  deps: Pick<FeatureDeps, 'client' | 'platforms' | 'manifests' | 'secrets' | 'clock'>,
) {
  return [
    route('POST /api/v1/platforms/:id/manifest/refresh', {
      summary: "Fetch and store a platform's manifest",
      response: ManifestRefreshResponse.properties,
      handle: ({ params: { id }, requester }) => refreshManifest(deps, id, requester),
    }),

    route('GET /api/v1/platforms/:id/drift', {
      summary: 'Read the changes of the manifest and the records that do not match it',
      response: DriftResponse.properties,
      handle: async ({ params: { id } }) => found('platform', await deps.manifests.readDrift(id)),
    }),

    route('PATCH /api/v1/platforms/:id/modules/:record_type', {
      summary: 'Set whether records that do not match the manifest are stored or rejected',
      body: ModuleChange,
      response: { platform: Platform },
      async handle({ params: { id: platform_id, record_type }, body, requester }) {
        const change = { platform_id, record_type, ...body }
        return { platform: await setDriftPolicy(deps, change, requester) }
      },
    }),
  ]
}

const EFFECTS = {
  accept: 'are stored',
  reject: 'are rejected and saved, to be replayed',
} as const

/**
 * Sets whether records of a module that do not match its manifest are stored or rejected. It applies to later pushes and
 * to pulled records that are new or have changed.
 * @throws HubError `not_found`.
 */
async function setDriftPolicy(
  { platforms, manifests, clock }: Pick<FeatureDeps, 'platforms' | 'manifests' | 'clock'>,
  change: { platform_id: number; record_type: string; drift_policy: DriftPolicy },
  requester: Requester,
): Promise<Platform> {
  const { platform_id, record_type, drift_policy } = change
  const before = found('module', await platforms.readPlatform(platform_id))
  const module = before.modules.find((one) => one.record_type === record_type)
  const { module_name } = found('module', module)
  const action = 'module.drift_policy'
  const log = logChange(requester, {
    ...{ kind: action, action, target: before.platform_name },
    message: `Records of ${module_name} of ${before.display_title} that do not match the manifest ${EFFECTS[drift_policy]} from now on`,
    details: { record_type, drift_policy },
  })
  await manifests.setDriftPolicy({ ...change, at: clock.now().toISOString() }, log)
  return found('platform', await platforms.readPlatform(platform_id))
}
