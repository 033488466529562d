import type { RejectedPush } from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { type SelectQueryBuilder, sql } from 'kysely'
import { formatMessage, isErrorCode } from '../../../errors.ts'
import { takeWithinBytes } from '../../../lib/collections/pagination.ts'
import type { RejectedPushFilter, RejectedPushStore } from '../../port/rejected-push-store.ts'
import type { Executor } from '../schema/databases.ts'
import { HELD } from '../schema/pull-tables.ts'
import type { Tables } from '../schema/tables.ts'
import { listModulesWithGroups, parseGroups, wasRejectedBy } from './rejection-groups.ts'

type RejectedPushReads = Pick<
  RejectedPushStore,
  'listRejectedPushes' | 'readRejectedPush' | 'listGroups' | 'readReplayable' | 'listReplayable'
>

export function createRejectedPushReads(reader: Executor): RejectedPushReads {
  return {
    async listRejectedPushes({
      before,
      state,
      pull_id,
      request_id,
      since,
      limit,
      maxBytes,
      ...query
    }) {
      let select = applyFilter(selectRejected(reader), query)
      if (state !== null) {
        select = select.where('r.replayed_at', state === 'open' ? 'is' : 'is not', null)
      }
      if (request_id !== null) select = select.where('r.request_id', '=', request_id)
      if (since !== null) select = select.where('r.at', '>=', since)
      if (pull_id !== null) select = select.where((eb) => wasRejectedBy(eb, pull_id))
      if (before !== null) {
        select = select.where((eb) =>
          eb.or([
            eb('r.at', '<', before.at),
            eb.and([eb('r.at', '=', before.at), eb('r.rejected_push_id', '<', before.id)]),
          ]),
        )
      }
      const located = await select
        .select(['r.rejected_push_id', 'r.bytes'])
        .orderBy('r.at', 'desc')
        .orderBy('r.rejected_push_id', 'desc')
        .limit(limit + 1)
        .execute()
      const page = takeWithinBytes(located.slice(0, limit), maxBytes)
      const has_more = located.length > page.length
      if (page.length === 0) return { rejected_pushes: [], has_more }
      const ids = page.map((row) => row.rejected_push_id)
      const rows = await selectRejectedPushes(reader)
        .where('r.rejected_push_id', 'in', ids)
        .orderBy('r.at', 'desc')
        .orderBy('r.rejected_push_id', 'desc')
        .execute()
      return { rejected_pushes: await toRejectedPushes(reader, rows, query.platform), has_more }
    },

    async readRejectedPush(rejectedPushId) {
      const rows = await selectRejectedPushes(reader)
        .where('r.rejected_push_id', '=', rejectedPushId)
        .execute()
      const [push] = await toRejectedPushes(reader, rows, rows[0]?.platform_name ?? null)
      return push ?? null
    },

    async listGroups({ platform, withoutHeld = false, limit }) {
      let select = selectRejected(reader)
        .select((eb) => [
          'r.platform_id',
          'r.cause',
          eb.fn.countAll<number>().as('rejected_pushes'),
          eb.fn.countAll<number>().filterWhere('r.method', '=', 'pull').as('pulled'),
          eb.fn.sum<number>('r.count').as('count'),
          eb.fn.min('r.first_at').as('first_at'),
          eb.fn.max('r.at').as('last_at'),
          eb.fn.min('r.message').as('message'),
          eb.fn.max('r.message').as('other_message'),
        ])
        .where('r.replayed_at', 'is', null)
      if (platform !== null) select = select.where('p.platform_name', '=', platform)
      if (withoutHeld) select = select.where('r.code', '<>', HELD)
      const groups = await select
        .groupBy(['r.platform_id', 'r.cause'])
        .orderBy('last_at', 'desc')
        .limit(limit)
        .execute()
      const findGroup = await readGroups(reader, groups.length > 0, platform)
      const withExamples = groups.map(async ({ platform_id, cause, ...group }) => {
        const example = await selectRejected(reader)
          .select(['p.platform_name', 'r.record_type', 'r.code'])
          .where((eb) => eb.and({ 'r.platform_id': platform_id, 'r.cause': cause }))
          .where('r.replayed_at', 'is', null)
          .limit(1)
          .executeTakeFirst()
        if (!example) return []
        const { message, other_message, ...figures } = group
        const common = message === other_message ? null : commonMessage(example.code)
        const count = Number(figures.count)
        const { digest, accepted_at, accepted_by } = findGroup({ platform_id, cause })
        const acceptance = { digest, accepted_at, accepted_by }
        return [
          {
            ...example,
            platform_id,
            message: common ?? message,
            cause,
            ...figures,
            count,
            ...acceptance,
          },
        ]
      })
      return (await Promise.all(withExamples)).flat()
    },

    async readReplayable(rejectedPushId) {
      const row = await selectReplayable(reader)
        .where('r.rejected_push_id', '=', rejectedPushId)
        .executeTakeFirst()
      return row ? toReplayable(row) : null
    },

    async listReplayable({ after, until, limit, maxBytes, ...filter }) {
      let pending = applyFilter(selectRejected(reader), filter).where('r.replayed_at', 'is', null)
      if (until !== null) {
        pending = pending.where(
          sql<boolean>`(r.position_seq, r.rejected_push_id) <= (${until.position_seq}, ${until.rejected_push_id})`,
        )
      }
      const following = after
        ? pending.where(
            sql<boolean>`(r.position_seq, r.rejected_push_id) > (${after.position_seq}, ${after.rejected_push_id})`,
          )
        : pending
      const { count } = await following
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      const located = await following
        .select(['r.rejected_push_id', 'r.bytes'])
        .orderBy('r.position_seq')
        .orderBy('r.rejected_push_id')
        .limit(limit)
        .execute()
      const ids = takeWithinBytes(located, maxBytes).map((row) => row.rejected_push_id)
      if (ids.length === 0) return { rejections: [], remaining: 0 }
      const rows = await selectReplayable(reader)
        .where('r.rejected_push_id', 'in', ids)
        .orderBy('r.position_seq')
        .orderBy('r.rejected_push_id')
        .execute()
      return { rejections: rows.map(toReplayable), remaining: count - ids.length }
    },
  }
}

