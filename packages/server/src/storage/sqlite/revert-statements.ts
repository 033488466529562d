/** The statements of reverts and holds within the write path, prepared once. */
import type { DatabaseSync } from 'node:sqlite'
import type { Hold } from '../../domain/revert/hold.ts'
import type { BatchChanges, LiftedHold, NewHold } from '../shared/records/batch-changes.ts'
import { toHold } from '../shared/records/write-rows.ts'

export type RevertStatements = ReturnType<typeof prepareRevertStatements>

export function prepareRevertStatements(database: DatabaseSync) {
  const isRunning = database.prepare(
    "SELECT 1 FROM reverts WHERE revert_id = ? AND state = 'running' AND lease_owner = ?",
  )
  const findAnyHold = database.prepare('SELECT 1 FROM holds WHERE module_id = ? LIMIT 1')
  const findHolds = database.prepare(
    'SELECT record_id, revert_id, path, refused FROM holds WHERE record_id = ?',
  )
  const saveReverted = database.prepare(`
    UPDATE revert_records SET outcome = 'reverted', done = 1, creates = ?, held = ?, kept_path = NULL,
      reason = NULL
    WHERE revert_id = ? AND record_id = ?`)
  const insertHold = database.prepare(`
    INSERT INTO holds (record_id, revert_id, path, platform_id, module_id, refused, at)
    VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`)
  // A kind or revert that is null stands for all.
  const liftHold = database.prepare(`
    DELETE FROM holds WHERE record_id = ?1 AND (?2 IS NULL OR revert_id = ?2)
      AND (?3 IS NULL OR ?3 = CASE path WHEN '' THEN 'existence'
        WHEN '/missing_since' THEN 'absence' ELSE 'values' END)`)
  // The holds may have explained buckets, as for `endExplanations`.
  const beginEpoch = database.prepare(`
    UPDATE modules SET digest_epoch = digest_epoch + 1
    WHERE module_id = (SELECT module_id FROM records WHERE record_id = ?)`)
  const deleteExplained = database.prepare(`
    DELETE FROM digest_buckets WHERE state = 'explained'
      AND module_id = (SELECT module_id FROM records WHERE record_id = ?)`)
  return {
    isRunning: (revertId: number, owner: string): boolean =>
      isRunning.get(revertId, owner) !== undefined,
    hasHolds: (moduleId: number): boolean => findAnyHold.get(moduleId) !== undefined,
    findHolds: (recordId: number): Hold[] => findHolds.all(recordId).map(toHold),

    saveReverted(records: BatchChanges['reverted']): void {
      for (const { creates, held, revert_id, record_id } of records) {
        saveReverted.run(creates ? 1 : 0, held ? 1 : 0, revert_id, record_id)
      }
    },

    insertHolds(holds: readonly NewHold[], at: string): void {
      for (const hold of holds) {
        const { record_id, revert_id, path, platform_id, module_id, refused } = hold
        insertHold.run(record_id, revert_id, path, platform_id, module_id, refused, at)
      }
    },

    liftHolds(holds: readonly LiftedHold[]): void {
      for (const { record_id, revert_id, kind } of holds) {
        liftHold.run(record_id, revert_id, kind)
        beginEpoch.run(record_id)
        deleteExplained.run(record_id)
      }
    },
  }
}
