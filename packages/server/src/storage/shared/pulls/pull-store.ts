import type { Pull } from '@recordhub/protocol'
import { sql } from 'kysely'
import { describePullStart } from '../../../domain/activity/activity.ts'
import type { Clock } from '../../../lib/time/clock.ts'
import type { PullStore, PullTaskResult } from '../../port/pull-store.ts'
import { insertActivity } from '../activity/activity-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { setNextMode, takeCachedResponse } from './cached-responses.ts'
import { finishTask } from './finish-task.ts'
import { listPlatformPulls } from './platform-pulls.ts'
import { listPlans, listSkipped, planTasks, recordFailures, resumeSkipped } from './pull-plan.ts'
import { countPulledByMinute, listPulls, listTasks, selectPulls, toPull } from './pull-rows.ts'

const UNFINISHED = ['queued', 'running'] as const
/** The exact condition of the partial index on these pulls, so that no others are read. */
const IS_UNFINISHED = sql<boolean>`state IN ('queued', 'running')`

/** Whether a condition holds for any task of a pull. */
const hasTask = (condition: string) => sql<number>`CASE WHEN EXISTS (SELECT 1 FROM pull_tasks t
  WHERE t.pull_id = pulls.pull_id AND ${sql.raw(condition)}) THEN 1 ELSE 0 END`
/** The outcomes that the tasks of a pull decide when it ends. */
const OUTCOMES = {
  changed: hasTask('t.created + t.updated + t.missing > 0'),
  new_rejections: hasTask('t.begins_rejected = 1'),
  newly_not_listed: hasTask('t.begins_not_listed = 1'),
}
const NO_LEASE = { lease_owner: null, lease_until: null }

type PullRequest = Parameters<PullStore['requestPull']>[0]
type PullRequestOutcome = Awaited<ReturnType<PullStore['requestPull']>>

/** Whether the process that owns a lease is known to have ended. */
export type IsOwnerDead = (db: Executor, owner: string) => Promise<boolean>

/** A live process renews its lease every 5 s. It keeps the lease after a brief disconnection. */
const MAX_RENEWAL_AGE_MS = 6000
/** Longer than any lease. One that ends later was acquired before the clock was set back, and counts as expired. */
const MAX_LEASE_MS = 60_000

/**
 * @param readLastSequence reads the last number of the write sequence.
 * @param isOwnerDead left out if the engine has no other evidence than the lease.
 */
