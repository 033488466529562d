/** The names of incomplete files in a folder of backups. */

import { randomUUID } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

export const BACKUP_SUFFIX = '.recordhub-backup'
const PARTIAL_SUFFIX = '.partial'
/** Incomplete files that are older than this, or from a clock that was ahead, belong to a process that was killed. */
const ABANDONED_MS = 3_600_000

/** Returns a path beside a file, for its incomplete content. */
export function partialPath(path: string): string {
  return join(dirname(path), `.${basename(path)}.${randomUUID()}${PARTIAL_SUFFIX}`)
}

/** Deletes incomplete files that killed processes have left in a folder. They contain records. */
export async function deleteAbandoned(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (!name.startsWith('.') || !name.includes(PARTIAL_SUFFIX)) continue
    const path = join(folder, name)
    const found = await stat(path).catch(() => null)
    if (found && Math.abs(Date.now() - found.mtimeMs) > ABANDONED_MS)
      await rm(path, { force: true, recursive: true })
  }
}
