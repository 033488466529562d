import type { BackupInfo, BackupPhase } from '@recordhub/protocol'
import type { ChangeStore } from './record-store.ts'

/** The progress of a phase, in bytes or rows; `total` is null while it is unknown. */
export type BackupProgress = { phase: BackupPhase; done: number; total: number | null }
export type OnBackupProgress = (progress: BackupProgress) => void

export type BackupRequest = {
  /** The backup. Until it is complete and verified, it has another name beside it. */
  path: string
  /** Encrypts the backup; null for none. */
  passphrase: string | null
  /** Identifies the secret of the hub, which the backup does not contain; null if it is unknown. */
  secretFingerprint: string | null
  hubVersion: string
  onProgress?: OnBackupProgress
  /** Aborts the backup, which leaves no file. */
  signal?: AbortSignal
}

export type RestoreRequest = {
  path: string
  passphrase: string | null
  /** The secrets of the hub, of which one must decrypt the keys in the backup. */
  secrets: readonly string[]
  /** Whether existing data is replaced. */
  force: boolean
  timeZone: string
  onProgress?: OnBackupProgress
}

export type Restored = {
  info: BackupInfo
  /** Where the replaced data is; null if there was none. */
  kept: string | null
  /** Records that were erased after the backup and are erased again, and further tombstones that were added. */
  erased: number
  tombstones: number
  /** Why the tombstones of the replaced data could not be read; null if they were, or there was none. */
  unread: string | null
}

/** The records of a backup, restored beside the database. */
type RestoredCopy = {
  changes: ChangeStore
  info: BackupInfo
  /** Deletes the copy. */
  close: () => Promise<void>
}

export interface BackupStore {
  /**
   * Writes a backup of one snapshot, while other processes and this one write: the snapshot contains every write that
   * was acknowledged before the call. Verifies what was written: reads it again from the file and compares it with the
   * snapshot, whose integrity was checked. Only then the file gets its name. If it fails or the process is killed, no
   * file of that name exists.
   * @throws HubError `backup_failed`, with the reason.
   */
  writeBackup(request: BackupRequest): Promise<BackupInfo>

  /**
   * Reads what a backup says about itself, without checking its content.
   * @throws HubError `backup_invalid` if it is not a backup, `backup_unsupported` if it has a newer format,
   *   `backup_damaged` if its end is missing.
   */
  readBackupInfo(path: string): Promise<BackupInfo>

  /**
   * Reads a whole backup of this engine, which verifies it.
   * @throws HubError `backup_other_engine`, `backup_damaged`, `backup_passphrase_wrong`, `backup_passphrase_missing`,
   *   and those of `readBackupInfo`.
   */
  checkBackup(request: Pick<RestoreRequest, 'path' | 'passphrase'>): Promise<void>

  /**
   * Restores a backup of this engine beside the database, in `folder` or in a schema of its own, and opens it. The
   * database itself is not changed.
   * @throws HubError as `restoreBackup`.
   */
  openCopy(request: {
    path: string
    folder: string
    passphrase: string | null
    onProgress?: OnBackupProgress
  }): Promise<RestoredCopy>
}
