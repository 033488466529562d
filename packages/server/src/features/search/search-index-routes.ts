import { IndexedFieldsRequest } from '@recordhub/protocol'
import { Type } from 'typebox'
import { logChange, type Requester } from '../../domain/activity/activity.ts'
import { found, HubError } from '../../errors.ts'
import { route } from '../../http/route.ts'
import { isStorableText } from '../../lib/text/code-points.ts'
import type { IndexedFieldState } from '../../storage/port/search-index-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const IndexedFields = Type.Array(
  Type.Object({
    key: Type.String(),
    is_built: Type.Boolean({ description: 'Whether lists already use the index' }),
  }),
)

/** Administration of the indexes that record lists are searched, filtered and sorted by. */
export function searchIndexRoutes(deps: Pick<FeatureDeps, 'searchIndex' | 'platforms' | 'clock'>) {
  const { searchIndex } = deps
  return [
    route('GET /api/v1/search/status', {
      summary: 'Read how far the search index is behind',
      response: {
        lag: Type.Integer({
          description: 'Changed records that are not indexed yet; 10000 means 10000 or more',
        }),
      },
      async handle() {
        const { lag } = await searchIndex.readSearchIndex()
        return { lag }
      },
    }),

    route('GET /api/v1/platforms/:id/modules/:record_type/indexed-fields', {
      summary: 'List the indexed fields of a module',
      response: { fields: IndexedFields },
      handle: async ({ params: { id, record_type } }) => ({
        fields: found('module', await searchIndex.listIndexedFields(id, record_type)),
      }),
    }),

    route('PUT /api/v1/platforms/:id/modules/:record_type/indexed-fields', {
      summary: 'Choose the indexed fields of a module, five at most',
      body: IndexedFieldsRequest,
      response: { fields: IndexedFields },
      async handle({ params: { id: platform_id, record_type }, body, requester }) {
        const choice = { platform_id, record_type, keys: [...new Set(body.fields)] }
        return { fields: await chooseIndexedFields(deps, choice, requester) }
      },
    }),
  ]
}

/**
 * Chooses the fields of a module that lists are sorted and filtered by with an index. They need not be in the manifest.
 * @throws HubError `not_found`; `invalid_request` for a key that cannot be stored.
 */
async function chooseIndexedFields(
  deps: Pick<FeatureDeps, 'searchIndex' | 'platforms' | 'clock'>,
  choice: { platform_id: number; record_type: string; keys: string[] },
  requester: Requester,
): Promise<IndexedFieldState[]> {
  if (!choice.keys.every(isStorableText)) {
    const reason = 'a key contains U+0000 or an unpaired surrogate'
    throw new HubError('invalid_request', { reason })
  }
  const platform = found('platform', await deps.platforms.readPlatform(choice.platform_id))
  const names = choice.keys.length > 0 ? choice.keys.join(', ') : 'none'
  const action = 'module.indexed_fields'
  const log = logChange(requester, {
    ...{ kind: action, action, target: platform.platform_name },
    message: `Indexed fields of ${choice.record_type} at ${platform.display_title}: ${names}.`,
    details: { record_type: choice.record_type, fields: choice.keys },
  })
  const at = deps.clock.now().toISOString()
  return found('module', await deps.searchIndex.setIndexedFields({ ...choice, at }, log))
}
