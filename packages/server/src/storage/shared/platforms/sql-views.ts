import { sql } from 'kysely'
import { HUB_MEMBERS } from '../../../domain/record/record-columns.ts'
import { dedupeNames } from '../../../lib/text/dedupe-names.ts'
import type { SqlViews, ViewFailure } from '../../port/platform-store.ts'
import type { Databases, Executor } from '../schema/databases.ts'

/** The functions of views that differ between engines. */
export type ViewDialect = {
  /** Returns the quoted name of a view, with its schema. */
  qualify: (viewName: string) => string
  /** The FROM item with the records `r`, and whatever `keyValue` needs. */
  source: string
  /** Returns the value of a key in `data` of the records `r`, as `->>` does. */
  keyValue: (key: string) => string
  /** Statements to run before creating views. */
  preparations: string[]
}

/** The limit of PostgreSQL. SQLite has none. */
const MAX_NAME_BYTES = 63
/** SQLite allows 2,000 columns in a result, PostgreSQL 1,664. */
const MAX_FIELDS = 1500

/** Maximum number of views changed in one transaction. Pushes wait for it. */
const BATCH = 50

/** `definition` is null for a view to delete. */
type ViewChange = { view_name: string; definition: string | null }

type ViewedModule = {
  platform_id: number
  module_id: number
  platform_name: string
  record_type: string
  module_name: string
  fields: string
}

export function createSqlViews(
  { reader, writer, acquireLock }: Databases,
  dialect: ViewDialect,
): SqlViews {
  const drop = (viewName: string) => `DROP VIEW IF EXISTS ${dialect.qualify(viewName)}`

  /** Changes views in one transaction, since every connection reloads the schema after each change. */
  async function change(changes: ViewChange[]): Promise<void> {
    await writer.transaction().execute(async (db) => {
      await acquireLock(db, 'sql views')
      for (const statement of dialect.preparations) await sql.raw(statement).execute(db)
      for (const { view_name, definition } of changes) {
        const stored = await db
          .selectFrom('sql_views')
          .select('definition')
          .where('view_name', '=', view_name)
          .executeTakeFirst()
        if ((stored?.definition ?? null) === definition) continue
        await sql.raw(drop(view_name)).execute(db)
        await db.deleteFrom('sql_views').where('view_name', '=', view_name).execute()
        if (definition === null) continue
        await sql.raw(definition).execute(db)
        await db.insertInto('sql_views').values({ view_name, definition }).execute()
      }
    })
  }

  /** Changes views one by one, so that a view which fails does not prevent the others. */
  async function changeOneByOne(changes: ViewChange[]): Promise<ViewFailure[]> {
    const failures: ViewFailure[] = []
    for (const viewChange of changes) {
      try {
        await change([viewChange])
      } catch (error) {
        failures.push({ view_name: viewChange.view_name, reason: reasonOf(error) })
      }
    }
    return failures
  }

  return {
    async refreshViews() {
      const stored = await reader.selectFrom('sql_views').selectAll().execute()
      const defined = defineViews(await readModules(reader), dialect)
      const obsolete = stored.filter(({ view_name }) => !defined.has(view_name))
      const known = new Map(stored.map((view) => [view.view_name, view.definition]))
      const changes: ViewChange[] = [
        ...obsolete.map(({ view_name }) => ({ view_name, definition: null })),
        ...[...defined]
          .filter(([name, definition]) => known.get(name) !== definition)
          .map(([view_name, definition]) => ({ view_name, definition })),
      ]
      const failures: ViewFailure[] = []
      for (let start = 0; start < changes.length; start += BATCH) {
        const batch = changes.slice(start, start + BATCH)
        await change(batch).catch(async () => failures.push(...(await changeOneByOne(batch))))
      }
      return failures
    },
  }
}

async function readModules(db: Executor): Promise<ViewedModule[]> {
  return db
    .selectFrom('modules as m')
    .innerJoin('platforms as p', 'p.platform_id', 'm.platform_id')
    .select([
      'm.platform_id',
      'm.module_id',
      'p.platform_name',
      'm.record_type',
      'm.module_name',
      'm.fields',
    ])
    .where('m.registered_at', 'is not', null)
    .orderBy('m.module_id')
    .execute()
}

/** Returns the definitions of views by name: `v_<platform>_<record_type>`, in letters, digits and `_`. */
function defineViews(modules: ViewedModule[], dialect: ViewDialect): Map<string, string> {
  const preferred = modules.map(({ platform_name, record_type }) =>
    `v_${platform_name}_${record_type}`.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, '_'),
  )
  const names = dedupeNames(preferred, MAX_NAME_BYTES)
  return new Map(
    modules.map((module, index) => {
      const name = names[index] ?? ''
      return [name, `CREATE VIEW ${dialect.qualify(name)} AS ${selectOf(module, dialect)}`]
    }),
  )
}

function selectOf(module: ViewedModule, { source, keyValue }: ViewDialect): string {
  const fields: { key: string }[] = JSON.parse(module.fields)
  const keys = fields.slice(0, MAX_FIELDS).map(({ key }) => key)
  const hubColumns = HUB_MEMBERS.map((member) => {
    const isConstant =
      member === 'platform_name' || member === 'module_name' || member === 'record_type'
    return {
      name: `hub_${member}`,
      value: isConstant ? textLiteral(module[member]) : `r.${member}`,
    }
  })
  const columns = [
    ...hubColumns,
    { name: 'hub_data', value: 'r.data' },
    ...keys.map((key) => ({ name: key, value: keyValue(key) })),
  ]
  const names = dedupeNames(
    columns.map((column) => column.name),
    MAX_NAME_BYTES,
  )
  const list = columns.map(({ value }, index) => `${value} AS ${quoteName(names[index] ?? '')}`)
  return `SELECT ${list.join(', ')} FROM ${source}
    WHERE r.platform_id = ${module.platform_id} AND r.module_id = ${module.module_id}`
}

/** Quotes a name, for every engine. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

export function textLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
