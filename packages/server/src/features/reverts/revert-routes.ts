import { Readable } from 'node:stream'
import {
  ListedRevertRecord,
  NullableString,
  Revert,
  RevertOutcome,
  type RevertRecord,
  RevertRequest,
  RevertStartRequest,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { nameOfCaller } from '../../domain/auth/caller.ts'
import { found, HubError } from '../../errors.ts'
import { callerOf } from '../../http/authorize.ts'
import { Cursor, Limit, route, special } from '../../http/route.ts'
import { paginate } from '../../lib/collections/pagination.ts'
import { csvLine, escapeFormula } from '../../lib/files/csv.ts'
import type { ConfirmAction } from '../auth/reauthenticate.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { describeRevert } from './describe-revert.ts'
import { listChanges } from './list-changes.ts'
import { planRevert } from './plan-revert.ts'

const PAGE = 50
const RECORDS_PAGE = 100
const EXPORT_PAGE = 200

const Outcome = Type.Optional(RevertOutcome)

type RevertDeps = FeatureDeps & { confirmAction: ConfirmAction; onStarted: () => void }

export function revertRoutes(deps: RevertDeps) {
  const { reverts, activity, clock, confirmAction, onStarted } = deps
  const find = async (id: number) => found('revert', await reverts.readRevert(id))
  return [
    route('POST /api/v1/reverts', {
      summary: 'Plan a revert of a pull, of pushes in a period, of a record, or of a revert',
      description: 'Changes no record. A plan that is not started within a day is deleted.',
      status: 201,
      body: RevertRequest,
      response: { revert: Revert },
      async handle(request) {
        const { requester, body } = request
        const revert = await planRevert(deps, body, nameOfCaller(callerOf(request)))
        await activity.appendAudit({
          ...{ ...requester, action: 'revert.plan', target: `revert ${revert.id}` },
          details: { ...body, counts: revert.counts },
        })
        return { revert }
      },
    }),

    route('GET /api/v1/reverts', {
      summary: 'List reverts, newest first',
      query: {
        ...{ limit: Limit, cursor: Cursor },
        pull_id: Type.Optional(Type.Integer({ minimum: 1 })),
      },
      response: { reverts: Type.Array(Revert), next_cursor: NullableString },
      async handle({ query: { limit = PAGE, cursor: before = null, pull_id = null } }) {
        const rows = await reverts.listReverts({ pull_id, limit: limit + 1, before })
        const { page, next_cursor } = paginate(rows, limit, ({ id }) => id)
        return { reverts: page, next_cursor }
      },
    }),

    route('GET /api/v1/reverts/:id', {
      summary: 'Read a revert',
      response: { revert: Revert },
      handle: async ({ params: { id } }) => ({ revert: await find(id) }),
    }),

    route('GET /api/v1/reverts/:id/records', {
      summary: 'List the records of a revert',
      query: { outcome: Outcome, limit: Limit, cursor: Cursor },
      response: { records: Type.Array(ListedRevertRecord), next_cursor: NullableString },
      async handle({ params: { id }, query: { outcome = null, limit = RECORDS_PAGE, cursor } }) {
        await find(id)
        const { resolved } = found('revert', await reverts.readResolved(id))
        const query = { revert_id: id, outcome, limit: limit + 1, after: cursor ?? null }
        const rows = await reverts.listRecords(query)
        const { page, next_cursor } = paginate(rows, limit, ({ record_id }) => record_id)
        return { records: await listChanges(deps, { revert_id: id, resolved }, page), next_cursor }
      },
    }),

    special('GET /api/v1/reverts/:id/records/export', {
      summary: 'Export the records of a revert as CSV',
      query: Type.Object({ outcome: Outcome }, { additionalProperties: false }),
      response: {
        200: { content: { 'text/csv; charset=utf-8': { schema: Type.Unsafe<Readable>({}) } } },
      },
      // A HEAD request would read the whole list.
      exposeHeadRoute: false,
      async handle({ params: { id }, query: { outcome = null }, requester }, reply) {
        await find(id)
        const audit = { ...requester, action: 'revert.export' as const, target: `revert ${id}` }
        await activity.appendAudit({ ...audit, details: { outcome } })
        const name = `revert-${id}-${clock.now().toISOString().slice(0, 10)}.csv`
        reply.header('Content-Disposition', `attachment; filename="${name}"`)
        reply.header('Cache-Control', 'no-store').type('text/csv; charset=utf-8')
        return reply.send(Readable.from(exportRecords(deps, id, outcome)))
      },
    }),

    route('POST /api/v1/reverts/:id/start', {
      summary: 'Start a planned revert in the background',
      description:
        'An operator enters the password again, and a token needs the scope reverts. Each record is decided again when it is reverted.',
      status: 202,
      body: Type.Union([RevertStartRequest, Type.Null()]),
      response: { revert: Revert },
      async handle(request) {
        const revert = await find(request.params.id)
        const confirmed = { action: 'revert.start' as const, target: `revert ${revert.id}` }
        const password = request.body?.password
        await confirmAction(request, { ...confirmed, scope: 'reverts', password })
        const log = describeRevert('start', revert, request.requester)
        const caller = nameOfCaller(callerOf(request))
        const started = await reverts.startRevert(revert.id, caller, log)
        if (started === 'already_running') throw new HubError('revert_already_running')
        if (started === 'not_planned') {
          throw new HubError('revert_not_possible', {
            reason:
              'only a plan of the last 24 hours that was neither started nor cancelled can be started',
          })
        }
        onStarted()
        return { revert: await find(revert.id) }
      },
    }),

    route('POST /api/v1/reverts/:id/cancel', {
      summary: 'Cancel a revert; records that it has reverted remain so',
      status: 202,
      response: { revert: Revert },
      async handle({ params: { id }, requester }) {
        const revert = await find(id)
        if (!(await reverts.cancelRevert(id, describeRevert('cancel', revert, requester)))) {
          throw new HubError('revert_not_possible', { reason: 'the revert has ended' })
        }
        return { revert: await find(id) }
      },
    }),
  ]
}

const COLUMNS = [
  ...['record_id', 'platform_name', 'record_type', 'reference_number', 'full_name'],
  ...['outcome', 'done', 'creates', 'kept_path', 'kept_by', 'kept_at', 'reason'],
]

async function* exportRecords(
  { reverts }: Pick<FeatureDeps, 'reverts'>,
  revert_id: number,
  outcome: RevertOutcome | null,
): AsyncGenerator<string> {
  yield csvLine(COLUMNS)
  for (let after: number | null = 0; after !== null; ) {
    const page: RevertRecord[] = await reverts.listRecords({
      ...{ revert_id, outcome, after },
      limit: EXPORT_PAGE,
    })
    if (page.length > 0) yield page.map(toCsv).join('')
    after = page.length === EXPORT_PAGE ? (page.at(-1)?.record_id ?? null) : null
  }
}

function toCsv(record: RevertRecord): string {
  const { kept } = record
  const cells = [
    ...[record.record_id, record.platform_name, record.record_type, record.reference_number],
    ...[record.full_name, record.outcome, record.done, record.creates],
    ...[kept?.path ?? '', kept?.source ?? '', kept?.at ?? '', record.reason ?? ''],
  ]
  return csvLine(cells.map(String).map(escapeFormula))
}
