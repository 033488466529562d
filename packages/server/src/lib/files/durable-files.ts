/** Files that a power failure can neither undo nor leave incomplete. */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { errorCodeOf } from './error-code.ts'

/** Where folders cannot be synced: on Windows, in some network file systems, without the permission to read the folder. */
const NOT_SYNCED = new Set(['EACCES', 'EPERM', 'EISDIR', 'EINVAL', 'ENOTSUP', 'ENOSYS'])
/** Where files cannot have a second name. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK', 'EACCES'])

/**
 * Makes the names in a folder durable: files that were created, renamed or deleted. Does nothing where that is impossible.
 * @throws Error of the file system, for example if the disk fails.
 */
export function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch (error) {
    if (!NOT_SYNCED.has(errorCodeOf(error))) throw error
  }
}

/**
 * Creates a file that only its owner may access. It appears with its whole content, and is durable on return.
 * @throws Error with the code `EEXIST` if there is a file of this name; of two processes, one creates the file.
 */
export function createFile(path: string, content: string): void {
  publishContent(path, content, (complete) => {
    try {
      linkSync(complete, path)
    } catch (error) {
      if (!NO_LINKS.has(errorCodeOf(error))) throw error
      writeFileSync(path, content, { mode: 0o600, flush: true, flag: 'wx' })
    }
  })
}

/** Replaces a file, or creates it. Others see the old or the new content. The new content is durable on return. */
export function replaceFile(path: string, content: string): void {
  publishContent(path, content, (complete) => renameSync(complete, path))
}

/** @param publish gives the content, which is in a file of another name, the name `path`. */
function publishContent(path: string, content: string, publish: (complete: string) => void): void {
  const complete = `${path}.${randomUUID()}.new`
  try {
    writeFileSync(complete, content, { mode: 0o600, flush: true, flag: 'wx' })
    publish(complete)
  } finally {
    rmSync(complete, { force: true })
  }
  syncFolder(dirname(path))
}

/**
 * Creates a folder that only its owner may access, and its missing parents. It creates one level at a time, because
 * recursive `mkdirSync` never returns on file systems that do not allow it, such as /proc. A power failure does not undo
 * the creation.
 * @throws Error of the file system, or if there is a file of this name.
 */
export function makeFolder(path: string): void {
  try {
    create(path)
  } catch (error) {
    const code = errorCodeOf(error)
    if (code === 'EEXIST') {
      if (statSync(path).isDirectory()) return
      throw new Error(`${path} is not a folder`, { cause: error })
    }
    const parent = dirname(resolve(path))
    if (code !== 'ENOENT' || parent === resolve(path) || existsSync(parent)) throw error
    makeFolder(parent)
    create(path)
  }
}

function create(path: string): void {
  mkdirSync(path, { mode: 0o700 })
  syncFolder(dirname(resolve(path)))
}
