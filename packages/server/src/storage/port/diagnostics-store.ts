/** Read-only checks of a database, for `recordhub doctor`. */
import type { PlatformHealth } from '@recordhub/protocol'
import type { ServerDurability } from '../../domain/alerts/alert.ts'
import type { StoredSetting } from './operator-store.ts'
import type { ChangeLog } from './platform-store.ts'

/** The migrations of a database: all three are empty for a database that no hub has used. */
export type SchemaState = {
  applied: string[]
  /** Migrations of this version that have not been applied. */
  pending: string[]
  /** Applied migrations that this version does not know. */
  unknown: string[]
}

export type DatabaseProblem = {
  kind:
    | 'damaged'
    /** The text index is damaged. It can be built again from the records. */
    | 'damaged_text_index'
    | 'broken_reference'
    | 'sequence_behind'
    /** PostgreSQL only. */
    | 'invalid_index'
    | 'sequence_cached'
    | 'not_validated'
  /** The table, index, sequence or file. */
  name: string
  /** What is wrong, in the words of the engine if it found the problem. */
  detail: string
}

/** A stored count that does not equal the count of the rows. */
export type CounterDifference = {
  /** `versions`: the stored sums of versions, whose counts may be equal although the sums are not. */
  counter: 'records' | 'rejected_bytes' | 'created' | 'versions'
  /** The module as `platform/module`, the platform, or the platform and the hour. */
  name: string
  stored: number
  counted: number
}

/** Counter rows that nothing can read correctly. */
export type InvalidCounter = {
  table: 'module_counters' | 'hourly_counters' | 'module_drift' | 'digest_sums'
  /** `orphaned`: its module or platform does not exist. `impossible`: its counts contradict each other. */
  reason: 'orphaned' | 'impossible'
  rows: number
}

export type LeaseRow = { name: string; owner: string; expires_at: string }

export type UnfinishedPull = {
  pull_id: number
  state: string
  requested_at: string
  started_at: string | null
  lease_until: string | null
}

type SearchIndexFacts = {
  /** `outdated`: of another version or database, so that the hub will create it anew. */
  state: 'current' | 'missing' | 'outdated'
  /** The number of the last indexed change, and of the last change. */
  position: number
  last_change: number
  /** The number of records that are not indexed yet, up to `LAG_LIMIT`, and the time of the first change of them. */
  lag: number
  behind_since: string | null
}

/** A platform that is not removed, with its address and its encrypted source API key. */
export type PlatformSource = {
  platform_id: number
  platform_name: string
  status: 'active' | 'inactive'
  source_base_url: string
  encrypted_source_key: string
  health: PlatformHealth
}

/** Records that were created or changed, records that were deleted, and entries of the audit log. */
export type ChangesSince = { changed: number; deleted: number; audited: number }

export type ServerFacts = {
  engine_version: string
  /** The size of the database in bytes, without the write-ahead log. */
  bytes: number
  /** The size of the write-ahead log in bytes; null on PostgreSQL. */
  log_bytes: number | null
  /** The time of the database's machine. RFC 3339 in UTC. */
  now: string
  /** PostgreSQL only: the settings that matter to the hub, as configured for new sessions. */
  settings: Record<string, string>
  /** As `Storage.readDurability`. */
  durability: ServerDurability | null
}

/**
 * Reads a database in any state: of an older or newer schema, damaged, or in use by a hub. It changes nothing and takes
 * no lock that a hub waits for. Each method is independent of the others. If its part of the database cannot be read, it
 * throws a HubError `storage_unavailable` whose cause has the reason.
 */
export interface DiagnosticsStore {
  readonly engine: 'sqlite' | 'postgres'
  /** The path of the file, or the server and the name of the database; without a password. */
  readonly location: string

  readSchema(): Promise<SchemaState>

  readServer(): Promise<ServerFacts>

  /**
   * Reads the whole database and its text index: on SQLite `integrity_check`; on PostgreSQL the indexes, with the
   * extension `amcheck` if it is installed. Returns at most 100 problems.
   */
  findDamage(): Promise<DatabaseProblem[]>

