/** Marks records as missing on SQLite, in one transaction on the writing connection and without an await. */
import type { DatabaseSync } from 'node:sqlite'
import { missingChange } from '../../domain/record/record.ts'
import type { MarkOutcome, MissingBatch } from '../port/missing-store.ts'
import { countNothing } from '../shared/counters/counter-deltas.ts'
import type { MissingDialect } from '../shared/pulls/missing-store.ts'
import type { NewHistoryEntry } from '../shared/records/batch-changes.ts'
import { DigestDeltas } from '../shared/records/digest-deltas.ts'
import { toDigestColumns } from '../shared/records/write-rows.ts'
import { beginImmediate } from './begin-immediate.ts'
import type { SqliteConnections } from './connection.ts'
import { idList } from './dialect.ts'
import { prepareWriteStatements } from './write-statements.ts'

export function createMissingDialect(connections: SqliteConnections, node: string): MissingDialect {
  const { database, withWriteLock, publish } = connections
  const markMissing = prepareMarkMissing(database, node)
  return {
    idList,
    publish,
    markMissing: (batch) =>
      withWriteLock(() => {
        beginImmediate(database)
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

function prepareMarkMissing(database: DatabaseSync, node: string) {
  const { findModuleOfRead, readSequence, saveSequence, appendHistory, addToModule, addToSums } =
    prepareWriteStatements(database)
  const findDigest = database.prepare(
    'SELECT reference_hash, version_hash FROM records WHERE record_id = ?',
  )
  const markRecord = database.prepare(`
    UPDATE records SET missing_since = ?, taken_back = 0, version = NULL, version_hash = NULL, change_seq = ?, updated_at = ?
    WHERE record_id = ? AND platform_id = ? AND module_id = ?
      AND missing_since IS NULL AND pushed_seq <= ?
      AND NOT EXISTS (SELECT 1 FROM holds h WHERE h.record_id = records.record_id AND h.path = '/missing_since')
      AND (pushed_at IS NULL OR pushed_at <= ? OR pushed_at > ?)`)
  return (batch: MissingBatch & { at: string }): MarkOutcome => {
    const module = findModuleOfRead(batch)
    if (typeof module === 'string') return { outcome: 'rejected', code: module }
    const { platform_id, module_id, pull_id, since, at } = batch
    const { snapshotSeq, pushed_until, ahead_from } = batch
    const entry = { platform_id, pull_id, source: 'pull', request_id: null, revert_id: null }
    const changes = [missingChange(since)]
    const before = readSequence()
    let seq = before
    const history: NewHistoryEntry[] = []
    const deltas = new DigestDeltas()
    for (const { record_id } of batch.records) {
      const change_seq = seq + 1
      const record = [record_id, platform_id, module_id]
      const start = [snapshotSeq, pushed_until, ahead_from]
      const digest = findDigest.get(record_id)
      const { changes: marked } = markRecord.run(since, change_seq, at, ...record, ...start)
      if (Number(marked) === 0) continue
      history.push({ ...entry, record_id, change_seq, changes })
      if (digest) deltas.replace(module, toDigestColumns(digest), null)
      seq = change_seq
    }
    appendHistory(history, at)
    for (const total of deltas.totals()) addToModule(countNothing(total, total), node)
    addToSums(deltas.rows())
    if (seq > before) saveSequence(seq)
    return { outcome: 'marked', marked: seq - before }
  }
}
