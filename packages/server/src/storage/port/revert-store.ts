import type {
  Hold,
  HoldsSummary,
  ImpossibleReason,
  Revert,
  RevertOutcome,
  RevertRecord,
  RevertScope,
} from '@recordhub/protocol'
import type { RevertCandidate, RevertOutline } from '../../domain/revert/decide-revert.ts'
import type { ChangeLog } from './platform-store.ts'
import type { Lease } from './pull-store.ts'
import type { ModuleRef } from './record-list-store.ts'

/** A scope with the ids of what it names. `begin`: no write of the scope is older. RFC 3339. */
export type ResolvedScope =
  | { kind: 'pull'; pull_id: number; module_ids: number[] | null; begin: string }
  /** `from` ≤ time of the write < `to`, RFC 3339 in UTC with milliseconds. */
  | { kind: 'pushes'; platform_id: number; from: string; to: string }
  | { kind: 'record'; record_id: number; version: number }
  | { kind: 'revert'; revert_id: number; begin: string }

export type NewRevert = {
  scope: RevertScope
  resolved: ResolvedScope
  reason: string
  operator: string
  makes_holds: boolean
  history_since: string | null
}

/** Where `listScope` continues. */
export type ScopeCursor = { stream: number; at: string; record_id: number }

/** A record of a scope, with what a write of it needs. */
export type ScopeRecord = RevertCandidate & {
  record_id: number
  platform_id: number
  record_type: string
  reference_number: string
  change_seq: number
}

/** A record of a scope, without its content. */
export type ScopeOutline = RevertOutline & Pick<ScopeRecord, 'record_id' | 'platform_id'>

/** What was decided about a record that needs no write. */
export type RevertResult = {
  record_id: number
  platform_id: number
  outcome: RevertOutcome
  creates: boolean
  kept_path: string | null
  /** The last change of the record that the decision saw. */
  decided_seq: number
  reason: ImpossibleReason | null
}

/** A revert that this process runs. */
export type ClaimedRevert = {
  revert_id: number
  resolved: ResolvedScope
  makes_holds: boolean
  operator: string
}

/** `owner` is the process that runs it. */
export type RunningRevert = { revert_id: number; owner: string }

/** Selects holds; null matches all. */
export type HoldFilter = {
  platform: string | null
  record_type: string | null
  record_id: number | null
  revert_id: number | null
}

export type HoldQuery = HoldFilter & {
  limit: number
  after: { record_id: number; revert_id: number } | null
}

export interface RevertStore {
  /**
   * Returns the modules with these names that are not being removed; null stands for all.
   * @param pullId only modules that this pull was to read; null for any.
   */
  findModules(
    names: { platform: string | null; record_type: string | null },
    pullId: number | null,
  ): Promise<ModuleRef[]>

  /** Creates a plan without records. It is not visible before `finishPlan`. @returns its id. */
  createRevert(revert: NewRevert): Promise<number>

  /**
   * Returns the ids of records that a scope wrote, in steps. A record may be in several steps.
   * @returns `next`: null at the end.
   */
  listScope(
    scope: ResolvedScope,
    after: ScopeCursor | null,
    limit: number,
  ): Promise<{ ids: number[]; next: ScopeCursor | null }>

  /** Divides ids, in their order, so that data and history of each part have at most a number of bytes, or are of one record. */
  splitSteps(ids: number[], maxBytes: number): Promise<number[][]>

  /**
   * Returns the records of a scope among these ids, with their history: that of a single one is read in steps and folded. Deleted
   * records, and those that are being removed, are left out.
   */
  readScopeRecords(scope: ResolvedScope, ids: number[]): Promise<ScopeRecord[]>

  /** As `readScopeRecords`, without the contents of records and of history. Much faster for records of some kilobytes. */
  readScopeOutlines(scope: ResolvedScope, ids: number[]): Promise<ScopeOutline[]>

  /** Returns those of the ids that the plan does not contain. */
  findUnplanned(revertId: number, ids: number[]): Promise<number[]>

