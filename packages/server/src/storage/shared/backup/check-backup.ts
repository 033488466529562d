import type { BackupInfo } from '@recordhub/protocol'
import { HubError } from '../../../errors.ts'
import type { RestoreRequest } from '../../port/backup-store.ts'
import { readPayload } from './backup-file.ts'

const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** @throws HubError `backup_other_engine`. */
export function assertEngine(info: BackupInfo, engine: BackupInfo['engine']): void {
  if (info.engine === engine) return
  const [backup, hub] = [ENGINE_NAMES[info.engine], ENGINE_NAMES[engine]]
  throw new HubError('backup_other_engine', { backup, hub })
}

/**
 * Reads a whole backup, which verifies its checksum and, if it is encrypted, its encryption.
 * @param engine the engine that the backup must be of; null for any.
 * @throws HubError `backup_other_engine`, and those of `readPayload`.
 */
export async function checkBackup(
  request: Pick<RestoreRequest, 'path' | 'passphrase' | 'onProgress'>,
  engine: BackupInfo['engine'] | null = null,
): Promise<void> {
  const { header, payload } = await readPayload(request.path, request.passphrase)
  if (engine) assertEngine(header.info, engine)
  let done = 0
  for await (const part of payload) {
    done += part.length
    request.onProgress?.({ phase: 'verify', done, total: header.payload_bytes })
  }
}
