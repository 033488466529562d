import type { Log } from '../log.ts'
import type { Source } from '../sources/source.ts'
import { hasName, type ServedModule } from './served-module.ts'

/** Logs, once for each difference, that the columns of a module have changed since it was loaded. Never rejects. */
export type ColumnCheck = (module: ServedModule) => Promise<void>

export function createColumnCheck(source: Source, log: Log): ColumnCheck {
  const logged = new Map<string, string>()
  const checkedVersions = new Map<string, string>()

  /** The columns of a file change only with the file. */
  async function isChecked({ recordType, origin }: ServedModule): Promise<boolean> {
    const version = origin.kind === 'file' ? await source.version(origin, null) : null
    if (version === null) return false
    const isKnown = checkedVersions.get(recordType) === version
    checkedVersions.set(recordType, version)
    return isKnown
  }

  return async (module) => {
    const { recordType, origin, foundNames } = module
    try {
      if (await isChecked(module)) return
      const columns = await source.describe(origin)
      const change = describeChange(
        foundNames,
        columns.filter(hasName).map(({ name }) => name),
      )
      if (change !== null && logged.get(recordType) !== change) {
        log(`${recordType}: ${change}; restart recordhub-platform to read the columns again`)
      }
      logged.set(recordType, change ?? '')
    } catch {
      // Reading the rows reports the same error.
    }
  }
}

/** Describes how the columns have changed; null if they have not. */
export function describeChange(before: readonly string[], now: readonly string[]): string | null {
  const missing = before.filter((name) => !now.includes(name))
  const added = now.filter((name) => !before.includes(name))
  if (missing.length + added.length === 0) return null
  const differences = [
    ...(missing.length === 0 ? [] : [`missing: ${missing.join(', ')}`]),
    ...(added.length === 0 ? [] : [`new: ${added.join(', ')}`]),
  ]
  return `the columns have changed since recordhub-platform started (${differences.join('; ')})`
}
