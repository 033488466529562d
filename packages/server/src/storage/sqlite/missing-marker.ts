/** Marks records as missing on SQLite, in one transaction on the writing connection without an await. */
import type { DatabaseSync } from 'node:sqlite'
import { missingChange } from '../../domain/record/record.ts'
import type { MarkOutcome, MissingBatch } from '../port/missing-store.ts'
import type { MissingDialect } from '../shared/pulls/missing-store.ts'
import type { SqliteConnections } from './connection.ts'
import { idList } from './id-list.ts'
import { prepareWriteStatements } from './write-statements.ts'

export function createMissingDialect(connections: SqliteConnections): MissingDialect {
  const { database } = connections
  const markMissing = prepareMark(database)
  return {
    idList,

    markMissing: (batch) =>
      connections.exclusively(() => {
        database.exec('BEGIN IMMEDIATE')
        try {
          const outcome = markMissing(batch)
          database.exec('COMMIT')
          return outcome
        } catch (error) {
          if (database.isTransaction) database.exec('ROLLBACK')
          throw error
        }
      }),
  }
}

function prepareMark(database: DatabaseSync) {
  const { findModuleOfRead, readSequence, saveSequence, appendHistory } =
    prepareWriteStatements(database)
  const markOne = database.prepare(`
    UPDATE records SET missing_since = ?, change_seq = ?, updated_at = ?
    WHERE record_id = ? AND platform_id = ? AND module_id = ?
      AND missing_since IS NULL AND pushed_seq <= ?
      AND (pushed_at IS NULL OR pushed_at <= ?)`)
  return (batch: MissingBatch & { at: string }): MarkOutcome => {
    const gate = findModuleOfRead(batch)
    if (typeof gate === 'string') return { outcome: 'rejected', code: gate }
    const { platform_id, module_id, pull_id, snapshotSeq: mark, pushed_until, since, at } = batch
    const entry = { platform_id, pull_id, at, source: 'pull', request_id: null }
    const changes = [missingChange(since)]
    const before = readSequence()
    let seq = before
    for (const { record_id } of batch.records) {
      const next = seq + 1
      const record = [record_id, platform_id, module_id, mark, pushed_until]
      const done = markOne.run(since, next, at, ...record)
      if (Number(done.changes) === 0) continue
      appendHistory({ ...entry, record_id, change_seq: next, changes })
      seq = next
    }
    if (seq > before) saveSequence(seq)
    return { outcome: 'marked', marked: seq - before }
  }
}
