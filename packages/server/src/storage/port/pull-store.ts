import type {
  DigestResult,
  DriftPolicy,
  Field,
  FullBecause,
  IncompleteReason,
  MissingReviewState,
  ModuleCompleteness,
  PlatformPull,
  Pull,
  PullCounts,
  PullMode,
  PullOutcome,
  PullState,
  PullTask,
  PullTaskState,
  PullTrigger,
  ReadMode,
} from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { TaskTally } from '../../domain/pull/pull-ending.ts'
import type { CachedResponse } from '../../domain/pull/unchanged.ts'
import type { RejectionGroup } from '../../domain/record/rejection-groups.ts'
import type { ModuleDigest } from './digest-store.ts'
import type { ChangeLog } from './platform-store.ts'

/** A pull belongs to the process that renews its lease. Other processes may end a pull whose lease has expired. */
export type Lease = { owner: string; seconds: number }

/** One module of one platform to read within a pull. */
export type PullTaskPlan = {
  task_number: number
  platform_id: number
  module_id: number
  record_type: string
  module_name: string
  fields: Field[]
  drift_policy: DriftPolicy
  /** The mode of the pull, and who started it. */
  pull_mode: PullMode
  trigger: PullTrigger
  /** The error of the module's last read, and its error or warnings; null without any. */
  error: string | null
  problem: string | null
}

export type PullTaskResult = {
  state: Exclude<PullTaskState, 'queued' | 'running'>
  total: number | null
  counts: PullCounts
  error: string | null
  /** The cause of the rejections that the error names; null for any other error. */
  error_cause: string | null
  warnings: string[]
  /** The message of the error, or the warnings; null without a problem. */
  problem: string | null
  /**
   * The error of the platform's module that failed most recently in this pull. If none failed, the summary of the first
   * module with rejected records; null without rejections.
   */
  platform_error: string | null
  /** How the module was read, and why in full; `digest` is null in the other modes. */
  mode: ReadMode
  full_because: FullBecause | null
  digest: DigestResult | null
  /** Set after a successful comparison by digest. */
  compared: {
    /** The number of records that both sides have, and of those of the platform. */
    records: number
    listed: number
    /** Set if both sides have the same versions: the explained differences, and of these the rejected elements. */
    verified: { explained: number; rejected: number } | null
  } | null
  /** Set after a successful read of the list. */
  read: {
    /** The write sequence at the start of the task. */
    snapshotSeq: number
    /** The time of the first request. */
    requested_at: string
    /** The number of pushes of the module that the read verifies, all before it. */
    pushes: number
    /** The number of records that the read contained. */
    records: number
    /** The number of stored records that the read contained only as rejected elements. */
    rejected_present: number
    /**
     * Why the read does not prove that the hub has all records; empty if it does. Null after a 304 response, which
     * confirms the cached response and verifies nothing.
     */
    incomplete_reasons: IncompleteReason[] | null
  } | null
  /** Set if the platform was not asked: then the result says nothing about it, and the last errors stay. */
  is_idle?: true
  /** What a comparison by digest changes in the `ModuleDigest` of the module; null for nothing. */
  digest_change: Partial<ModuleDigest> | null
  /** The response for the next conditional request of the module; null for none. */
  cached_response: CachedResponse | null
  /**
   * The rejected records by cause; null after a read that does not show it: that failed, received no body, or read only some
   * buckets.
   */
  rejection_groups: RejectionGroup[] | null
}

/** The state of a module when its task starts. */
export type StartedTask = {
  /** The write sequence: later pushes have a higher number. */
  snapshotSeq: number
  /** The number of accepted pushes of the module. A push in flight is counted later. */
  pushes: number
  /** The `version` of a response that the task will receive. */
  version: number
  /** Grows when an explanation of a differing bucket ends, and when a record is erased. */
  digest_epoch: number
  /** When a read of the module last received a body; null if none did. */
  full_read_at: string | null
  /** The cached response of the module; null if a push has arrived since its request. */
  cached_response: CachedResponse | null
  /** The groups of rejected records that an operator has accepted as exceptions. */
  accepted_rejections: RejectionGroup[]
  /** As `DigestStore.readDigest`. */
  history: ModuleDigest
  /** The state of the review of missing records that is not closed; null without one. */
  review: MissingReviewState | null
}

