import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorResponse, NewView, SavedView, ViewChange } from '@recordhub/protocol'
import type { FastifyRequest } from 'fastify'
import type { Caller } from '../../domain/auth/caller.ts'
import type { RecordStore } from '../../storage/port/record-store.ts'
import type { ViewStore } from '../../storage/port/view-store.ts'
import { changeView, createView, deleteView, listViews } from './views.ts'

const ViewId = Type.Object({ id: Type.Integer({ minimum: 1 }) })
const OneView = Type.Object({ success: Type.Literal(true), view: SavedView })

/** Saved views: queries of the record list with a name. */
export function viewRoutes(deps: {
  views: ViewStore
  records: Pick<RecordStore, 'readScope'>
  callerOf: (request: FastifyRequest) => Caller
}): FastifyPluginAsyncTypebox {
  const { views } = deps
  const by = (request: FastifyRequest) => ({ caller: deps.callerOf(request), address: request.ip })
  return async (app) => {
    app.get(
      '/api/v1/views',
      {
        schema: {
          summary: 'List your own and all shared views',
          response: {
            200: Type.Object({ success: Type.Literal(true), views: Type.Array(SavedView) }),
          },
        },
      },
      async (request) => ({
        success: true as const,
        views: await listViews(views, deps.callerOf(request)),
      }),
    )

    app.post(
      '/api/v1/views',
      {
        schema: {
          summary: 'Save a view; sharing it requires the role operator',
          body: NewView,
          response: { 201: OneView, '4xx': ErrorResponse },
        },
      },
      async (request, reply) => {
        const view = await createView(deps, request.body, by(request))
        return reply.code(201).send({ success: true as const, view })
      },
    )

    app.patch(
      '/api/v1/views/:id',
      {
        schema: {
          summary: 'Change a saved view',
          params: ViewId,
          body: ViewChange,
          response: { 200: OneView, '4xx': ErrorResponse },
        },
      },
      async (request) => {
        const view = await changeView(deps, request.params.id, request.body, by(request))
        return { success: true as const, view }
      },
    )

    app.delete(
      '/api/v1/views/:id',
      {
        schema: {
          summary: 'Delete a saved view',
          params: ViewId,
          response: { 200: Type.Object({ success: Type.Literal(true) }), '4xx': ErrorResponse },
        },
      },
      async (request) => {
        await deleteView(views, request.params.id, by(request))
        return { success: true as const }
      },
    )
  }
}
