import { type Selectable, sql } from 'kysely'
import {
  MAX_VIEWS,
  type StoredView,
  type ViewContent,
  type ViewStore,
} from '../../port/record-list-store.ts'
import { insertAudit } from '../activity/activity-rows.ts'
import type { Databases, Executor } from '../schema/databases.ts'
import { countRows, deleteRows, updateRows } from '../schema/rows.ts'
import type { Tables } from '../schema/tables.ts'

export function createViewStore({ reader, transact }: Databases): ViewStore {
  return {
    async listViews(owner) {
      const rows = await reader
        .selectFrom('saved_views')
        .selectAll()
        .where((eb) => eb.or([eb('owner', '=', owner), eb('is_shared', '=', 1)]))
        .orderBy('name')
        .orderBy('view_id')
        .execute()
      return rows.map(toView)
    },

    readView: (viewId) => findView(reader, viewId),

    createView: ({ name, query, shared, owner }, audit) =>
      transact(['view names'], async (db, at) => {
        if ((await countRows(db, 'saved_views', { owner })) >= MAX_VIEWS) return 'too_many'
        const row = await db
          .insertInto('saved_views')
          .values({
            name,
            query,
            owner,
            is_shared: shared ? 1 : 0,
            created_at: at,
            updated_at: at,
          })
          .onConflict((conflict) => conflict.doNothing())
          .returningAll()
          .executeTakeFirst()
        if (!row) return 'name_taken'
        await insertAudit(db, at, audit)
        return toView(row)
      }),

    changeView: (viewId, change, audit) =>
      transact(['view names'], async (db, at) => {
        const stored = await findView(db, viewId)
        if (!stored) return null
        if (change.name !== undefined && (await isTaken(db, stored, change.name))) {
          return 'name_taken'
        }
        const columns = { ...toColumns(change), updated_at: at }
        await updateRows(db, 'saved_views', { view_id: viewId }, columns)
        await insertAudit(db, at, audit)
        return findView(db, viewId)
      }),

    deleteView: (viewId, audit) =>
      transact([], async (db, at) => {
        if ((await deleteRows(db, 'saved_views', { view_id: viewId })) === 0) return false
        await insertAudit(db, at, audit)
        return true
      }),
  }
}

async function findView(db: Executor, viewId: number): Promise<StoredView | null> {
  const row = await db
    .selectFrom('saved_views')
    .selectAll()
    .where('view_id', '=', viewId)
    .executeTakeFirst()
  return row ? toView(row) : null
}

async function isTaken(db: Executor, view: StoredView, name: string): Promise<boolean> {
  const match = { owner: view.owner, name, view_id: sql`<> ${view.id}` }
  return (await countRows(db, 'saved_views', match)) > 0
}

function toColumns({ name, query, shared }: Partial<ViewContent>) {
  return {
    ...(name === undefined ? {} : { name }),
    ...(query === undefined ? {} : { query }),
    ...(shared === undefined ? {} : { is_shared: shared ? 1 : 0 }),
  }
}

function toView({ view_id, is_shared, ...view }: Selectable<Tables['saved_views']>): StoredView {
  return { id: view_id, shared: is_shared === 1, ...view }
}
