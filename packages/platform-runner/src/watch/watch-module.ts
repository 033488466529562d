import { createHash } from 'node:crypto'
import type { PlatformRecord } from '@recordhub/platform-kit'
import type { ServedModule } from '../platform/served-module.ts'
import type { ChangeReader, Column, Place } from '../sources/source.ts'
import type { SettledMarks } from './settled-marks.ts'

export type WatchedModule = ServedModule & { updatedAt: Column }

/** Rows at a time: no more pushes wait while the hub is away. */
const PAGE = 500

/**
 * A look at what has changed since the settled mark: pushes what it has not met there as it is now, and resolves
 * once all of it is with the hub. Only a look that came to its end moves the mark.
 * @param push resolves once the hub has the records, or will never take them.
 */
export function watchModule(
  module: WatchedModule,
  parts: {
    reader: ChangeReader
    marks: SettledMarks
    push: (records: PlatformRecord[]) => Promise<void>
    signal: AbortSignal
    /** In milliseconds, never going back. */
    now: () => number
  },
): () => Promise<void> {
  const { reader, marks, push, signal } = parts
  const { origin, columns, updatedAt, key } = module
  /**
   * What was pushed of the rows after the settled mark, by their keys. Not the times in them: of two changes
   * within a second both may bear the same.
   */
  let known = new Map<string, string>()

  return async () => {
    const at = parts.now()
    const newest = await reader.newest(origin, updatedAt)
    const after = marks.settled()
    const met = new Map<string, string>()
    let from: Place | null = null
    do {
      const rows = await reader.read({
        ...{ origin, columns, updatedAt, key, after, from },
        limit: PAGE,
      })
      const changed: { key: string; digest: string; record: PlatformRecord }[] = []
      for (const row of rows) {
        const record = module.toRecord(row.cells)
        if (!record) continue
        const digest = digestOf(record)
        met.set(row.key, digest)
        if (known.get(row.key) !== digest) changed.push({ key: row.key, digest, record })
      }
      if (changed.length > 0) await push(changed.map(({ record }) => record))
      signal.throwIfAborted()
      // Should this look not come to its end, the next one need not push them again.
      for (const one of changed) known.set(one.key, one.digest)
      const last = rows.at(-1)
      from = last && rows.length === PAGE ? { mark: last.mark, key: last.key } : null
    } while (from !== null)
    known = met
    marks.note(newest, at)
  }
}

function digestOf(record: PlatformRecord): string {
  return createHash('sha1').update(JSON.stringify(record)).digest('base64')
}
