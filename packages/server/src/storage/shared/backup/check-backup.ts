import type { BackupInfo } from '@recordhub/protocol'
import { HubError } from '../../../errors.ts'

const ENGINE_NAMES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const

/** @throws HubError `backup_other_engine`. */
export function assertEngine(info: BackupInfo, engine: BackupInfo['engine']): void {
  if (info.engine === engine) return
  const [backup, hub] = [ENGINE_NAMES[info.engine], ENGINE_NAMES[engine]]
  throw new HubError('backup_other_engine', { backup, hub })
}