  /** Adds records to a plan. Has no effect on records that it contains. Durable once `finishPlan` has returned. */
  addPlanned(revertId: number, results: RevertResult[]): Promise<void>

  /** Counts the records of a plan and makes it visible. */
  finishPlan(revertId: number): Promise<Revert>

  /** Returns null for an unknown id and an unfinished plan. */
  readRevert(revertId: number): Promise<Revert | null>

  /** Returns the scope of a revert as it was resolved, and whether it makes holds; null for an unknown id. */
  readResolved(revertId: number): Promise<Pick<ClaimedRevert, 'resolved' | 'makes_holds'> | null>

  /** Returns reverts with an id below `before`, newest first; those whose scope is the pull if `pull_id` is set. */
  listReverts(query: {
    pull_id: number | null
    limit: number
    before: number | null
  }): Promise<Revert[]>

  /**
   * Returns records of a revert with an id above `after`, in the order of their ids. A record that a revert has not reached
   * when it ended has no outcome.
   */
  listRecords(query: {
    revert_id: number
    outcome: RevertOutcome | null
    limit: number
    after: number | null
  }): Promise<RevertRecord[]>

  /** Queues a planned revert. At most one is queued or running on all nodes. */
  startRevert(
    revertId: number,
    by: string,
    log: ChangeLog,
  ): Promise<'queued' | 'already_running' | 'not_planned'>

  /** Ends a revert that has not ended. Records that it has reverted remain so. @returns whether it had not ended. */
  cancelRevert(revertId: number, log: ChangeLog): Promise<boolean>

  /**
   * Takes a queued revert, or one whose process has ended, and runs it under a lease.
   * @returns null if there is none.
   */
  claimRevert(lease: Lease): Promise<ClaimedRevert | null>

  /** Returns the ids of records that are not done, above `after`, in the order of their ids. */
  listUndone(revertId: number, after: number, limit: number): Promise<number[]>

  /**
   * Saves decisions that need no write. Has no effect on records that are done.
   * @returns false if a record has changed since its decision, which is not saved then, or if the revert does not run.
   */
  saveResults(revertId: number, results: RevertResult[]): Promise<boolean>

  /** Removes records that were deleted since the plan. */
  dropRecords(revertId: number, recordIds: number[]): Promise<void>

  /** Renews the lease and counts what is done. @returns false if the revert has ended or another process runs it. */
  renewLease(revertId: number, lease: Lease): Promise<boolean>

  /** Lets another process continue the revert, or this one after a restart. */
  releaseRevert(revertId: number, owner: string): Promise<void>

  /** Ends a revert. Has no effect unless the owner runs it. */
  finishRevert(
    revertId: number,
    owner: string,
    end: { state: 'succeeded' | 'failed'; error: string | null },
    log: ChangeLog,
  ): Promise<void>

  /** Deletes plans that were made before a time and not started, also cancelled ones, a few at a time. @returns whether there may be more. */
  deleteOldPlans(before: string, limit: number): Promise<boolean>
}

export interface HoldStore {
  /** Returns holds, one entry per record and revert, in the order of their ids. */
  listHolds(query: HoldQuery): Promise<Hold[]>

  /** Counts the records of these holds, by default of all; with `until`, of those that were made at that time or before. */
  summarizeHolds(filter?: Partial<HoldFilter> & { until?: string }): Promise<HoldsSummary>

  /**
   * Lifts the holds of a record or of a revert, or one hold of a record, and makes the next read of their modules
   * unconditional. Logs nothing if there are none.
   * @param by lifts only while this revert runs: not after it was cancelled, or another process has claimed it.
   * @returns the number of records whose holds were lifted.
   */
  liftHolds(
    scope:
      | { record_id: number }
      | { revert_id: number }
      | { record_id: number; revert_id: number; path: string },
    log: ChangeLog,
    by?: RunningRevert,
  ): Promise<number>
}
