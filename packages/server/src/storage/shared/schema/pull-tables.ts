/** Pulls, missing records, and rejected pushes. */
import type {
  FullBecause,
  MissingReviewState,
  PullMode,
  PullOutcome,
  PullState,
  PullTaskState,
  PullTrigger,
  PushErrorReason,
  ReadMode,
  RejectedPush,
  ReplayOutcome,
} from '@recordhub/protocol'
import type { ErrorCode } from '../../../errors.ts'
import { flag, id, integer, table, text } from './define-table.ts'

/** The code of an accepted push of which a hold has kept values out. It is stored as a rejected push, so that it can be replayed. */
export const HELD = 'held' satisfies ErrorCode

/** The rejected pushes that are deleted over the quota: those that were not acknowledged, or are done. As a condition of a partial index. */
export const DELETED_OVER_QUOTA = `(code <> '${HELD}' OR replayed_at IS NOT NULL)`

/** The pulls of an outcome, as the conditions of partial indexes. */
export const HAS_OUTCOME: Readonly<Record<Exclude<PullOutcome, 'reverted'>, string>> = {
  failed: "state IN ('partial', 'failed', 'timed_out')",
  changed: 'changed = 1',
  new_rejections: 'new_rejections = 1',
  newly_not_listed: 'newly_not_listed = 1',
}

