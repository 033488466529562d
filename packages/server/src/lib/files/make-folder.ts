import { existsSync, mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Makes a folder that only its owner may enter, and those above it, where they are missing. Level by
 * level: Node's own way never comes back from a file system such as /proc that has no room for it.
 * @throws Error of the file system.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    if (code === 'EEXIST') return
    const parent = dirname(resolve(path))
    if (code !== 'ENOENT' || parent === resolve(path) || existsSync(parent)) throw error
    makeFolder(parent)
    mkdirSync(path, { mode: 0o700 })
  }
}
