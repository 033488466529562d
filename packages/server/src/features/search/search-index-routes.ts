import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  ErrorResponse,
  IndexedFieldsRequest,
  IndexedFieldsResponse,
  RequestText,
  SearchStatus,
} from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Requester } from '../../domain/activity/activity.ts'
import { HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { SearchIndexStore } from '../../storage/port/search-index-store.ts'
import { chooseIndexedFields } from './choose-indexed-fields.ts'

const ModuleOfPlatform = Type.Object({
  id: Type.Integer({ minimum: 1 }),
  record_type: RequestText(),
})

/** Administration of the indexes that record lists are searched, filtered and sorted by. */
export function searchIndexRoutes(deps: {
  searchIndex: SearchIndexStore
  platforms: Pick<PlatformStore, 'readPlatform'>
  clock: Clock
  requesterOf: (request: FastifyRequest) => Requester
}): FastifyPluginAsyncTypebox {
  const { searchIndex, requesterOf } = deps
  return async (app) => {
    app.get(
      '/api/v1/search/status',
      {
        schema: {
          summary: 'Read how far the search index is behind',
          response: { 200: SearchStatus },
        },
      },
      async () => {
        const { lag } = await searchIndex.readSearchIndex()
        return { success: true as const, lag }
      },
    )

    app.get(
      '/api/v1/platforms/:id/modules/:record_type/indexed-fields',
      {
        schema: {
          summary: 'List the indexed fields of a module',
          params: ModuleOfPlatform,
          response: { 200: IndexedFieldsResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id, record_type } = request.params
        const fields = await searchIndex.listIndexedFields(id, record_type)
        if (!fields) throw new HubError('not_found', { what: 'module' })
        return { success: true as const, fields }
      },
    )

    app.put(
      '/api/v1/platforms/:id/modules/:record_type/indexed-fields',
      {
        schema: {
          summary: 'Choose the indexed fields of a module, five at most',
          params: ModuleOfPlatform,
          body: IndexedFieldsRequest,
          response: { 200: IndexedFieldsResponse, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const { id, record_type } = request.params
        const choice = { platform_id: id, record_type, keys: [...new Set(request.body.fields)] }
        const fields = await chooseIndexedFields(deps, choice, requesterOf(request))
        return { success: true as const, fields }
      },
    )
  }
}