export const pullTables = {
  pulls: table(
    {
      pull_id: id(),
      trigger: text<PullTrigger>(),
      mode: text<PullMode>().default('auto'),
      state: text<PullState>(),
      requested_by: text().nullable(),
      requested_at: text(),
      started_at: text().nullable(),
      finished_at: text().nullable(),
      lease_owner: text().nullable(),
      lease_until: text().nullable(),
      /** When the owner last renewed the lease. */
      renewed_at: text().nullable(),
      /** Whether an ended pull has changed records: new, updated or missing ones. */
      changed: flag().default(0),
      /** Whether rejections or unlisted records began in an ended pull. */
      new_rejections: flag().default(0),
      newly_not_listed: flag().default(0),
    },
    {
      indexes: {
        pulls_failed: { on: 'pull_id', where: HAS_OUTCOME.failed },
        pulls_changed: { on: 'pull_id', where: HAS_OUTCOME.changed },
        pulls_new_rejections: { on: 'pull_id', where: HAS_OUTCOME.new_rejections },
        pulls_newly_not_listed: { on: 'pull_id', where: HAS_OUTCOME.newly_not_listed },
        // The lock: at most one pull is queued or running.
        pulls_one_at_a_time: { unique: true, on: '(1)', where: "state IN ('queued', 'running')" },
      },
    },
  ),

  pull_tasks: table(
    {
      pull_id: integer().references('pulls.pull_id'),
      task_number: integer(),
      platform_id: integer(),
      module_id: integer(),
      state: text<PullTaskState>(),
      total: integer().nullable(),
      /** The number of records in the module when the pull was planned. */
      expected: integer().nullable(),
      received: integer().default(0),
      created: integer().default(0),
      updated: integer().default(0),
      unchanged: integer().default(0),
      stale: integer().default(0),
      held: integer().default(0),
      rejected: integer().default(0),
      accepted: integer().default(0),
      missing: integer().default(0),
      not_listed: integer().default(0),
      /** Whether rejections or unlisted records began with the task. */
      begins_rejected: flag().default(0),
      begins_not_listed: flag().default(0),
      error: text().nullable(),
      /** The cause of the rejected records that the error is about, one of which is added to it when it is read. */
      error_cause: text().nullable(),
      warnings: text().default('[]'),
      mode: text<ReadMode>().nullable(),
      full_because: text<FullBecause>().nullable(),
      /** A `DigestResult` as JSON. */
      digest: text().nullable(),
      started_at: text().nullable(),
      finished_at: text().nullable(),
      /** Since when the hub waits for a response; null while none is awaited for long. */
      waiting_since: text().nullable(),
    },
    {
      primaryKey: ['pull_id', 'task_number'],
      indexes: { pull_tasks_of_platform: { on: 'platform_id, pull_id' } },
    },
  ),

  /** Schedules that an operator has paused. */
  paused_schedules: table(
    { schedule: text(), paused_at: text(), paused_by: text() },
    { primaryKey: ['schedule'] },
  ),

  missing_reviews: table(
    {
      missing_review_id: id(),
      platform_id: integer(),
      module_id: integer(),
      state: text<MissingReviewState>(),
      missing: integer(),
      records: integer(),
      fingerprint: text(),
      /** The records that would be marked: a JSON array. */
      record_ids: text(),
      pull_id: integer(),
      at: text(),
      decided_at: text().nullable(),
      decided_by: text().nullable(),
      closed_at: text().nullable(),
    },
    {
      indexes: {
        // At most one open review per module.
        missing_reviews_open: { unique: true, on: 'module_id', where: 'closed_at IS NULL' },
        missing_reviews_pending: { on: 'platform_id', where: "state = 'pending'" },
        missing_reviews_closed: { on: 'closed_at', where: 'closed_at IS NOT NULL' },
      },
    },
  ),

  /** The records that the last complete read of a module with several pages did not contain: a JSON array. */
  missing_candidates: table({
    module_id: integer().primaryKey(),
    platform_id: integer(),
    record_ids: text(),
  }),

  /** The same rejection of the same body is stored once, with a count. */
  rejected_pushes: table(
    {
      rejected_push_id: id(),
      platform_id: integer().references('platforms.platform_id'),
      fingerprint: text(),
      first_at: text(),
      at: text(),
      count: integer(),
      method: text<RejectedPush['method']>(),
      code: text(),
      message: text(),
      errors: text(),
      body: text(),
      bytes: integer(),
      pull_id: integer().nullable(),
      /** The last request that was rejected; null for a pulled record. */
      request_id: text().nullable(),
      record_type: text().nullable(),
      /** A hash of code, module and message, by which rejected pushes are grouped. */
      cause: text(),
      /** The position in the order of writes, at which a replay writes. */
      position_seq: integer(),
      position_at: text(),
      replayed_at: text().nullable(),
      replayed_by: text().nullable(),
      replay_outcome: text<ReplayOutcome>().nullable(),
      replay_record_id: integer().nullable(),
    },
    {
      unique: ['platform_id', 'fingerprint'],
      indexes: {
        rejected_pushes_by_time: { on: 'platform_id, at, rejected_push_id' },
        rejected_pushes_deleted_over_quota: {
          on: 'platform_id, at, rejected_push_id',
          where: DELETED_OVER_QUOTA,
        },
        rejected_pushes_by_age: { on: 'at, rejected_push_id' },
        // Contains all figures of a group, so that counting reads no bodies.
        rejected_pushes_by_cause: {
          on: 'platform_id, cause, at, first_at, count',
          where: 'replayed_at IS NULL',
        },
        rejected_pushes_by_request: { on: 'request_id', where: 'request_id IS NOT NULL' },
        rejected_pushes_open: {
          on: 'platform_id, first_at',
          where: `replayed_at IS NULL AND pull_id IS NULL AND code <> '${HELD}'`,
        },
        rejected_pushes_by_position: { on: 'position_seq, rejected_push_id' },
        rejected_pushes_unregistered: {
          on: 'platform_id, record_type',
          where: "replayed_at IS NULL AND code = 'module_not_registered'",
        },
      },
    },
  ),

  /** The pulls that rejected a record, as ranges: no pull between the two read the module without rejecting it. */
  rejected_push_pulls: table(
    {
      rejected_push_id: integer().references('rejected_pushes.rejected_push_id', 'cascade'),
      first_pull_id: integer(),
      last_pull_id: integer(),
    },
    {
      primaryKey: ['rejected_push_id', 'last_pull_id'],
      indexes: { rejected_push_pulls_by_pull: { on: 'last_pull_id, first_pull_id' } },
    },
  ),

  /** Counts of requests that the receiver rejected. `platform_id` 0, `key_hint` '' and `address` '' mean none. */
  push_errors: table(
    {
      push_error_id: id(),
      hour: text(),
      reason: text<PushErrorReason>(),
      platform_id: integer(),
      key_hint: text(),
      address: text(),
      requests: integer(),
      last_at: text(),
      /** The last of these requests. */
      request_id: text(),
    },
    {
      indexes: {
        push_errors_sender: {
          unique: true,
          on: 'hour, reason, platform_id, key_hint, address',
        },
      },
    },
  ),

  /** The addresses from which each platform pushes. */
  push_addresses: table(
    { platform_id: integer(), address: text(), last_at: text() },
    { primaryKey: ['platform_id', 'address'] },
  ),

  /**
   * The requests of the log in batches of at most 1,000 with successive ids, because a row for each would cost a push more
   * than its own line. It has no index: a read of the log reads at most some thousand requests at once.
   */
  request_batches: table({
    first_id: integer().primaryKey(),
    last_id: integer(),
    /** When it was saved, shortly after its requests were received. */
    at: text(),
    /** The platforms of its requests, such as `,1,12,`, with 0 for none. */
    platforms: text(),
    /** The size of all requests so far, up to the last one of this batch. */
    end_bytes: integer(),
    /** A JSON list of `RequestElements`, or null for a deleted request. */
    lines: text(),
  }),

  /** What is shown of an opened request. */
  request_details: table({
    logged_request_id: integer().primaryKey(),
    headers: text(),
    body: text().nullable(),
    response: text().nullable(),
  }),

  /**
   * One row, from the first request on: the last id of the request log, and the size of all requests so far. A transaction that logs requests updates
   * it under the lock of the log, so that requests become visible in the order of their ids.
   */
  request_log: table({ log_id: integer().primaryKey(), last_id: integer(), end_bytes: integer() }),
}