/** The message of an error code for rejections whose own messages differ; null if it depends on parameters. */
function commonMessage(code: string): string | null {
  if (!isErrorCode(code)) return code
  const message = formatMessage(code)
  return /\{\w+\}/.test(message) ? null : message
}

/** Selects rejected pushes of platforms that are not being removed. */
export function selectRejected(db: Executor) {
  return db
    .selectFrom('rejected_pushes as r')
    .innerJoin('platforms as p', 'p.platform_id', 'r.platform_id')
    .where('p.removed_at', 'is', null)
}

type Joined = Tables & { r: Tables['rejected_pushes']; p: Tables['platforms'] }

export function applyFilter<Selected>(
  select: SelectQueryBuilder<Joined, 'r' | 'p', Selected>,
  { platform, code, record_type, cause }: RejectedPushFilter,
): SelectQueryBuilder<Joined, 'r' | 'p', Selected> {
  let filtered = select
  if (platform !== null) filtered = filtered.where('p.platform_name', '=', platform)
  if (code !== null) filtered = filtered.where('r.code', '=', code)
  if (record_type !== null) filtered = filtered.where('r.record_type', '=', record_type)
  if (cause !== null) filtered = filtered.where('r.cause', '=', cause)
  return filtered
}

/** @param isNeeded whether there is anything whose group is looked up. */
async function readGroups(db: Executor, isNeeded: boolean, platform: string | null) {
  const modules = isNeeded ? await listModulesWithGroups(db, platform) : []
  const groups = new Map(
    modules.flatMap(({ platform_id, rejection_groups }) =>
      parseGroups(rejection_groups).map((group) => [`${platform_id} ${group.cause}`, group]),
    ),
  )
  const none = { digest: null, accepted_at: null, accepted_by: null }
  return ({ platform_id, cause }: { platform_id: number; cause: string }) =>
    groups.get(`${platform_id} ${cause}`) ?? none
}

function selectRejectedPushes(db: Executor) {
  return selectRejected(db).select([
    'r.platform_id',
    'r.rejected_push_id as id',
    'r.first_at',
    'r.at',
    'r.count',
    'p.platform_name',
    'r.record_type',
    'r.method',
    'r.code',
    'r.message',
    'r.errors',
    'r.cause',
    'r.body',
    'r.pull_id',
    'r.request_id',
    'r.replayed_at',
    'r.replayed_by',
    'r.replay_outcome',
    'r.replay_record_id as record_id',
  ])
}

async function toRejectedPushes(
  db: Executor,
  rows: Awaited<ReturnType<ReturnType<typeof selectRejectedPushes>['execute']>>,
  platform: string | null,
): Promise<RejectedPush[]> {
  const isOfGroup = ({ method, replayed_at }: { method: string; replayed_at: string | null }) =>
    method === 'pull' && replayed_at === null
  const findGroup = await readGroups(db, rows.some(isOfGroup), platform)
  return rows.map(({ platform_id, errors, body, ...row }) => {
    const group = isOfGroup(row) ? findGroup({ platform_id, cause: row.cause }) : null
    const { accepted_at = null, accepted_by = null } = group ?? {}
    const parsed = { errors: JSON.parse(errors), body: parseLossless(body) }
    return { ...row, ...parsed, accepted_at, accepted_by }
  })
}

function selectReplayable(db: Executor) {
  return selectRejected(db)
    .leftJoin('modules as m', (join) =>
      join
        .onRef('m.platform_id', '=', 'r.platform_id')
        .onRef('m.record_type', '=', 'r.record_type'),
    )
    .select([
      'r.rejected_push_id',
      'r.platform_id',
      'p.platform_name',
      'r.record_type',
      'r.method',
      'r.at',
      'r.body',
      'r.position_seq',
      'm.fields',
      'm.drift_policy',
    ])
}

function toReplayable({
  fields,
  ...row
}: Awaited<ReturnType<ReturnType<typeof selectReplayable>['execute']>>[number]) {
  return { ...row, fields: fields === null ? null : JSON.parse(fields) }
}
