/** Reverts, their records, and the holds that keep what they have taken back from coming back. */
import type { ImpossibleReason, RevertOutcome, RevertState } from '@recordhub/protocol'
import { flag, id, integer, table, text } from './define-table.ts'

export const revertTables = {
  reverts: table(
    {
      revert_id: id(),
      state: text<RevertState>(),
      /** As requested, and with the ids of what it names: JSON. */
      scope: text(),
      resolved_scope: text(),
      /** The pull that it takes back, or a part of. */
      pull_id: integer().nullable(),
      reason: text(),
      operator: text(),
      /** Whether it makes holds: a revert of a revert ends those of the first. */
      makes_holds: flag(),
      /** The revert that it takes back. */
      reverts_id: integer().nullable(),
      /** The records of its plan. */
      total: integer().default(0),
      /** As planned or decided; once it has ended, only of records that are done. */
      reverted: integer().default(0),
      kept: integer().default(0),
      impossible: integer().default(0),
      done: integer().default(0),
      /** The records that it has held. */
      held: integer().default(0),
      history_since: text().nullable(),
      created_at: text(),
      /** Null until the plan is complete. */
      planned_at: text().nullable(),
      started_by: text().nullable(),
      started_at: text().nullable(),
      finished_at: text().nullable(),
      error: text().nullable(),
      lease_owner: text().nullable(),
      lease_until: text().nullable(),
    },
    {
      indexes: {
        // The lock: at most one revert is queued or running.
        reverts_one_at_a_time: {
          unique: true,
          on: '(1)',
          where: "state IN ('queued', 'running', 'interrupted')",
        },
        reverts_of_pull: { on: 'pull_id', where: 'pull_id IS NOT NULL' },
        reverts_of_revert: { on: 'reverts_id', where: 'reverts_id IS NOT NULL' },
      },
    },
  ),

  /** The records of a revert: as planned, and once `done` as they were decided under their lock. */
  revert_records: table(
    {
      revert_id: integer(),
      record_id: integer(),
      platform_id: integer(),
      outcome: text<RevertOutcome>(),
      done: flag(),
      creates: flag(),
      /** Whether the revert has made holds of it. */
      held: flag(),
      /** The first path with another value. */
      kept_path: text().nullable(),
      /** The last change of the record that the decision saw. */
      decided_seq: integer(),
      reason: text<ImpossibleReason>().nullable(),
    },
    {
      primaryKey: ['revert_id', 'record_id'],
      indexes: {
        revert_records_of_record: { on: 'record_id' },
        // Most records are reverted; a list of them reads the table.
        revert_records_not_reverted: {
          on: 'revert_id, outcome, record_id',
          where: "outcome <> 'reverted'",
        },
      },
    },
  ),

  /** One row per refused path; `''` is the existence of the record, and `/missing_since` its absence. */
  holds: table(
    {
      record_id: integer(),
      revert_id: integer(),
      path: text(),
      platform_id: integer(),
      module_id: integer(),
      /** The hash of the refused value in canonical form. */
      refused: text(),
      at: text(),
    },
    {
      primaryKey: ['record_id', 'revert_id', 'path'],
      indexes: {
        holds_of_module: { on: 'module_id, path' },
        holds_by_age: { on: 'at, record_id' },
        holds_of_revert: { on: 'revert_id, record_id' },
      },
    },
  ),
}