  /** Whether `findDamage` can verify the content of indexes. Always true on SQLite. */
  canVerifyIndexes(): Promise<boolean>

  /** Finds problems that cost no full scan: of indexes, constraints and sequences. */
  findDefects(): Promise<DatabaseProblem[]>

  /** Finds rows whose foreign key references no row. Reads all tables with foreign keys. */
  findBrokenReferences(): Promise<DatabaseProblem[]>

  /** Compares the counters with the rows. Counts all records and rejected pushes. */
  compareCounters(): Promise<CounterDifference[]>

  /** Finds counter rows whose module or platform does not exist, or whose counts cannot be true. */
  findInvalidCounters(): Promise<InvalidCounter[]>

  listLeases(): Promise<LeaseRow[]>

  /** Returns the pull that is queued or running; null if there is none. */
  readUnfinishedPull(): Promise<UnfinishedPull | null>

  readSearchIndex(): Promise<SearchIndexFacts>

  /**
   * Looks up records in the text index: the ones changed last, and others at random. Records that change meanwhile and
   * records that are not indexed yet are not included.
   * @returns the number of records looked up, and the ids of those that a search would not find.
   */
  sampleSearchIndex(size: number): Promise<{ sampled: number; missing: number[] }>

  /** Returns the time of the last activity and of the last change of a record; null without any. */
  readLastWritten(): Promise<string | null>

  /** Returns the platforms that are not removed, by name, with their health at a time. */
  listSources(now: string): Promise<PlatformSource[]>

  /** Returns the ciphertext that shows whether a secret is that of the database; null in a new database. */
  readEncryptedKey(): Promise<string | null>

  /** As `SettingStore.listSettings`. */
  listSettings(): Promise<StoredSetting[]>

  /**
   * Returns the ids of these entries of an audit log that the database does not have with the same time, except those that
   * its retention has deleted.
   */
  findLostAudit(entries: readonly { id: number; at: string }[]): Promise<number[]>

  /** Returns when a pull was requested; null if the database does not have it. */
  readPullTime(pullId: number): Promise<string | null>

  /** Returns when a revert was planned; null if the database does not have it. */
  readRevertTime(revertId: number): Promise<string | null>

  /** Returns the time of an entry in the history of a record (`change_seq`); null if the database does not have it. */
  readChangeTime(change: { record_id: number; version: number }): Promise<string | null>

  /** Counts what a restore of a backup of this time and position would lose. */
  countChangesSince(backup: { position: number; at: string }): Promise<ChangesSince>

  /** Whether a hub uses the database now. */
  isHubRunning(): Promise<boolean>

  close(): Promise<void>
}

/** Repairs of `recordhub doctor --fix`. All of them are correct while hubs write. */
export interface RepairStore {
  /**
   * Counts records and sets the counters of modules to the counts, and deletes counters without a module, in one
   * transaction. Writes that commit meanwhile are counted once.
   * @param log is saved if anything changed.
   * @returns the counters that were wrong, and the number of deleted rows.
   */
  recountRecords(log: (changed: number) => ChangeLog): Promise<RecountedRecords>

  /**
   * Computes the sums of versions from the records, in one transaction: repairs those that are wrong, and deletes those
   * of modules that do not exist. Correct while records are written.
   * @param log is saved if anything changed.
   * @returns the modules with wrong sums, and the number of deleted rows.
   */
  recountVersions(log: (changed: number) => ChangeLog): Promise<RecountedRecords>

  /**
   * Sums the sizes of the rejected pushes of each platform and sets its quota to the sum, in one transaction.
   * @param log is saved if anything changed.
   * @returns the sums that were wrong.
   */
  recountRejectedBytes(log: (changed: number) => ChangeLog): Promise<CounterDifference[]>

  /**
   * Deletes leases that expired before `before`, and those that expire after `after`.
   * @param log is saved if any was deleted.
   * @returns their names.
   */
  deleteLeases(
    range: { before: string; after: string },
    log: (deleted: number) => ChangeLog,
  ): Promise<string[]>
}

type RecountedRecords = { recounted: CounterDifference[]; deleted: number }
