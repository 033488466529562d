import { HubError } from '../../errors.ts'
import type { BackupStore } from '../port/backup-store.ts'
import { messageOf, readBackupInfo, readHeader } from '../shared/backup/backup-header.ts'
import { assertEngine, checkBackup } from '../shared/backup/check-backup.ts'
import { createChangeStore } from '../shared/records/change-store.ts'
import { writePostgresBackup } from './backup.ts'
import { readCommitWatermark, readLastSequence } from './commit-watermark.ts'
import { openConnections } from './connection.ts'
import { dropSchema, loadIntoSchema, urlWithSchema } from './load-backup.ts'

/** The schema of the copy of a restore drill. A drill drops the schema that a killed one has left. */
const SCHEMA = 'recordhub_drill'

export function createBackupStore(url: string): BackupStore {
  return {
    writeBackup: (request) => writePostgresBackup(url, request),
    readBackupInfo,
    checkBackup: (request) => checkBackup(request, 'postgres'),
    async openCopy(request) {
      assertEngine((await readHeader(request.path)).header.info, 'postgres')
      try {
        const info = await loadIntoSchema(url, SCHEMA, request)
        const connections = openConnections(urlWithSchema(url, SCHEMA), () => undefined)
        const reader = connections.database
        return {
          info,
          changes: createChangeStore({ reader }, { readLastSequence, readCommitWatermark }, true),
          async close() {
            await connections.close()
            await dropSchema(url, SCHEMA)
          },
        }
      } catch (error) {
        await dropSchema(url, SCHEMA).catch(() => undefined)
        if (error instanceof HubError) throw error
        throw new HubError('restore_failed', { reason: messageOf(error) }, { cause: error })
      }
    },
  }
}
