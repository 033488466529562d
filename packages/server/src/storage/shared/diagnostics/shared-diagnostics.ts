/** The checks of a database that are the same on both engines. */
import { type RawBuilder, sql } from 'kysely'
import { REFERENCES_PURPOSE } from '../../../domain/platform/api-key.ts'
import type {
  DatabaseProblem,
  DiagnosticsStore,
  SchemaState,
} from '../../port/diagnostics-store.ts'
import { listSettings } from '../operators/setting-store.ts'
import { readHealth } from '../platforms/health-rows.ts'
import { selectPlatformSummaries, toPlatformSummary } from '../platforms/platform-rows.ts'
import type { Executor } from '../schema/databases.ts'
import type { Migrations } from '../schema/migrate.ts'
import { findRow } from '../schema/rows.ts'
import { compareCounters, findInvalidCounters } from './repair-store.ts'

/** Entries of the audit log that one statement looks up. */
const AUDIT_STEP = 500

export function createSharedDiagnostics(db: Executor) {
  return {
    compareCounters: () => compareCounters(db),
    findInvalidCounters: () => findInvalidCounters(db),

    listLeases: () => db.selectFrom('leases').selectAll().orderBy('name').execute(),

    readUnfinishedPull() {
      const columns = ['pull_id', 'state', 'requested_at', 'started_at', 'lease_until'] as const
      return findRow(db, 'pulls', { state: ['queued', 'running'] }, columns)
    },

    async readLastWritten() {
      const activity = await db
        .selectFrom('activity')
        .select('at')
        .orderBy('activity_id', 'desc')
        .limit(1)
        .executeTakeFirst()
      const record = await db
        .selectFrom('records')
        .select('updated_at as at')
        .where(sql<boolean>`pushed_seq >= 0`)
        .orderBy('change_seq', 'desc')
        .limit(1)
        .executeTakeFirst()
      const times = [activity?.at, record?.at].filter((at) => at !== undefined)
      return times.sort().at(-1) ?? null
    },

    async listSources(now) {
      const rows = await selectPlatformSummaries(db)
        .innerJoin('secrets as s', 's.secret_id', 'p.source_key_secret_id')
        .select('s.ciphertext as encrypted_source_key')
        .orderBy('p.platform_name')
        .execute()
      const healthFacts = await readHealth(db, { platformIds: null, now })
      return rows.map((row) => {
        const { platform_id, encrypted_source_key } = row
        const summary = toPlatformSummary(row, healthFacts(platform_id))
        const { platform_name, status, source_base_url, health } = summary
        return { platform_id, platform_name, status, source_base_url, encrypted_source_key, health }
      })
    },

    async countChangesSince({ position, at }) {
      const { rows } = await sql<Record<'changed' | 'deleted' | 'audited', number>>`
        SELECT
          (SELECT count(*) FROM records WHERE pushed_seq >= 0 AND change_seq > ${position}) AS changed,
          (SELECT count(*) FROM record_deletions WHERE change_seq > ${position}) AS deleted,
          (SELECT count(*) FROM audit WHERE at > ${at}) AS audited
      `.execute(db)
      const { changed = 0, deleted = 0, audited = 0 } = rows[0] ?? {}
      return { changed: Number(changed), deleted: Number(deleted), audited: Number(audited) }
    },

    listSettings: () => listSettings(db),

    async findLostAudit(entries) {
      const oldest = await db
        .selectFrom('audit')
        .select('at')
        .orderBy('audit_id')
        .executeTakeFirst()
      const lost: number[] = []
      for (let start = 0; start < entries.length; start += AUDIT_STEP) {
        const step = entries.slice(start, start + AUDIT_STEP)
        const ids = step.map(({ id }) => id)
        const rows = await db
          .selectFrom('audit')
          .select(['audit_id', 'at'])
          .where('audit_id', 'in', ids)
          .execute()
        const times = new Map(rows.map(({ audit_id, at }) => [audit_id, at]))
        for (const { id, at } of step) {
          const isDeleted = oldest !== undefined && at < oldest.at
          if (times.get(id) !== at && !isDeleted) lost.push(id)
        }
      }
      return lost
    },

    async readPullTime(pull_id) {
      const pull = await findRow(db, 'pulls', { pull_id }, ['requested_at'])
      return pull?.requested_at ?? null
    },

    async readRevertTime(revert_id) {
      const revert = await findRow(db, 'reverts', { revert_id }, ['created_at'])
      return revert?.created_at ?? null
    },

    async readChangeTime({ record_id, version: change_seq }) {
      const entry = await findRow(db, 'record_history', { change_seq, record_id }, ['at'])
      return entry?.at ?? null
    },

    async readEncryptedKey() {
      const row = await findRow(db, 'secrets', { purpose: REFERENCES_PURPOSE }, ['ciphertext'])
      return row?.ciphertext ?? null
    },
  } satisfies Partial<DiagnosticsStore>
}