export type TaskProgress = {
  total: number | null
  counts: PullCounts
  /** Since when the task has waited for a response; null or left out if it does not. */
  waiting_since?: string | null
}

/** The platform and modules that a pull covers. */
export type PullScope = {
  platform_id: number
  /** Null for all registered modules. */
  record_types: string[] | null
}

/** What pulls are listed by. A member that is null or left out does not filter. */
export type PullFilter = {
  /** The name of a platform: pulls with a task of it in any state. */
  platform?: string | null
  trigger?: PullTrigger | null
  /**
   * Ended pulls that could not read all modules, that changed records, in which rejections or unlisted records began
   * (`finishTask`), or of which a revert has taken something back that was not taken back itself.
   */
  outcome?: PullOutcome | null
  /** When the pull was requested, both times included. */
  since?: string | null
  until?: string | null
}

export type EndState = Exclude<PullState, 'queued' | 'running'>

export interface PullStore {
  /**
   * Queues a pull with one task for each registered module of all active platforms, or of the scope `only`. The task
   * whose last complete read is oldest comes first; a failed attempt to read any module of a platform counts as a
   * read. At most one pull is queued or running on all nodes: if there is one, returns it. Ends abandoned pulls and
   * their tasks as `interrupted` first. The activity reports a pull that an operator or a program has requested, not
   * one of the schedule.
   *
   * A scheduled pull skips a platform if each of its modules failed in the last five pulls or more, until 15
   * minutes after its last failure, or until `resumeSkipped` or the platform has shown that it works (`isPaused`): by a push with its key
   * on any node, a module that was read, `recordRecovery`, `storeManifest`, or `changePlatform` with a source or to
   * active. A replay is not a sign of this. The tasks of a skipped platform are `skipped`.
   */
  requestPull(request: {
    trigger: PullTrigger
    requested_by: string | null
    lease: Lease
    only: PullScope | null
    /** With `full`, the modules of the pull are read as after `setNextMode`, until one read succeeds. `auto` by default. */
    mode?: PullMode
  }): Promise<{ outcome: 'queued' | 'already_running'; pull: Pull }>

  /**
   * Sets the mode of the next successful read of each registered module, or of those of the scope, in pulls that are requested
   * without a mode. `auto` takes another mode back.
   * @returns the number of these modules.
   */
  setNextMode(scope: PullScope | null, mode: PullMode): Promise<number>

  /**
   * Starts a queued pull under a lease.
   * @returns its tasks in the order in which they run; null if it is no longer queued.
   */
  startPull(pullId: number, lease: Lease): Promise<PullTaskPlan[] | null>

  /** Returns the ids of the platforms that a pull skips. */
  listSkipped(pullId: number): Promise<number[]>

  /**
   * Queues the skipped tasks of a platform that has responded, and ends the pause of the platform.
   * @returns these tasks in the order in which they run; none if the pull has ended or does not skip the platform.
   */
  resumeSkipped(pullId: number, platformId: number): Promise<PullTaskPlan[]>

  /** @returns false if the pull has ended or another process has the lease. This process must then stop the pull. */
  renewLease(pullId: number, lease: Lease): Promise<boolean>

  /** Whether the pull is running under this owner's lease. */
  holdsLease(pullId: number, owner: string): Promise<boolean>

  /**
   * Starts a task and deletes the cached response of its module, since the task may store newer records. `finishTask`
   * stores the new one.
   * @returns null if the pull has ended or the module was deleted.
   */
  startTask(pullId: number, taskNumber: number): Promise<StartedTask | null>

  /** Saves the progress of a running task. */
  reportTask(pullId: number, taskNumber: number, progress: TaskProgress): Promise<void>

  /**
   * Ends a task. Stores in one transaction its result, the module's last complete read, what a comparison by digest has
   * found, the platform's last error, the cached response, the groups of rejected records (`keepAccepted`) and the activity
   * entry. The snapshot of the last read is replaced only if the read contained every record that is not marked as missing.
   * Has no effect on a task that has ended.
   *
   * Rejections, or unlisted records, begin with a task if it counts more than the last read of the module's whole list and
   * any later task of it.
   *
   * Like the start of a task, it is durable at the latest with the end of the pull.
   */
  finishTask(
    pullId: number,
    taskNumber: number,
    result: PullTaskResult,
    activity: NewActivity | null,
  ): Promise<void>