export function createPullStore(
  databases: Databases,
  readLastSequence: (db: Executor) => Promise<number>,
  isOwnerDead?: IsOwnerDead,
): PullStore {
  const { reader, writer, withoutFsync, clock, acquireLock } = databases
  const leaseEnd = (seconds: number) =>
    new Date(clock.now().getTime() + seconds * 1000).toISOString()

  async function interruptAbandoned(db: Executor): Promise<number> {
    const unfinished = await db
      .selectFrom('pulls')
      .select(['pull_id', 'lease_owner', 'lease_until', 'renewed_at'])
      .where(IS_UNFINISHED)
      .execute()
    const at = nowText(clock)
    const late = new Date(clock.now().getTime() - MAX_RENEWAL_AGE_MS).toISOString()
    const latestEnd = new Date(clock.now().getTime() + MAX_LEASE_MS).toISOString()
    const abandoned: number[] = []
    for (const { pull_id, lease_owner, lease_until, renewed_at } of unfinished) {
      const isExpired = lease_until !== null && (lease_until < at || lease_until > latestEnd)
      const isLate = lease_owner !== null && (renewed_at ?? '') < late
      const isAbandoned = isExpired || (isLate && (await isOwnerDead?.(db, lease_owner)))
      if (isAbandoned) abandoned.push(pull_id)
    }
    return interrupt(databases, db, abandoned)
  }

  async function queue(
    db: Executor,
    { trigger, requested_by, lease, only, mode = 'auto' }: PullRequest,
  ): Promise<PullRequestOutcome | null> {
    const at = nowText(clock)
    await interruptAbandoned(db)
    const queued = await db
      .insertInto('pulls')
      .values({
        ...{ trigger, mode },
        state: 'queued',
        requested_by,
        requested_at: at,
        started_at: null,
        finished_at: null,
        lease_owner: lease.owner,
        lease_until: leaseEnd(lease.seconds),
        renewed_at: at,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('pull_id')
      .executeTakeFirst()
    if (queued) {
      const { pull_id } = queued
      if (mode === 'full') await setNextMode(db, only, mode)
      const planned = await planTasks(db, { pull_id, trigger, only }, clock.now())
      if (requested_by !== null) {
        await insertActivity(db, at, describePullStart({ pull_id, requested_by, mode, ...planned }))
      }
    }
    const pull = queued
      ? await findPull(db, clock, queued.pull_id)
      : await findUnfinished(db, clock)
    return pull && { outcome: queued ? 'queued' : 'already_running', pull }
  }

  return {
    async requestPull(request) {
      for (;;) {
        const outcome = await writer.transaction().execute((db) => queue(db, request))
        // Null if the other pull ended between the two statements.
        if (outcome) return outcome
      }
    },

    setNextMode: (scope, mode) => setNextMode(writer, scope, mode),

    startPull: (pullId, lease) =>
      writer.transaction().execute(async (db) => {
        const started = await db
          .updateTable('pulls')
          .set({
            state: 'running',
            started_at: nowText(clock),
            lease_owner: lease.owner,
            lease_until: leaseEnd(lease.seconds),
            renewed_at: nowText(clock),
          })
          .where((eb) => eb.and({ pull_id: pullId, state: 'queued' }))
          .executeTakeFirst()
        return started.numUpdatedRows > 0n ? listPlans(db, pullId) : null
      }),

    listSkipped: (pullId) => listSkipped(reader, pullId),

    resumeSkipped: (pullId, platformId) =>
      writer
        .transaction()
        .execute((db) => resumeSkipped(db, { pullId, platformId, at: nowText(clock) })),

    async renewLease(pullId, lease) {
      const renewed = await writer
        .updateTable('pulls')
        .set({ lease_until: leaseEnd(lease.seconds), renewed_at: nowText(clock) })
        .where((eb) => eb.and({ pull_id: pullId, lease_owner: lease.owner }))
        .where('state', 'in', UNFINISHED)
        .executeTakeFirst()
      return renewed.numUpdatedRows > 0n
    },

    async holdsLease(pullId, owner) {
      const pull = await reader
        .selectFrom('pulls')
        .select('pull_id')
        .where((eb) => eb.and({ pull_id: pullId, lease_owner: owner }))
        .where('state', 'in', UNFINISHED)
        .executeTakeFirst()
      return pull !== undefined
    },

    startTask: (pullId, taskNumber) =>
      withoutFsync(async (db) => {
        // A concurrent replay commits before the read begins, or sees that the module is being read.
        await acquireLock(db, 'rejected pushes')
        const started = await db
          .updateTable('pull_tasks')
          .set({ state: 'running', started_at: nowText(clock) })
          .where((eb) => eb.and({ pull_id: pullId, task_number: taskNumber, state: 'queued' }))
          .returning(['platform_id', 'module_id'])
          .executeTakeFirst()
        if (!started) return null
        // Pushes are counted before the sequence is read: a push between the two counts as later than this read.
        const cached = await takeCachedResponse(db, started)
        return cached && { snapshotSeq: await readLastSequence(db), ...cached }
      }),

    reportTask: (pullId, taskNumber, { total, counts, waiting_since = null }) =>
      withoutFsync(async (db) => {
        await db
          .updateTable('pull_tasks')
          .set({ total, ...counts, waiting_since })
          .where((eb) => eb.and({ pull_id: pullId, task_number: taskNumber, state: 'running' }))
          .execute()
      }),

    finishTask: (pullId, taskNumber, result, activity) =>
      withoutFsync(async (db) => {
        // An operator may accept rejected records at the same time.
        if (result.rejection_groups) await acquireLock(db, 'rejected pushes')
        const at = nowText(clock)
        const hasEnded = await finishTask(
          db,
          { pull_id: pullId, task_number: taskNumber, at },
          result,
        )
        if (!hasEnded) return
        if (activity) await insertActivity(db, at, activity)
      }),

    finishPull: (pullId, { state, unfinishedTasks }, activity) =>
      writer.transaction().execute(async (db) => {
        await acquireLock(db, 'write authorization')
        const at = nowText(clock)
        const ended = await db
          .updateTable('pulls')
          .set({ state, finished_at: at, ...OUTCOMES, ...NO_LEASE })
          .where('pull_id', '=', pullId)
          .where('state', 'in', UNFINISHED)
          .executeTakeFirst()
        if (ended.numUpdatedRows === 0n) return false
        await endTasks(db, [pullId], unfinishedTasks, at)
        await recordFailures(db, pullId, at)
        if (activity) await insertActivity(db, at, activity)
        return true
      }),

    interruptAbandonedPulls: () => writer.transaction().execute(interruptAbandoned),

    interruptPulls: () =>
      writer.transaction().execute(async (db) => {
        const unfinished = await db
          .selectFrom('pulls')
          .select('pull_id')
          .where(IS_UNFINISHED)
          .execute()
        const ids = unfinished.map(({ pull_id }) => pull_id)
        return interrupt(databases, db, ids)
      }),

    readPull: (pullId) => findPull(reader, clock, pullId),

    listPulls: (query) => listPulls(reader, query, clock),

    listPlatformPulls: (query) => listPlatformPulls(reader, query),

    countPulledByMinute: (since) => countPulledByMinute(reader, since, nowText(clock)),

    async tallyTasks(pullId) {
      const rows = await reader
        .selectFrom('pull_tasks')
        .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
        .where('pull_id', '=', pullId)
        .groupBy('state')
        .execute()
      return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]))
    },

    listTasks: (query) => listTasks(reader, query),
  }
}