/** @param hasMigrations a query that returns a row if the table of migrations exists. */
export async function readSchemaState(
  db: Executor,
  migrations: Migrations,
  hasMigrations: RawBuilder<unknown>,
): Promise<SchemaState> {
  const found = await hasMigrations.execute(db)
  const { rows } =
    found.rows.length === 0
      ? { rows: [] }
      : await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db)
  const applied = rows.map(({ name }) => name)
  return {
    applied,
    pending: Object.keys(migrations).filter((name) => !applied.includes(name)),
    unknown: applied.filter((name) => !Object.hasOwn(migrations, name)),
  }
}

/** References without a foreign key, which would slow down writes: the rows, and the condition that one exists. */
const REFERENCES = [
  {
    name: 'records',
    detail: 'records of a module that does not exist',
    exists: sql`SELECT 1 FROM modules m
      WHERE m.module_id = records.module_id AND m.platform_id = records.platform_id`,
  },
  {
    name: 'record_history',
    detail: 'entries in the history of a record that does not exist',
    exists: sql`SELECT 1 FROM records r WHERE r.record_id = record_history.record_id`,
  },
  {
    name: 'record_index',
    detail: 'entries in the index of a field that is not indexed',
    exists: sql`SELECT 1 FROM indexed_fields f WHERE f.field_id = record_index.field_id`,
  },
]

/** Finds rows that reference a row that does not exist, where no foreign key prevents it. */
export async function findBrokenReferences(db: Executor): Promise<DatabaseProblem[]> {
  const problems: DatabaseProblem[] = []
  for (const { name, detail, exists } of REFERENCES) {
    const { rows } = await sql<{ n: number }>`
      SELECT count(*) AS n FROM ${sql.table(name)} WHERE NOT EXISTS (${exists})
    `.execute(db)
    const count = Number(rows[0]?.n ?? 0)
    if (count > 0) problems.push({ kind: 'broken_reference', name, detail: `${count} ${detail}` })
  }
  return problems
}

const MAX_SAMPLED_BYTES = 1_000_000

export type SampledRecord = {
  record_id: number
  platform_id: number
  reference_number: string
  full_name: string
  data: string
  change_seq: number
}

/**
 * Returns the last changed records up to a change, and others at random: `size` records at most. A sample of large
 * records would not fit in memory, so they are left out.
 */
export async function sampleRecords(
  db: Executor,
  position: number,
  size: number,
): Promise<SampledRecord[]> {
  const select = db
    .selectFrom('records')
    .select(['record_id', 'platform_id', 'reference_number', 'full_name', 'data', 'change_seq'])
    .where(sql<boolean>`pushed_seq >= 0`)
    .where('change_seq', '<=', position)
    .where(sql<boolean>`octet_length(data) <= ${sql.lit(MAX_SAMPLED_BYTES)}`)
    .orderBy('change_seq', 'desc')
  const last = await select.limit(Math.ceil(size / 2)).execute()
  const sampled = new Map(last.map((record) => [record.record_id, record]))
  for (let left = size - last.length; left > 0; left -= 1) {
    const from = Math.ceil(Math.random() * position)
    const record = await select.where('change_seq', '<=', from).limit(1).executeTakeFirst()
    if (record) sampled.set(record.record_id, record)
  }
  return [...sampled.values()]
}
