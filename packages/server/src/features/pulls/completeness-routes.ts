import { CompletenessPage, RequestText } from '@recordhub/protocol'
import { Type } from 'typebox'
import { Cursor, route } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const MAX_PAGE = 500

export function completenessRoutes({ completeness }: Pick<FeatureDeps, 'completeness'>) {
  return [
    route('GET /api/v1/completeness', {
      summary: 'Read which registered modules are proved complete',
      query: {
        platform: Type.Optional(RequestText()),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_PAGE })),
        cursor: Cursor,
      },
      response: CompletenessPage.properties,
      async handle({ query: { platform = null, limit = MAX_PAGE, cursor: after = null } }) {
        const rows = await completeness.listCompleteness({ platform, limit: limit + 1, after })
        const { page, next_cursor } = paginate(rows, limit, ({ module_id }) => module_id)
        return { modules: page, next_cursor }
      },
    }),
  ]
}