/** Ends the unfinished pulls among the given ones as `interrupted`, because their processes have ended. */
async function interrupt(
  { clock, acquireLock }: Databases,
  db: Executor,
  pullIds: number[],
): Promise<number> {
  // The usual case needs no lock.
  if (pullIds.length === 0) return 0
  await acquireLock(db, 'write authorization')
  const at = nowText(clock)
  const pulls = await db
    .updateTable('pulls')
    .set({ state: 'interrupted', finished_at: at, ...OUTCOMES, ...NO_LEASE })
    .where('pull_id', 'in', pullIds)
    .where('state', 'in', UNFINISHED)
    .returning('pull_id')
    .execute()
  const ids = pulls.map((pull) => pull.pull_id)
  if (ids.length === 0) return 0
  await endTasks(db, ids, 'interrupted', at)
  for (const id of ids) {
    await insertActivity(db, at, {
      level: 'warning',
      kind: 'pull.interrupted',
      message: `Pull ${id} was interrupted because its process ended. The records it stored remain.`,
      details: { pull_id: id },
    })
  }
  return ids.length
}

async function endTasks(
  db: Executor,
  pullIds: number[],
  state: PullTaskResult['state'],
  at: string,
): Promise<void> {
  await db
    .updateTable('pull_tasks')
    .set({ state, finished_at: at, waiting_since: null })
    .where('pull_id', 'in', pullIds)
    .where('state', 'in', UNFINISHED)
    .execute()
}

export async function findPull(db: Executor, clock: Clock, pullId: number): Promise<Pull | null> {
  const row = await selectPulls(db).where('p.pull_id', '=', pullId).executeTakeFirst()
  return row ? toPull(row, clock.now()) : null
}

export async function findUnfinished(db: Executor, clock: Clock): Promise<Pull | null> {
  const unfinished = db.selectFrom('pulls').select('pull_id').where(IS_UNFINISHED)
  const row = await selectPulls(db).where('p.pull_id', 'in', unfinished).executeTakeFirst()
  return row ? toPull(row, clock.now()) : null
}
