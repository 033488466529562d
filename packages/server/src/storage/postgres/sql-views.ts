/**
 * The views for reading records with SQL. They are in a schema of their own, to which an administrator can grant a role
 * access without the tables. The comment of a view says which definition it has.
 */
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { SqlViews, ViewFailure } from '../port/platform-store.ts'
import {
  createViewDefinitions,
  nameViews,
  quoteName,
  readSelects,
  selectOf,
  textLiteral,
  type ViewDialect,
} from '../shared/platforms/sql-views.ts'
import type { Databases, Executor } from '../shared/schema/databases.ts'

const SCHEMA = 'recordhub_views'

const dialect: ViewDialect = {
  // Parses the data of a record once for all columns. OFFSET 0 prevents the planner from repeating it per column.
  source: 'records r CROSS JOIN LATERAL (SELECT record_json(r.data) AS fields OFFSET 0) j',
  // The same replacements as in `record_json`.
  keyValue: (key) =>
    `j.fields ->> ${textLiteral(key.toWellFormed().replaceAll('\u0000', '\ufffd'))}`,
}

/** Maximum number of views changed in one transaction. Each needs locks, of which the server has a few thousand. */
const BATCH = 50

/** Changes with the definitions that this version of the hub writes, so that it replaces those of an earlier one. */
const FORMAT = createHash('sha256')
  .update(
    selectOf(
      {
        ...{ platform_id: 0, module_id: 0, platform_name: '', record_type: '', module_name: '' },
        fields: '[{"key":"a"}]',
      },
      dialect,
    ),
  )
  .digest('hex')
  .slice(0, 8)

/** `definition` is null for a view to delete. */
type ViewChange = {
  view_name: string
  definition: { module_id: number; comment: string } | null
}

export function createSqlViews({ reader, writer, acquireLock }: Databases): SqlViews {
  async function change(changes: ViewChange[]): Promise<void> {
    await writer.transaction().execute(async (db) => {
      await acquireLock(db, 'sql views')
      // A long query on a view must not block the hub.
      await sql`SET LOCAL lock_timeout = '5s'`.execute(db)
      await sql.raw(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`).execute(db)
      const stored = await readComments(db)
      // Another node may have changed them meanwhile.
      const due = changes.filter((one) => stored.get(one.view_name) !== one.definition?.comment)
      const ids = due.flatMap(({ definition }) => definition?.module_id ?? [])
      const selects = await readSelects(db, ids, dialect)
      for (const { view_name, definition } of due) {
        const name = `${SCHEMA}.${quoteName(view_name)}`
        if (stored.has(view_name)) await sql.raw(`DROP VIEW IF EXISTS ${name}`).execute(db)
        const select = definition && selects.get(definition.module_id)
        if (!select) continue
        await sql.raw(`CREATE VIEW ${name} AS ${select}`).execute(db)
        const comment = textLiteral(definition.comment)
        await sql.raw(`COMMENT ON VIEW ${name} IS ${comment}`).execute(db)
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
    defineViews: createViewDefinitions(reader, dialect),

    async refreshViews() {
      const [stored, named, digests] = await Promise.all([
        readComments(reader),
        nameViews(reader),
        readDigests(reader),
      ])
      const names = new Set(named.map(({ view_name }) => view_name))
      const changes: ViewChange[] = [
        ...[...stored.keys()]
          .filter((view_name) => !names.has(view_name))
          .map((view_name) => ({ view_name, definition: null })),
        ...named.flatMap(({ view_name, module_id }) => {
          const comment = `${COMMENT_START}: ${FORMAT}.${digests.get(module_id)}`
          return stored.get(view_name) === comment
            ? []
            : [{ view_name, definition: { module_id, comment } }]
        }),
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

const COMMENT_START = 'Recordhub keeps this view in sync with its module'

/** Reads the comments of the hub's views by name, without views that somebody else has created in the schema. */
async function readComments(db: Executor): Promise<Map<string, string>> {
  const { rows } = await sql<{ view_name: string; comment: string }>`
    SELECT relname AS view_name, obj_description(oid, 'pg_class') AS comment FROM pg_class
    WHERE relnamespace = to_regnamespace(${SCHEMA}) AND relkind = 'v'
      AND obj_description(oid, 'pg_class') LIKE ${`${COMMENT_START}%`}
  `.execute(db)
  return new Map(rows.map(({ view_name, comment }) => [view_name, comment]))
}

/** Digests what the views of modules are made from. The server does it, so that a change of one module does not read all fields. */
async function readDigests(db: Executor): Promise<Map<number, string>> {
  const { rows } = await sql<{ module_id: number; digest: string }>`
    SELECT module_id, encode(sha256(convert_to(
      row(platform_id, module_id, platform_name, record_type, module_name, fields)::text, 'UTF8'
    )), 'hex') AS digest
    FROM modules JOIN platforms USING (platform_id) WHERE registered_at IS NOT NULL
  `.execute(db)
  return new Map(rows.map(({ module_id, digest }) => [module_id, digest]))
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
