/**
 * Marks records as missing on PostgreSQL, in one transaction that holds what every write of records holds:
 * the write gates, shared with other writes, and the rows in the order of their keys.
 */
import type { PoolClient } from 'pg'
import { missingChange } from '../../domain/record/record.ts'
import type { MarkOutcome, MissingBatch } from '../port/missing-store.ts'
import type { MissingDialect } from '../shared/pulls/missing-store.ts'
import { toGateOfRead } from '../shared/records/write-rows.ts'
import { integerOf, type Row } from '../shared/schema/columns.ts'
import { bigintArray, textArray } from './array-parameters.ts'
import type { PostgresConnections } from './connection.ts'
import { idList } from './id-list.ts'
import { tryAgain } from './with-retry.ts'
import { createWriteStatements } from './write-statements.ts'

export function createMissingDialect({
  withWriter,
}: Pick<PostgresConnections, 'withWriter'>): MissingDialect {
  return {
    idList,

    markMissing: (batch) => tryAgain(() => withWriter((client) => markMissing(client, batch))),
  }
}

async function markMissing(
  client: PoolClient,
  batch: MissingBatch & { at: string },
): Promise<MarkOutcome> {
  const { begin, findReadings, nextNumbers, appendHistory, commit } = createWriteStatements(client)
  await begin()
  const gate = toGateOfRead((await findReadings([batch]))[0])
  if (typeof gate === 'string') {
    await commit()
    return { outcome: 'rejected', code: gate }
  }
  const ids = await lock(client, batch)
  if (ids.length > 0) {
    // Given out after the locks, so that the numbers of a record rise on every node.
    const numbers = await nextNumbers(ids.length)
    const values = [batch.since, batch.at, bigintArray(ids), bigintArray(numbers)]
    const { platform_id, pull_id, since, at } = batch
    const entry = { platform_id, pull_id, source: 'pull', request_id: null }
    const changes = [missingChange(since)]
    const lines = ids.map((record_id, index) => {
      const change_seq = numbers[index]
      if (change_seq === undefined) throw new Error('The write sequence gave too few numbers')
      return { ...entry, record_id, change_seq, changes }
    })
    await Promise.all([
      client.query({ name: 'markMissing', text: SQL.markMissing, values }),
      appendHistory(lines, at),
    ])
  }
  await commit()
  return { outcome: 'marked', marked: ids.length }
}

/** Locks those that may be marked, in the order in which every writer locks. */
async function lock(client: PoolClient, batch: MissingBatch): Promise<number[]> {
  const references = batch.records
    .map((record) => record.reference_number)
    .sort((one, other) => (one < other ? -1 : Number(one > other)))
  const { platform_id, module_id, snapshotSeq: mark, pushed_until } = batch
  const values = [platform_id, module_id, textArray(references), mark, pushed_until]
  const { rows } = await client.query<Row>({ name: 'lockUnmet', text: SQL.lockUnmet, values })
  return rows.map((row) => integerOf(row, 'record_id'))
}

const SQL = {
  lockUnmet: `
    SELECT r.record_id
    FROM unnest($3::text[]) AS k (reference)
    CROSS JOIN LATERAL (
      SELECT record_id FROM records
      WHERE platform_id = $1 AND module_id = $2 AND reference_number = k.reference
        AND missing_since IS NULL AND pushed_seq <= $4
        AND (pushed_at IS NULL OR pushed_at <= $5)
      FOR NO KEY UPDATE
    ) r`,
  markMissing: `
    UPDATE records r SET missing_since = $1, updated_at = $2, change_seq = w.change_seq
    FROM unnest($3::bigint[], $4::bigint[]) AS w (record_id, change_seq)
    WHERE r.record_id = w.record_id`,
} as const
