/** An outbox in a file, for Node, Bun and Deno: one line per enqueued push and one per acknowledgement. */
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createAppendLog, readLines } from './append-log.ts'
import { acquireFileLock, type FileLock } from './file-lock.ts'
import type { Outbox } from './outbox.ts'
import type { Push } from './push.ts'

type Header = { outbox: typeof FORMAT; newest: string | null }
type Entry = { enqueue: Push } | { ack: string }
type PendingWrite = {
  entry: Entry
  line: string
  resolve: () => void
  reject: (error: unknown) => void
}

const FORMAT = 1
/** The file is compacted once it is larger than this and most of it is acknowledged, and when it is empty. */
const COMPACT_BYTES = 1_000_000
/** The queued pushes are also in memory. */
const MAX_BYTES = 256 * 1024 * 1024

/**
 * A push is enqueued once it is on the disk; concurrent calls share one flush. Only the owner may read the file, since
 * it contains personal data. Only one process can use the file.
 * @param options.maxBytes the size of the queued pushes at which further calls are rejected; 256 MiB by default.
 */
export function createFileOutbox(
  path: string,
  { maxBytes = MAX_BYTES }: { maxBytes?: number } = {},
): Outbox {
  const log = createAppendLog(path)
  const queued = new Map<string, { push: Push; bytes: number }>()
  let queuedBytes = 0
  /** The size of the pushes that are being written. */
  let writingBytes = 0
  let newest: string | null = null
  let lock: FileLock | null = null
  let pending: PendingWrite[] = []
  let writing: Promise<void> | null = null

  function apply(entry: Entry, line: string): void {
    const id = 'enqueue' in entry ? entry.enqueue.id : entry.ack
    queuedBytes -= queued.get(id)?.bytes ?? 0
    if ('ack' in entry) {
      queued.delete(id)
      return
    }
    const bytes = Buffer.byteLength(line)
    queued.set(id, { push: entry.enqueue, bytes })
    queuedBytes += bytes
    updateNewest(entry.enqueue.occurredAt)
  }

  function updateNewest(at: string | null): void {
    if (at !== null && at > (newest ?? '')) newest = at
  }

  async function readFile(): Promise<void> {
    let number = 0
    for await (const line of readLines(path)) {
      number += 1
      const parsed = parseLine(line)
      if (parsed === null) {
        throw new Error(`Line ${number} is damaged. Delete this line to use the others.`)
      }
      if ('outbox' in parsed) updateNewest(parsed.newest)
      else apply(parsed, line)
    }
  }

  function* compactedLines(): Generator<string> {
    const header: Header = { outbox: FORMAT, newest }
    yield toLine(header)
    for (const { push } of queued.values()) yield toLine({ enqueue: push })
  }

  function write(entry: Entry): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      pending.push({ entry, line: toLine(entry), resolve, reject })
    })
    writing ??= writePending()
    return written
  }

  async function writePending(): Promise<void> {
    while (pending.length > 0) {
      const batch = pending
      pending = []
      try {
        await append(batch)
      } catch (error) {
        for (const { reject } of batch) reject(withPath(error, path))
        continue
      }
      for (const { entry, line, resolve } of batch) {
        apply(entry, line)
        resolve()
      }
      const isMostlyDelivered = log.size() > COMPACT_BYTES && log.size() > 2 * queuedBytes
      // Delivered bodies contain personal data.
      const isEmpty = queued.size === 0 && pending.length === 0
      // If the disk has no space for it, the file keeps growing and is compacted later.
      if (isMostlyDelivered || isEmpty) await log.rewrite(compactedLines()).catch(() => undefined)
    }
    // No await follows the last check of `pending`, so a later write starts this loop again.
    writing = null
  }

  async function append(batch: PendingWrite[]): Promise<void> {
    const text = batch.map(({ line }) => line).join('')
    // If a crash loses an acknowledgement, the push is sent again, which changes nothing at the hub.
    const flush = batch.some(({ entry }) => 'enqueue' in entry)
    await log.append(text, flush)
    // A process reads the file after it has acquired the lock, so it finds everything that was appended before.
    if (!(await lock?.isHeld()))
      throw new Error('It is closed, or another process has acquired its lock.')
  }

  return {
    async load() {
      try {
        await mkdir(dirname(path), { recursive: true })
        lock = await acquireFileLock(`${path}.lock`)
        await readFile()
        await log.rewrite(compactedLines())
        return { queued: [...queued.values()].map(({ push }) => push), newest }
      } catch (error) {
        await lock?.release()
        throw withPath(error, path)
      }
    },
    async enqueue(push) {
      const entry: Entry = { enqueue: push }
      const bytes = Buffer.byteLength(toLine(entry))
      if (queuedBytes + writingBytes + bytes > maxBytes) throw withPath(new Error(FULL), path)
      writingBytes += bytes
      try {
        await write(entry)
      } finally {
        writingBytes -= bytes
      }
    },
    ack: async (id) => {
      if (queued.has(id)) await write({ ack: id })
    },
    async close() {
      await writing
      await log.close()
      await lock?.release()
      lock = null
    },
  }
}

const FULL = 'It is full: the hub has accepted no pushes for too long.'

function withPath(error: unknown, path: string): Error {
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`The outbox ${path} cannot be used. ${reason}`, { cause: error })
}

const toLine = (value: Header | Entry) => `${JSON.stringify(value)}\n`

/** Returns null for a line that this version has not written. */
function parseLine(line: string): Header | Entry | null {
  try {
    const value: Partial<Header & { enqueue: Push; ack: string }> = JSON.parse(line)
    if (value.outbox === FORMAT) return { outbox: FORMAT, newest: value.newest ?? null }
    if (typeof value.enqueue?.id === 'string') return { enqueue: value.enqueue }
    return typeof value.ack === 'string' ? { ack: value.ack } : null
  } catch {
    return null
  }
}
