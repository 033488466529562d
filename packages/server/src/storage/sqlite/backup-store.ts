import { join } from 'node:path'
import { makeFolder } from '../../lib/files/make-folder.ts'
import type { BackupStore } from '../port/backup-store.ts'
import { deleteFiles } from '../shared/backup/backup-file.ts'
import { readBackupInfo, readHeader } from '../shared/backup/backup-header.ts'
import { deleteAbandoned, partialPath } from '../shared/backup/backup-names.ts'
import { assertEngine, checkBackup } from '../shared/backup/check-backup.ts'
import { createChangeStore } from '../shared/records/change-store.ts'
import { unpackSqliteBackup, writeSqliteBackup } from './backup.ts'
import { readCommitWatermark } from './commit-watermark.ts'
import { openReader } from './connection.ts'

export function createBackupStore(databasePath: string): BackupStore {
  return {
    writeBackup: (request) => writeSqliteBackup(databasePath, request),
    readBackupInfo,
    checkBackup: (request) => checkBackup(request, 'sqlite'),
    async openCopy({ path, folder, passphrase, onProgress }) {
      assertEngine((await readHeader(path)).header.info, 'sqlite')
      makeFolder(folder)
      await deleteAbandoned(folder)
      const target = partialPath(join(folder, 'drill'))
      const info = await unpackSqliteBackup({ path, passphrase, target }, onProgress)
      const reader = openReader(target)
      const sequence = { readLastSequence: readCommitWatermark, readCommitWatermark }
      return {
        info,
        changes: createChangeStore({ reader }, sequence, true),
        async close() {
          await reader.destroy()
          await deleteFiles(target, `${target}-wal`, `${target}-shm`)
        },
      }
    },
  }
}
