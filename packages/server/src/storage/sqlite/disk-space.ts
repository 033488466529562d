import { statfs } from 'node:fs/promises'
import type { DiskSpace } from '../../domain/alerts/alert.ts'
import { storageUnavailable } from '../../errors.ts'
import { integerOf } from '../shared/schema/columns.ts'
import type { SqliteConnections } from './connection.ts'

/** Some milliseconds: pushes wait for it. */
const PAGES = 100

/** Cuts free pages off the end of the file. */
export function createSpaceGiver({
  database,
  exclusively,
}: Pick<SqliteConnections, 'database' | 'exclusively'>): () => Promise<boolean> {
  return () =>
    exclusively(() => {
      database.exec(`PRAGMA incremental_vacuum(${PAGES})`)
      const free = database.prepare('PRAGMA freelist_count').get()
      return integerOf(free ?? {}, 'freelist_count') > 0
    })
}

/** What whoever runs the hub may still write to the disk of a folder. */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder)
    return { available: bavail * bsize, total: blocks * bsize }
  } catch (cause) {
    throw storageUnavailable(cause)
  }
}
