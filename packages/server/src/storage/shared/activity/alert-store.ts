import type { Alert, OpenAlerts } from '@recordhub/protocol'
import { describeAlert, type FoundAlert, type OpenAlert } from '../../../domain/alerts/alert.ts'
import type { ModuleFailure, WatchedPlatform } from '../../../domain/alerts/alert-conditions.ts'
import type { HourCounts } from '../../../domain/alerts/push-baseline.ts'
import type { AlertStore } from '../../port/alert-store.ts'
import { selectHours } from '../counters/statistics-store.ts'
import { readPushFacts } from '../platforms/health-rows.ts'
import { distinctTitle } from '../platforms/platform-rows.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { countRows, updateRows } from '../schema/rows.ts'
import { insertActivity, insertLog } from './activity-rows.ts'
import { allocateEventIds, insertAlertEvent, toAlert, toOpenAlert } from './alert-event-store.ts'

/** Alerts changed in one transaction. Pushes wait for it. */
const BATCH = 50
/** Ids per statement. SQLite allows 32,766 parameters. */
const MAX_IDS = 500

type Mailed = { raise_mailed_at: string } | { resolve_mailed_at: string }
type ListQuery = Parameters<AlertStore['listAlerts']>[0]

export function createAlertStore(databases: Databases): AlertStore {
  const { reader, writer, transact, clock } = databases

  async function raise(
    db: Executor,
    { platform, ...alert }: FoundAlert,
    alert_event_id: number,
  ): Promise<void> {
    const at = nowText(clock)
    const raised = await db
      .insertInto('alerts')
      .values({
        ...alert,
        platform_id: platform?.platform_id ?? null,
        platform_name: platform?.platform_name ?? null,
        raised_at: at,
        resolved_at: null,
        acknowledged_at: null,
        acknowledged_by: null,
        raise_mailed_at: null,
        resolve_mailed_at: null,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('alert_id')
      .executeTakeFirst()
    if (!raised) return
    const { alert_id } = raised
    await insertAlertEvent(db, { alert_event_id, alert_id, change: 'raised', at })
    await insertActivity(db, at, describeAlert({ platform, ...alert }, 'raised'))
  }

  async function resolve(db: Executor, alert: OpenAlert, alert_event_id: number): Promise<void> {
    const at = nowText(clock)
    const { alert_id } = alert
    const open = { alert_id, resolved_at: null }
    if ((await updateRows(db, 'alerts', open, { resolved_at: at })) > 0) {
      await insertAlertEvent(db, { alert_event_id, alert_id, change: 'resolved', at })
      await insertActivity(db, at, describeAlert(alert, 'resolved'))
    }
  }

  async function reword(
    db: Executor,
    { alert_id, message }: { alert_id: number; message: string },
  ): Promise<void> {
    await db.updateTable('alerts').set({ message }).where('alert_id', '=', alert_id).execute()
  }

  async function inSmallTransactions<Item>(
    items: Item[],
    change: (db: Executor, item: Item, eventId: number) => Promise<void>,
  ): Promise<void> {
    for (const batch of chunk(items, BATCH)) {
      await transact([], async (db) => {
        const firstEventId = await allocateEventIds(db, batch.length)
        for (const [index, item] of batch.entries()) await change(db, item, firstEventId + index)
      })
    }
  }

  async function listByState(state: 'open' | 'resolved', before: number | null, limit: number) {
    let select = reader
      .selectFrom('alerts')
      .selectAll()
      .where('resolved_at', state === 'open' ? 'is' : 'is not', null)
    if (before !== null) select = select.where('alert_id', '<', before)
    const rows = await select.orderBy('alert_id', 'desc').limit(limit).execute()
    return rows.map(toAlert)
  }

  return {
    listWatchedPlatforms: () => listWatchedPlatforms(reader),
    listFailingModules: () => listFailingModules(reader),
    readHours: (from, to) => readHours(reader, from, to),
    readOpenAlerts: (limit) => readOpenAlerts(reader, limit),

    async listOpenAlerts() {
      const rows = await reader
        .selectFrom('alerts')
        .selectAll()
        .where('resolved_at', 'is', null)
        .orderBy('alert_id')
        .execute()
      return rows.map(toOpenAlert)
    },

    async applyAlertChanges(changes) {
      await inSmallTransactions(changes.resolve, resolve)
      await inSmallTransactions(changes.raise, raise)
      await inSmallTransactions(changes.reword, reword)
    },

    async listAlerts({ state, limit, after }: ListQuery) {
      const firstState = after?.state ?? 'open'
      const open =
        state === 'resolved' || firstState === 'resolved'
          ? []
          : await listByState('open', after?.id ?? null, limit)
      if (state === 'open' || open.length === limit) return open
      const before = firstState === 'resolved' ? (after?.id ?? null) : null
      return [...open, ...(await listByState('resolved', before, limit - open.length))]
    },

    acknowledgeAlert: (alertId, by, logOf) =>
      transact([], async (db, at) => {
        const alert_event_id = await allocateEventIds(db, 1)
        const open = { alert_id: alertId, resolved_at: null, acknowledged_at: null }
        const acknowledged = { acknowledged_at: at, acknowledged_by: by }
        const changed = await updateRows(db, 'alerts', open, acknowledged)
        const row = await db
          .selectFrom('alerts')
          .selectAll()
          .where('alert_id', '=', alertId)
          .executeTakeFirst()
        const alert = row ? toAlert(row) : null
        if (alert && changed > 0) {
          const event = { alert_event_id, alert_id: alertId, change: 'acknowledged', at } as const
          await insertAlertEvent(db, event)
          await insertLog(db, at, logOf(alert))
        }
        return alert
      }),

    async listUnmailed(limit) {
      const all = reader.selectFrom('alerts').selectAll().orderBy('alert_id').limit(limit)
      const raised = await all
        .where('resolved_at', 'is', null)
        .where('raise_mailed_at', 'is', null)
        .where('kind', '!=', 'mail_failing')
        .execute()
      const resolved = await all
        .where('resolved_at', 'is not', null)
        .where('raise_mailed_at', 'is not', null)
        .where('resolve_mailed_at', 'is', null)
        .execute()
      return { raised: raised.map(toAlert), resolved: resolved.map(toAlert) }
    },

    async recordMailed({ raised, resolved }) {
      const at = nowText(clock)
      const mark = async (alerts: Alert[], change: Mailed) => {
        const all = alerts.map(({ id }) => id)
        for (const ids of chunk(all, MAX_IDS)) {
          await writer.updateTable('alerts').set(change).where('alert_id', 'in', ids).execute()
        }
      }
      await mark(raised, { raise_mailed_at: at })
      await mark(resolved, { resolve_mailed_at: at })
    },
  }
}

function chunk<Item>(items: Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

async function listWatchedPlatforms(db: Executor): Promise<WatchedPlatform[]> {
  const platforms = await db
    .selectFrom('platforms')
    .select([
      'platform_id',
      'platform_name',
      distinctTitle('platforms').as('display_title'),
      'created_at',
      'status',
      'last_error',
      'failures_in_row',
      'failing_since',
    ])
    .where('removed_at', 'is', null)
    .orderBy('platform_id')
    .execute()
  const pushFacts = await readPushFacts(db, null)
  return platforms.map((platform) => ({ ...platform, ...pushFacts(platform.platform_id) }))
}

function listFailingModules(db: Executor): Promise<ModuleFailure[]> {
  return db
    .selectFrom('modules')
    .select([
      'module_id',
      'platform_id',
      'module_name',
      'last_error',
      'failures_in_row',
      'failing_since',
    ])
    .where('failures_in_row', '>', 0)
    .where('registered_at', 'is not', null)
    .orderBy('module_id')
    .execute()
}

/** Sums the rows of all nodes. The hour in which a day of the hub begins has one row per day. */
async function readHours(
  db: Executor,
  from: string,
  to: string,
): Promise<(HourCounts & { hour: string })[]> {
  const rows = await selectHours(db, from, to)
    .select((eb) => [
      'hour',
      'platform_id',
      eb.fn.sum<number>('received_post').as('post'),
      eb.fn.sum<number>('received_patch').as('patch'),
      eb.fn.sum<number>('rejected').as('rejected'),
    ])
    .groupBy(['hour', 'platform_id'])
    .execute()
  return rows.map(({ hour, platform_id, post, patch, rejected }) => ({
    hour,
    platform_id,
    pushes: Number(post) + Number(patch),
    rejected: Number(rejected),
  }))
}

export async function readOpenAlerts(db: Executor, limit: number): Promise<OpenAlerts> {
  const open = await countRows(db, 'alerts', { resolved_at: null })
  const rows = await db
    .selectFrom('alerts')
    .selectAll()
    .where('resolved_at', 'is', null)
    .orderBy('alert_id', 'desc')
    .limit(limit)
    .execute()
  return { open, latest: rows.map(toAlert) }
}
