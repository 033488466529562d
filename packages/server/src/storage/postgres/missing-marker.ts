/**
 * Marks records as missing on PostgreSQL, in one transaction. It acquires the same locks as every write of records: the
 * shared locks of `begin`, then the records in the order of their keys.
 */
import type { PoolClient } from 'pg'
import { missingChange } from '../../domain/record/record.ts'
import type { MarkOutcome, MissingBatch } from '../port/missing-store.ts'
import { countNothing } from '../shared/counters/counter-deltas.ts'
import type { MissingDialect } from '../shared/pulls/missing-store.ts'
import { DigestDeltas } from '../shared/records/digest-deltas.ts'
import { toDigestColumns, toModuleOfRead } from '../shared/records/write-rows.ts'
import { integerOf, type Row } from '../shared/schema/databases.ts'
import type { PostgresConnections } from './connection.ts'
import { idList } from './dialect.ts'
import { withRetry } from './map-error.ts'
import { bigintArray, textArray } from './parameters.ts'
import { createWriteStatements } from './write-statements.ts'

export function createMissingDialect(
  connections: Pick<PostgresConnections, 'withWriter' | 'publish'>,
  node: string,
): MissingDialect {
  const { withWriter, publish } = connections
  return {
    idList,
    publish,
    markMissing: (batch) =>
      withRetry(() => withWriter((client) => markMissing(client, batch, node))),
  }
}

async function markMissing(
  client: PoolClient,
  batch: MissingBatch & { at: string },
  node: string,
): Promise<MarkOutcome> {
  const statements = createWriteStatements(client)
  await statements.begin()
  const module = toModuleOfRead((await statements.findModulesOfReads([batch]))[0])
  if (typeof module === 'string') {
    await statements.commit()
    return { outcome: 'rejected', code: module }
  }
  const locked = await lockRecords(client, batch)
  const ids = locked.map((row) => integerOf(row, 'record_id'))
  if (ids.length > 0) {
    const deltas = new DigestDeltas()
    for (const row of locked) deltas.replace(module, toDigestColumns(row), null)
    const sums = deltas.rows()
    const totals = deltas.totals().map((total) => countNothing(total, total))
    // Numbers are allocated after the locks, so that those of a record rise on every node.
    const numbers = await statements.allocateSequence(ids.length)
    const values = [batch.since, batch.at, bigintArray(ids), bigintArray(numbers)]
    const { platform_id, pull_id, since, at } = batch
    const entry = { platform_id, pull_id, source: 'pull', request_id: null, revert_id: null }
    const changes = [missingChange(since)]
    const history = ids.map((record_id, index) => {
      const change_seq = numbers[index]
      if (change_seq === undefined) throw new Error('Too few sequence numbers were allocated')
      return { ...entry, record_id, change_seq, changes }
    })
    await Promise.all([
      client.query({ name: 'markMissing', text: SQL.markMissing, values }),
      statements.appendHistory(history, at),
      ...(totals.length > 0 ? [statements.addToModules(totals, node)] : []),
      ...(sums.length > 0 ? [statements.addToSums(sums)] : []),
    ])
  }
  await statements.commit()
  return { outcome: 'marked', marked: ids.length }
}

/** Locks the records that the read can prove missing, in the order in which every writer locks records. */
async function lockRecords(client: PoolClient, batch: MissingBatch): Promise<Row[]> {
  const references = batch.records
    .map((record) => record.reference_number)
    .sort((one, other) => (one < other ? -1 : Number(one > other)))
  const { platform_id, module_id, snapshotSeq, pushed_until, ahead_from } = batch
  const start = [snapshotSeq, pushed_until, ahead_from]
  const values = [platform_id, module_id, textArray(references), ...start]
  const query = { name: 'lockMissing', text: SQL.lockMissing, values }
  return (await client.query<Row>(query)).rows
}

const SQL = {
  lockMissing: `
    SELECT r.record_id, r.reference_hash, r.version_hash
    FROM unnest($3::text[]) AS k (reference)
    CROSS JOIN LATERAL (
      SELECT record_id, reference_hash, version_hash FROM records
      WHERE platform_id = $1 AND module_id = $2 AND reference_number = k.reference
        AND missing_since IS NULL AND pushed_seq <= $4
        AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.record_id = records.record_id AND h.path = '/missing_since')
        AND (pushed_at IS NULL OR pushed_at <= $5 OR pushed_at > $6)
      FOR NO KEY UPDATE
    ) r`,
  markMissing: `
    UPDATE records r SET missing_since = $1, taken_back = 0, version = NULL, version_hash = NULL, updated_at = $2,
      change_seq = w.change_seq
    FROM unnest($3::bigint[], $4::bigint[]) AS w (record_id, change_seq)
    WHERE r.record_id = w.record_id`,
} as const
