import type { PlatformStatus } from '@recordhub/protocol'

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
