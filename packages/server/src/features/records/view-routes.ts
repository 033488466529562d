import { NewView, SavedView, ViewChange } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { callerOf } from '../../http/authorize.ts'
import { route } from '../../http/route.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { changeView, createView, deleteView, listViews } from './views.ts'

/** Saved views: queries of the record list with a name. */
export function viewRoutes(deps: Pick<FeatureDeps, 'views' | 'records'>) {
  const { views } = deps
  const by = (request: FastifyRequest) => ({ caller: callerOf(request), address: request.ip })
  return [
    route('GET /api/v1/views', {
      summary: 'List your own and all shared views',
      response: { views: Type.Array(SavedView) },
      handle: async (request) => ({ views: await listViews(views, callerOf(request)) }),
    }),

    route('POST /api/v1/views', {
      summary: 'Save a view; sharing it requires the role operator',
      body: NewView,
      status: 201,
      response: { view: SavedView },
      handle: async (request) => ({ view: await createView(deps, request.body, by(request)) }),
    }),

    route('PATCH /api/v1/views/:id', {
      summary: 'Change a saved view',
      body: ViewChange,
      response: { view: SavedView },
      handle: async (request) => ({
        view: await changeView(deps, request.params.id, request.body, by(request)),
      }),
    }),

    route('DELETE /api/v1/views/:id', {
      summary: 'Delete a saved view',
      async handle(request) {
        await deleteView(views, request.params.id, by(request))
        return {}
      },
    }),
  ]
}
