import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { syncFolder } from './durable-files.ts'
import { errorCodeOf } from './error-code.ts'

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
