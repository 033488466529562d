import { createHash } from 'node:crypto'
import type { PlatformRecord } from '@recordhub/platform-kit'
import type { ServedModule } from '../platform/served-module.ts'
import type { ChangeCursor, ChangeReader, Column } from '../sources/source.ts'
import type { Watermark } from './watermark.ts'

export type WatchedModule = ServedModule & { updatedAt: Column }

/** Rows per page: the maximum number of pushes that are queued while the hub is unavailable. */
const PAGE_SIZE = 500

/**
 * Creates a function that polls the changes since the watermark once: it pushes the rows that it has not pushed in this
 * state before, and resolves once the hub has processed all pushes. Only a complete poll advances the watermark.
 * @param deps `push` resolves once the hub has stored or rejected the records.
 */
export function watchModule(
  module: WatchedModule,
  deps: {
    reader: ChangeReader
    watermark: Watermark
    push: (records: PlatformRecord[]) => Promise<void>
    signal: AbortSignal
    /** A monotonic clock in milliseconds. */
    now: () => number
  },
): () => Promise<void> {
  const { reader, watermark, push, signal } = deps
  const { origin, columns, updatedAt, key } = module
  /**
   * The digest of each row after the watermark as it was pushed, by key. Change times are not compared, since two changes
   * within a second may have the same time.
   */
  let pushed = new Map<string, string>()

  return async () => {
    const at = deps.now()
    const newest = await reader.newest(origin, updatedAt)
    const after = watermark.current()
    const seen = new Map<string, string>()
    let from: ChangeCursor | null = null
    do {
      const rows = await reader.read({
        ...{ origin, columns, updatedAt, key, after, from },
        limit: PAGE_SIZE,
      })
      const changed: { key: string; digest: string; record: PlatformRecord }[] = []
      for (const row of rows) {
        const record = module.toRecord(row.cells)
        if (!record) continue
        const digest = digestOf(record)
        seen.set(row.key, digest)
        if (pushed.get(row.key) !== digest) changed.push({ key: row.key, digest, record })
      }
      if (changed.length > 0) await push(changed.map(({ record }) => record))
      signal.throwIfAborted()
      // If this poll fails later, the next one does not push these rows again.
      for (const one of changed) pushed.set(one.key, one.digest)
      const last = rows.at(-1)
      from =
        last && rows.length === PAGE_SIZE ? { changeTime: last.changeTime, key: last.key } : null
    } while (from !== null)
    pushed = seen
    watermark.advance(newest, at)
  }
}

function digestOf(record: PlatformRecord): string {
  return createHash('sha1').update(JSON.stringify(record)).digest('base64')
}
