import type { Alert } from '@recordhub/protocol'
import { describeAlert, type FoundAlert, type OpenAlert } from '../../../domain/alerts/alert.ts'
import type { AlertStore } from '../../port/alert-store.ts'
import { type Databases, type Executor, nowText } from '../schema/databases.ts'
import { insertActivity, insertLog } from './activity-rows.ts'
import { listFailingModules, listPlatformHealth, readHours } from './alert-facts.ts'
import { readOpenAlerts, toAlert, toOpenAlert } from './alert-rows.ts'

/** A transaction settles so many: pushes wait for it. */
const AT_ONCE = 50
/** A statement takes 32,766 parameters on SQLite. */
const IDS_AT_ONCE = 500

type ListQuery = Parameters<AlertStore['listAlerts']>[0]

export function createAlertStore(databases: Databases): AlertStore {
  const { reader, writer, clock } = databases

  async function raise(db: Executor, { platform, ...alert }: FoundAlert): Promise<void> {
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
    if (raised) await insertActivity(db, at, describeAlert({ platform, ...alert }, 'raised'))
  }

  async function resolve(db: Executor, alert: OpenAlert): Promise<void> {
    const at = nowText(clock)
    const resolved = await db
      .updateTable('alerts')
      .set({ resolved_at: at })
      .where('alert_id', '=', alert.alert_id)
      .where('resolved_at', 'is', null)
      .executeTakeFirst()
    if (resolved.numUpdatedRows > 0n) {
      await insertActivity(db, at, describeAlert(alert, 'resolved'))
    }
  }

  async function reword(db: Executor, change: { alert_id: number; message: string }) {
    await db
      .updateTable('alerts')
      .set({ message: change.message })
      .where('alert_id', '=', change.alert_id)
      .execute()
  }

  async function inSmallTransactions<Item>(
    items: Item[],
    settle: (db: Executor, item: Item) => Promise<void>,
  ): Promise<void> {
    for (const part of partsOf(items, AT_ONCE)) {
      await writer.transaction().execute(async (db) => {
        for (const item of part) await settle(db, item)
      })
    }
  }

  async function listOfState(state: 'open' | 'resolved', before: number | null, limit: number) {
    let select = reader
      .selectFrom('alerts')
      .selectAll()
      .where('resolved_at', state === 'open' ? 'is' : 'is not', null)
    if (before !== null) select = select.where('alert_id', '<', before)
    const rows = await select.orderBy('alert_id', 'desc').limit(limit).execute()
    return rows.map(toAlert)
  }

  return {
    listPlatformHealth: () => listPlatformHealth(reader),
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

    async settleAlerts(changes) {
      await inSmallTransactions(changes.resolve, resolve)
      await inSmallTransactions(changes.raise, raise)
      await inSmallTransactions(changes.reword, reword)
    },

    async listAlerts({ state, limit, after }: ListQuery) {
      const begin = after?.state ?? 'open'
      const open =
        state === 'resolved' || begin === 'resolved'
          ? []
          : await listOfState('open', after?.id ?? null, limit)
      if (state === 'open' || open.length === limit) return open
      const before = begin === 'resolved' ? (after?.id ?? null) : null
      return [...open, ...(await listOfState('resolved', before, limit - open.length))]
    },

    acknowledgeAlert: (alertId, by, logOf) =>
      writer.transaction().execute(async (db) => {
        const at = nowText(clock)
        const changed = await db
          .updateTable('alerts')
          .set({ acknowledged_at: at, acknowledged_by: by })
          .where('alert_id', '=', alertId)
          .where('resolved_at', 'is', null)
          .where('acknowledged_at', 'is', null)
          .executeTakeFirst()
        const row = await db
          .selectFrom('alerts')
          .selectAll()
          .where('alert_id', '=', alertId)
          .executeTakeFirst()
        const alert = row ? toAlert(row) : null
        if (alert && changed.numUpdatedRows > 0n) {
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
      const over = await all
        .where('resolved_at', 'is not', null)
        .where('raise_mailed_at', 'is not', null)
        .where('resolve_mailed_at', 'is', null)
        .execute()
      return { raised: raised.map(toAlert), resolved: over.map(toAlert) }
    },

    async noteMailed({ raised, resolved: over }) {
      const at = nowText(clock)
      for (const ids of partsOf(raised.map(idOf), IDS_AT_ONCE)) {
        await writer
          .updateTable('alerts')
          .set({ raise_mailed_at: at })
          .where('alert_id', 'in', ids)
          .execute()
      }
      for (const ids of partsOf(over.map(idOf), IDS_AT_ONCE)) {
        await writer
          .updateTable('alerts')
          .set({ resolve_mailed_at: at })
          .where('alert_id', 'in', ids)
          .execute()
      }
    },
  }
}

function idOf({ id }: Alert): number {
  return id
}

function partsOf<Item>(items: Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}
