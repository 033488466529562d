import type {
  Doubt,
  DriftPolicy,
  Field,
  PlatformPull,
  Pull,
  PullCounts,
  PullState,
  PullTask,
  PullTaskState,
  PullTrigger,
} from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { CachedResponse } from '../../domain/pull/cached-response.ts'
import type { TaskTally } from '../../domain/pull/pull-ending.ts'

/** A pull belongs to the process that renews its lease; a lease that ran out may be taken from it. */
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
  /** What was wrong at the module's last read. */
  trouble: string | null
}

export type PullTaskResult = {
  state: Exclude<PullTaskState, 'queued' | 'running'>
  total: number | null
  counts: PullCounts
  error: string | null
  warnings: string[]
  /** What was wrong at this read, in words; null where nothing was. */
  trouble: string | null
  /** What the platform's module failed with that failed last in this pull; null where none did. */
  platform_error: string | null
  /**
   * Set after a complete read: its mark, the time of its first request, how many pushes the module had had
   * by then, how many records it met, how many more only as elements that were rejected, and why it is no
   * proof that all are here; null where the platform said that the last answer still holds, and with it what
   * that one proved.
   */
  read: {
    mark: number
    requested_at: string
    pushes: number
    records: number
    rejected_here: number
    doubts: Doubt[] | null
  } | null
  /** The answer that the next read of the module may ask after; null for none. */
  kept: CachedResponse | null
}

/** What a task begins with. */
export type StartedTask = {
  /** The write sequence at that moment: what is pushed from now on has a higher number. */
  mark: number
  /** How many pushes the module has had. One that is not counted yet is counted after this moment. */
  pushes: number
  /** The module's last whole answer, where no push has come since it was asked for. */
  kept: CachedResponse | null
}

/** What a pull is to cover. */
export type PullScope = {
  platform_id: number
  /** All registered ones where it is null. */
  record_types: string[] | null
}

export type EndState = Exclude<PullState, 'queued' | 'running'>

export interface PullStore {
  /**
   * Queues a pull over the registered modules of all active platforms, or of one where `only` names it, a
   * task each, those first whose last complete read is oldest; a platform of which nothing could be read
   * has had its turn at that time. At most one pull is queued or running, over all nodes: else the
   * answer is that one. Abandoned pulls end `interrupted` first, with their tasks. That somebody has
   * started one is told in the activity; that the schedule has, is not.
   *
   * A scheduled pull skips a platform of which nothing could be read in the last five pulls or more, until
   * 15 minutes after its last failure or until something has shown since that it works (`isPaused`): a push
   * with its key, whatever node accepted it, a module that was read, `recordRecovery`, `storeManifest`,
   * `setSource`, or `setPlatformStatus` to active. A replay does not. The tasks of a skipped platform are
   * `skipped`.
   */
  requestPull(request: {
    trigger: PullTrigger
    requested_by: string | null
    lease: Lease
    only: PullScope | null
  }): Promise<{ outcome: 'queued' | 'already_running'; pull: Pull }>

  /**
   * Turns a queued pull into a running one under a lease.
   * @returns its tasks in the order they are to be run; null where it is not queued any more.
   */
  startPull(pullId: number, lease: Lease): Promise<PullTaskPlan[] | null>

  /** @returns false where the pull has ended or the lease is another's: its process must stop. */
  renewLease(pullId: number, lease: Lease): Promise<boolean>

  /** Whether the pull is running under this owner's lease; a pull that was ended elsewhere is not. */
  holdsLease(pullId: number, owner: string): Promise<boolean>

  /**
   * Notes that a task has begun, and takes the answer that is kept for its module: what the task stores
   * may go beyond it, so it is there again only once the task ends with it.
   * @returns null where the pull is over.
   */
  startTask(pullId: number, taskNumber: number): Promise<StartedTask | null>

  /** Notes how far a running task is. */
  reportTask(
    pullId: number,
    taskNumber: number,
    progress: { total: number | null; counts: PullCounts },
  ): Promise<void>

  /**
   * Ends a task: its result, the module's last complete read (which speaks for the module's
   * records only where it met every one that is not marked as missing, and else leaves the mark of the
   * one before), the platform's last error, the answer to be kept and the line of activity, in one
   * transaction. A task that has ended is left as it is.
   *
   * Like the start of a task, durable at the latest with the pull's end.
   */
  finishTask(
    pullId: number,
    taskNumber: number,
    result: PullTaskResult,
    activity: NewActivity | null,
  ): Promise<void>

  /**
   * Ends a pull and its unfinished tasks: from then on nothing that it still reads is stored. A pull that
   * has ended is left as it is. The activity reports once each platform that scheduled pulls skip from
   * now on.
   * @returns whether this call has ended it.
   */
  finishPull(
    pullId: number,
    end: { state: EndState; unfinishedTasks: Exclude<PullTaskState, 'queued' | 'running'> },
    activity: NewActivity | null,
  ): Promise<boolean>

  /**
   * Ends pulls, and their tasks, as `interrupted` whose lease has run out, or whose process is known to
   * be gone and has not renewed it for some seconds.
   * @returns how many there were.
   */
  interruptAbandonedPulls(): Promise<number>

  /**
   * Ends every pull that has not ended, and its tasks, as `interrupted`. For a process that knows no
   * other can be at work, such as one that has just locked the data folder.
   * @returns how many there were.
   */
  interruptPulls(): Promise<number>

  /** With its progress at this moment; null where there is none. */
  readPull(pullId: number): Promise<Pull | null>

  /** Newest first, those with an id below `before` only. */
  listPulls(query: { limit: number; before: number | null }): Promise<Pull[]>

  /**
   * What pulls did with one platform, newest first, those with an id below `before` only. It costs no more
   * with more pulls.
   */
  listPlatformPulls(query: {
    platform_id: number
    limit: number
    before: number | null
  }): Promise<PlatformPull[]>

  /** How many tasks of a pull are in each state; those that no task is in are left out. */
  tallyTasks(pullId: number): Promise<TaskTally>

  /** In the order they are run, those after `after` and in a state only. */
  listTasks(query: {
    pull_id: number
    state?: PullTaskState | null
    limit: number
    after: number | null
  }): Promise<(PullTask & { task_number: number })[]>
}
