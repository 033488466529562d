import {
  ModuleRemovalPreview,
  ModuleRemovalRequest,
  NullableString,
  PlatformRemovalPreview,
  PlatformRemovalRequest,
  Removal,
  RequestText,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { found } from '../../errors.ts'
import { Cursor, route } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { type DeletionWorker, removeModuleRecords, removePlatform } from './remove-platform.ts'

const PAGE = 50

/** Removes platforms, and deletes the records of modules that are no longer registered. */
export function removalRoutes(
  deps: Pick<FeatureDeps, 'platforms' | 'removals' | 'clock'> & { deletionWorker: DeletionWorker },
) {
  const { removals } = deps
  return [
    route('GET /api/v1/platforms/:id/removal', {
      summary: 'Preview the removal of a platform',
      response: { removal: PlatformRemovalPreview },
      handle: async ({ params: { id } }) => ({
        removal: found('platform', await removals.previewPlatform(id)),
      }),
    }),

    route('DELETE /api/v1/platforms/:id', {
      summary: 'Remove a platform: its keys immediately, its records in the background',
      body: PlatformRemovalRequest,
      status: 202,
      response: { removal: Removal },
      handle: async ({ params: { id }, body: { platform_name }, requester }) => ({
        removal: await removePlatform(deps, { platform_id: id, platform_name }, requester),
      }),
    }),

    route('GET /api/v1/platforms/:id/modules/:record_type/records', {
      summary: 'Preview the deletion of the records of a module',
      response: { removal: ModuleRemovalPreview },
      handle: async ({ params: { id: platform_id, record_type } }) => ({
        removal: found('module', await removals.previewModule({ platform_id, record_type })),
      }),
    }),

    route('DELETE /api/v1/platforms/:id/modules/:record_type/records', {
      summary: 'Delete the records of a module that is not registered, in the background',
      body: ModuleRemovalRequest,
      status: 202,
      response: { removal: Removal },
      async handle({ params: { id: platform_id, record_type }, body, requester }) {
        const confirmed = { platform_id, record_type, typed: body.record_type }
        return { removal: await removeModuleRecords(deps, confirmed, requester) }
      },
    }),

    route('GET /api/v1/removals', {
      summary: 'List current and past removals, newest first',
      query: {
        cursor: Cursor,
        platform_id: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Only the removal of this platform' }),
        ),
        platform: Type.Optional(
          RequestText({ description: 'Only removals of platforms with this name' }),
        ),
      },
      response: { removals: Type.Array(Removal), next_cursor: NullableString },
      async handle({ query: { cursor: before = null, platform_id: id, platform: name } }) {
        const platform = id === undefined ? (name === undefined ? null : { name }) : { id }
        const rows = await removals.listRemovals({ limit: PAGE + 1, before, platform })
        const { page, next_cursor } = paginate(rows, PAGE, ({ id }) => id)
        return { removals: page, next_cursor }
      },
    }),
  ]
}
