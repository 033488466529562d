import { Hold, HoldsLifted, HoldsSummary, NullableString, RequestText } from '@recordhub/protocol'
import { Type } from 'typebox'
import { found, HubError } from '../../errors.ts'
import { Limit, route } from '../../http/route.ts'
import { CursorInteger, createCursorCodec } from '../../lib/collections/pagination.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { describeLift } from './describe-revert.ts'

const PAGE = 100
const CURSOR = createCursorCodec(
  Type.Object({ record_id: CursorInteger, revert_id: CursorInteger }),
)
const Id = Type.Optional(Type.Integer({ minimum: 1 }))
const { lifted } = HoldsLifted.properties

/** The holds of reverts: listed, and lifted by hand. */
export function holdRoutes(deps: Pick<FeatureDeps, 'holds' | 'reverts' | 'records'>) {
  const { holds, reverts, records } = deps
  return [
    route('GET /api/v1/holds', {
      summary: 'List what reverts keep from coming back',
      query: {
        ...{ limit: Limit, record_id: Id, revert_id: Id },
        cursor: Type.Optional(RequestText()),
        platform: Type.Optional(RequestText()),
        record_type: Type.Optional(RequestText()),
      },
      response: { summary: HoldsSummary, holds: Type.Array(Hold), next_cursor: NullableString },
      async handle({ query }) {
        const { limit = PAGE, cursor, platform = null, record_type = null } = query
        const { record_id = null, revert_id = null } = query
        const after = cursor === undefined ? null : CURSOR.decode(cursor)
        const filter = { platform, record_type, record_id, revert_id }
        const rows = await holds.listHolds({ ...filter, after, limit: limit + 1 })
        const page = rows.slice(0, limit)
        const last = page.at(-1)
        const next_cursor = rows.length > limit && last ? CURSOR.encode(last) : null
        return { summary: await holds.summarizeHolds(filter), holds: page, next_cursor }
      },
    }),

    route('DELETE /api/v1/reverts/:id/holds', {
      summary: 'Lift the holds of a revert',
      description: 'The next pull or push may bring back what the revert has taken back.',
      response: { lifted },
      async handle({ params: { id: revert_id }, requester }) {
        found('revert', await reverts.readRevert(revert_id))
        const log = describeLift(`revert ${revert_id}`, requester)
        return { lifted: await holds.liftHolds({ revert_id }, log) }
      },
    }),

    route('DELETE /api/v1/records/:record_id/holds', {
      summary: 'Lift the holds of a record',
      description:
        'The next pull or push may bring back what a revert has taken back. With `revert_id` and `path`, lifts that hold only.',
      query: {
        revert_id: Id,
        path: Type.Optional(
          RequestText({
            description:
              'JSON Pointer of the value; empty for the existence of the record, `/missing_since` for its absence',
          }),
        ),
      },
      response: { lifted },
      async handle({ params: { record_id }, query: { revert_id, path }, requester }) {
        found('record', await records.readRecord(record_id))
        if (revert_id !== undefined && path !== undefined) {
          const log = describeLift(`record ${record_id}`, requester, { revert_id, path })
          const one = { record_id, revert_id, path }
          return { lifted: found('hold', (await holds.liftHolds(one, log)) || null) }
        }
        if (revert_id !== undefined || path !== undefined) {
          const reason = 'revert_id and path are used together'
          throw new HubError('invalid_request', { reason })
        }
        const log = describeLift(`record ${record_id}`, requester)
        return { lifted: await holds.liftHolds({ record_id }, log) }
      },
    }),
  ]
}
