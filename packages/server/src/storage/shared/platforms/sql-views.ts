import { sql } from 'kysely'
import { HUB_MEMBERS } from '../../../domain/record/record-columns.ts'
import { dedupeNames } from '../../../lib/text/dedupe-names.ts'
import type { SqlViews, ViewFailure } from '../../port/sql-views.ts'
import type { Databases, Executor } from '../schema/databases.ts'

/** What an engine does its own way. */
export type ViewDialect = {
  /** A view's name where it is made, quoted. */
  placeOf: (viewName: string) => string
  /** The value of a key of `data` of the records `r`: as `->>` gives it. */
  keyValue: (key: string) => string
  /** Statements before the first view is made. */
  preparations: string[]
}

/** PostgreSQL's, the shorter one of both. */
const MAX_NAME_BYTES = 63
/** SQLite gives a result 2,000 columns, PostgreSQL 1,664. */
const MAX_FIELDS = 1500

/** Made in one transaction: pushes wait for no more than this. */
const TOGETHER = 50

/** `definition` is null for a view that is not wanted any more. */
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
  const drop = (viewName: string) => `DROP VIEW IF EXISTS ${dialect.placeOf(viewName)}`

  /** Together, since every connection reads the whole schema anew after a change of it. */
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

  /** One that cannot be made must not keep the others from being made. */
  async function changeOneByOne(changes: ViewChange[]): Promise<ViewFailure[]> {
    const failures: ViewFailure[] = []
    for (const one of changes) {
      try {
        await change([one])
      } catch (error) {
        failures.push({ view_name: one.view_name, reason: reasonOf(error) })
      }
    }
    return failures
  }

  return {
    async refreshViews() {
      const stored = await reader.selectFrom('sql_views').selectAll().execute()
      const wanted = defineViews(await readModules(reader), dialect)
      const gone = stored.filter(({ view_name }) => !wanted.has(view_name))
      const known = new Map(stored.map((view) => [view.view_name, view.definition]))
      const changes: ViewChange[] = [
        ...gone.map(({ view_name }) => ({ view_name, definition: null })),
        ...[...wanted]
          .filter(([name, definition]) => known.get(name) !== definition)
          .map(([view_name, definition]) => ({ view_name, definition })),
      ]
      const failures: ViewFailure[] = []
      for (let at = 0; at < changes.length; at += TOGETHER) {
        const some = changes.slice(at, at + TOGETHER)
        await change(some).catch(async () => failures.push(...(await changeOneByOne(some))))
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

/** By name: `v_<platform>_<record_type>`, in letters, digits and `_`. */
function defineViews(modules: ViewedModule[], dialect: ViewDialect): Map<string, string> {
  const wished = modules.map(({ platform_name, record_type }) =>
    `v_${platform_name}_${record_type}`.toLowerCase().replace(/[^\p{L}\p{N}_]+/gu, '_'),
  )
  const names = dedupeNames(wished, MAX_NAME_BYTES)
  return new Map(
    modules.map((module, index) => {
      const name = names[index] ?? ''
      return [name, `CREATE VIEW ${dialect.placeOf(name)} AS ${selectOf(module, dialect)}`]
    }),
  )
}

function selectOf(module: ViewedModule, { keyValue }: ViewDialect): string {
  const fields: { key: string }[] = JSON.parse(module.fields)
  const keys = fields.slice(0, MAX_FIELDS).map(({ key }) => key)
  const hubColumns = HUB_MEMBERS.map((member) => {
    const isOfModule =
      member === 'platform_name' || member === 'module_name' || member === 'record_type'
    return {
      name: `hub_${member}`,
      value: isOfModule ? textLiteral(module[member]) : `r.${member}`,
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
  return `SELECT ${list.join(', ')} FROM records r
    WHERE r.platform_id = ${module.platform_id} AND r.module_id = ${module.module_id}`
}

/** The same on every engine. */
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
