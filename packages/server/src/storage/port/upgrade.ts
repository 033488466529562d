/** What a hub does before it migrates a database of an older version. */
export type Upgrade = {
  /**
   * Writes a verified backup to a new file, whose folder exists or is created; null if backups before an upgrade are
   * turned off.
   */
  backup: { folder: string; passphrase: string | null; write: WriteUpgradeBackup } | null
  /** Logs a step of the upgrade for the administrator. */
  log: (message: string) => void
}

export type WriteUpgradeBackup = (path: string) => Promise<unknown>

/** The migrations of an upgrade. */
export type UpgradeStep = { applied: string[]; pending: string[] }

/**
 * The free space that an upgrade of a SQLite database of this size needs at most, in bytes: in the folder of backups for
 * a snapshot and the compressed backup; beside the database for a copy and the write-ahead log of its migration; and on
 * one disk that has both folders, since the snapshot is deleted before the copy is made.
 */
export function upgradeSpace(bytes: number): { backups: number; database: number; both: number } {
  return { backups: 2 * bytes, database: 2 * bytes, both: 3 * bytes }
}