  /**
   * Ends a pull and its unfinished tasks. From then on, no record that it reads is stored. Has no effect on a pull
   * that has ended. The activity reports each platform that scheduled pulls skip from now on. A task for which the platform
   * was not asked does not count as success.
   * @returns whether this call has ended the pull.
   */
  finishPull(
    pullId: number,
    end: { state: EndState; unfinishedTasks: Exclude<PullTaskState, 'queued' | 'running'> },
    activity: NewActivity | null,
  ): Promise<boolean>

  /**
   * Ends pulls and their tasks as `interrupted` if their lease has expired, or if their process is known to have ended
   * and has not renewed the lease for some seconds.
   * @returns the number of these pulls.
   */
  interruptAbandonedPulls(): Promise<number>

  /**
   * Ends all queued and running pulls and their tasks as `interrupted`. Call it only if no other process is running, for
   * example after locking the data folder.
   * @returns the number of these pulls.
   */
  interruptPulls(): Promise<number>

  /** Returns a pull with its current progress; null if it does not exist. */
  readPull(pullId: number): Promise<Pull | null>

  /**
   * Returns pulls with an id below `before` that match the filter, newest first. The cost does not depend on the number of
   * pulls of another outcome, nor on those before `since`. For reverted pulls, it depends on the number of reverts.
   */
  listPulls(query: PullFilter & { limit: number; before: number | null }): Promise<Pull[]>

  /**
   * Returns the pulls of one platform with an id below `before`, newest first. The cost does not depend on the number of
   * pulls.
   */
  listPlatformPulls(query: {
    platform_id: number
    limit: number
    before: number | null
  }): Promise<PlatformPull[]>

  /**
   * Returns, for each minute (`2026-11-21T07:05`, UTC) since a time, the number of records that pulls added or changed: in
   * the minute in which the read of the module ended, or in the current one while it runs; the number of pulls that ended;
   * and how many of these could not read all modules. Minutes without any are left out.
   */
  countPulledByMinute(
    since: string,
  ): Promise<{ minute: string; pulled: number; pulls: number; pulls_failed: number }[]>

  /** Returns the number of tasks of a pull in each state. States without tasks are left out. */
  tallyTasks(pullId: number): Promise<TaskTally>

  /**
   * Returns tasks after `after` in the order in which they run, in one state or in all. The error of a task that stored
   * nothing names the first of the stored rejections with its cause, which an erasure deletes.
   */
  listTasks(query: {
    pull_id: number
    state?: PullTaskState | null
    limit: number
    after: number | null
  }): Promise<(PullTask & { task_number: number })[]>
}

export type SchedulePause = { since: string; actor: string }

export interface ScheduleStore {
  /** Returns when the schedule of pulls was paused, and by whom; null if it is not paused. */
  readPause(): Promise<SchedulePause | null>

  /** Pauses or resumes the schedule on all nodes. If that changes nothing, nothing is logged. */
  setPaused(paused: boolean, actor: string, log: ChangeLog): Promise<void>
}

/**
 * Delivers queued pulls to a process that runs them. It is not a lock: `PullStore` guarantees that a pull runs once.
 */
export interface PullDispatcher {
  /**
   * Starts to deliver. Pulls of processes that have ended are interrupted first.
   * @param runPull runs a queued pull to its end. Never rejects.
   */
  start(runPull: (pullId: number) => Promise<void>): Promise<void>

  /** Delivers a queued pull once, to this node or another one. */
  dispatch(pullId: number): Promise<void>

  /** Stops delivery. Does not wait for running pulls. */
  stop(): Promise<void>
}

export interface CompletenessStore {
  /**
   * Returns the completeness of registered modules with an id above `after`, by id. Uses the results of pulls and the
   * counters, and reads no records except missing ones.
   */
  listCompleteness(query: {
    platform: string | null
    limit: number
    after: number | null
  }): Promise<ModuleCompleteness[]>
}
