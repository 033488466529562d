/** The temporary folder of a PostgreSQL server for tests, and the shared memory of a killed server. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { tryCommand, type User } from './process.ts'

/** The free memory that a cluster requires: 40 MB, and 8 MB for each database. Many containers have only 64 MB. */
const REQUIRED_BYTES = 1024 ** 3

/**
 * Creates a folder that belongs to the user: in memory if there is space and `onDisk` is false, otherwise on the disk.
 * With `programs`, it must allow programs to run; folders in memory are often mounted with noexec.
 */
export async function createServerFolder(
  user: User | null,
  { programs, onDisk }: { programs: boolean; onDisk: boolean },
): Promise<string> {
  const memory = !onDisk && hasSpace('/dev/shm') ? ['/dev/shm'] : []
  const parents = [...new Set([...memory, tmpdir(), '/tmp'])]
  for (const parent of parents) {
    const folder = await tryCreateFolder(parent, user, programs).catch(() => null)
    if (folder !== null) return folder
  }
  const userName = user?.name ?? 'this user'
  throw new Error(`PostgreSQL as ${userName} could not create a folder in ${parents.join(', ')}`)
}

function hasSpace(folder: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= REQUIRED_BYTES
  } catch {
    return false
  }
}

async function tryCreateFolder(
  parent: string,
  user: User | null,
  programs: boolean,
): Promise<string | null> {
  const folder = await mkdtemp(join(parent, 'recordhub-postgres-'))
  const probe = join(folder, 'probe')
  await writeFile(probe, '#!/bin/sh\n', { mode: 0o700 })
  if (user) for (const path of [probe, folder]) await chown(path, user.uid, user.gid)
  const read = programs ? tryCommand(probe, [], user) : tryCommand('cat', [probe], user)
  if (read !== null) {
    await rm(probe)
    return folder
  }
  await rm(folder, { recursive: true })
  return null
}

/**
 * Deletes the folder of a stopped server. A killed server also leaves a segment of System V shared
 * memory, of which some systems have only 32; line 7 of the lock file contains its id.
 */
export function removeServerFolder(folder: string): void {
  const lock = join(folder, 'data', 'postmaster.pid')
  const line = existsSync(lock) ? readFileSync(lock, 'utf8').split('\n')[6] : undefined
  const id = /^ *\d+ +(\d+)/.exec(line ?? '')?.[1]
  if (id !== undefined) spawnSync('ipcrm', ['-m', id])
  rmSync(folder, { recursive: true, force: true })
}
