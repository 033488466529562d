import type { HourOfStatistics, PlatformStatus, Snapshot, SnapshotPull } from '@recordhub/protocol'
import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import type { InboxMark } from '../../domain/inbox/inbox.ts'

/** An hour is named `2026-11-21T07` (UTC). */
export type StoredHour = { hour: string } & Omit<HourOfStatistics, 'at'>

/** The figures of an hour without any events. */
export const EMPTY_HOUR: Omit<StoredHour, 'hour'> = {
  received_post: 0,
  received_patch: 0,
  received_pull: 0,
  created: 0,
  updated: 0,
  rejected: 0,
  pulls: 0,
  pulls_failed: 0,
  platforms_added: 0,
  modules_added: 0,
}

export interface StatisticsStore {
  /**
   * Returns the figures of all platforms for each hour of a range, both ends included, in no particular order. Hours
   * without events are left out. Reads only hourly counters, pulls and registrations: the cost does not depend on the number
   * of records.
   */
  readHours(from: string, to: string): Promise<StoredHour[]>
}

/** The part of the dashboard's snapshot that comes from the database. */
type StoredSnapshot = Pick<
  Snapshot,
  'stats' | 'platforms' | 'records' | 'logs' | 'alerts' | 'latest_sync'
> & { pull: StoredPull }

/** The running pull and the last one, as the snapshot shows them. */
export type StoredPull = Omit<SnapshotPull, 'next_run_at'>

/** The maximum number of platforms in a snapshot. */
export const MAX_SNAPSHOT_PLATFORMS = 200

export interface SnapshotStore {
  /**
   * Returns a text that changes with every commit of any process. While it is the same, reads return the same. It costs
   * less than a read.
   */
  readVersion(): Promise<string>

  /**
   * Reads the snapshot from counters and the ends of indexes. The cost does not depend on the number of records. `day` is
   * the current calendar day in the hub's time zone. It has the first `MAX_SNAPSHOT_PLATFORMS` platforms.
   */
  readSnapshot(day: string): Promise<StoredSnapshot>

  /** Reads the part of the snapshot that describes pulls. */
  readPull(): Promise<StoredPull>

  /**
   * Reads the last 30 finished pulls of each of these platforms, newest first; platforms without pulls are omitted.
   * The result changes only when a pull finishes or an old one is deleted.
   */
  readRecentPulls(platformIds: readonly number[]): Promise<Snapshot['recent_pulls']>
}

/** The figures of one registered platform. */
export type PlatformFigures = {
  platform_name: string
  status: PlatformStatus
  /** The records of all of its modules, those marked as missing included. */
  records: number
  /** Accepted pushes since its registration. */
  pushes: number
  /** Consecutive pulls in which each of its modules failed. */
  failures_in_row: number
  /** When a module was last read; null if none was. */
  last_pulled_at: string | null
}

/** The threads of an engine: `requests` are those in progress and waiting. */
export type ThreadFigures = { thread: string; is_running: boolean; requests: number }

export type StoredFigures = {
  platforms: PlatformFigures[]
  modules: number
  records: number
  /** The number of records that are marked as missing, counted up to {@link MISSING_LIMIT}. */
  missing: number
  pending_reviews: number
  /** The size of the stored rejected pushes and rejected records. */
  rejected_bytes: number
  /** Sessions of operators that have not expired. */
  sessions: number
  /** The number of open alerts of each kind; kinds without open alerts are left out. */
  alerts: Readonly<Record<string, number>>
  /** Unfinished pulls, and their tasks, by state. */
  pulls: Record<'queued' | 'running', number>
  pull_tasks: Record<'queued' | 'running', number>
  database_bytes: number
  /** The write-ahead log of SQLite; null on PostgreSQL, whose log belongs to the whole server. */
  wal_bytes: number | null
  threads: ThreadFigures[]
}

export const MISSING_LIMIT = 100_000

export interface MetricsStore {
  /**
   * Reads the figures for monitoring, from counters and small tables. The cost depends on the number of platforms and
   * modules, not on that of records. All processes on a database read the same figures, except for `threads`.
   */
  readFigures(): Promise<StoredFigures>
}

export interface InboxStore {
  /** Returns what operators put aside. */
  listMarks(): Promise<InboxMark[]>

  /** Puts an item aside, or opens it again, and logs it. Replaces an earlier mark of the same item. */
  saveMark(mark: Omit<InboxMark, 'at'>, audit: NewAuditEntry): Promise<void>
}
