/** An outbox in a file, for Node, Bun and Deno: a line a push, and a line for each that has arrived. */
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type FileLock, takeFileLock } from './file-lock.ts'
import { createLineFile, readLines } from './line-file.ts'
import type { Outbox } from './outbox.ts'
import type { Push } from './push.ts'

type Head = { outbox: typeof FORMAT; newest: string | null }
type Line = { keep: Push } | { drop: string }
type Asked = { line: Line; text: string; resolve: () => void; reject: (error: unknown) => void }

const FORMAT = 1
/** Written anew without what has arrived, once that is most of the file and more than this. */
const COMPACT_BYTES = 1_000_000

/**
 * A push is kept once it is on the disk; several that come at once share one flush. Personal data stand in the
 * file, so only its owner may read it. One process at a time uses it; another one is refused.
 */
export function createFileOutbox(path: string): Outbox {
  const file = createLineFile(path)
  const waiting = new Map<string, { push: Push; bytes: number }>()
  let waitingBytes = 0
  let newest: string | null = null
  let lock: FileLock | null = null
  let asked: Asked[] = []
  let writing: Promise<void> | null = null

  function apply(line: Line, text: string): void {
    const id = 'keep' in line ? line.keep.id : line.drop
    waitingBytes -= waiting.get(id)?.bytes ?? 0
    if ('drop' in line) {
      waiting.delete(id)
      return
    }
    const bytes = Buffer.byteLength(text)
    waiting.set(id, { push: line.keep, bytes })
    waitingBytes += bytes
    note(line.keep.occurredAt)
  }

  function note(at: string | null): void {
    if (at !== null && at > (newest ?? '')) newest = at
  }

  async function read(): Promise<void> {
    let number = 0
    for await (const text of readLines(path)) {
      number += 1
      const line = parseLine(text)
      if (line === null) {
        throw new Error(`Its line ${number} cannot be read; take it out, and the rest goes on.`)
      }
      if ('outbox' in line) note(line.newest)
      else apply(line, text)
    }
  }

  function* lines(): Generator<string> {
    const head: Head = { outbox: FORMAT, newest }
    yield toText(head)
    for (const { push } of waiting.values()) yield toText({ keep: push })
  }

  function write(line: Line): Promise<void> {
    const written = new Promise<void>((resolve, reject) => {
      asked.push({ line, text: toText(line), resolve, reject })
    })
    writing ??= writeAsked()
    return written
  }

  async function writeAsked(): Promise<void> {
    while (asked.length > 0) {
      const batch = asked
      asked = []
      try {
        await append(batch)
      } catch (error) {
        for (const { reject } of batch) reject(explain(error, path))
        continue
      }
      for (const { line, text, resolve } of batch) {
        apply(line, text)
        resolve()
      }
      const isWorth = file.size() > COMPACT_BYTES && file.size() > 2 * waitingBytes
      // Where there is no room for it, the file goes on growing, and is written anew another time.
      if (isWorth) await file.replace(lines()).catch(() => undefined)
    }
    // In the same step as the last look: what is asked for after it begins anew.
    writing = null
  }

  async function append(batch: Asked[]): Promise<void> {
    const text = batch.map((one) => one.text).join('')
    // What has arrived may be sent again after a crash of the machine: that changes nothing at the hub.
    const flush = batch.some(({ line }) => 'keep' in line)
    await file.append(text, flush)
    // Whoever takes the lock reads the file after that, and so finds what was written before.
    if (!(await lock?.isHeld())) throw new Error('It is closed, or another process has taken it.')
  }

  return {
    async load() {
      try {
        await mkdir(dirname(path), { recursive: true })
        lock = await takeFileLock(`${path}.lock`)
        await read()
        await file.replace(lines())
        return { waiting: [...waiting.values()].map(({ push }) => push), newest }
      } catch (error) {
        await lock?.release()
        throw explain(error, path)
      }
    },
    keep: (push) => write({ keep: push }),
    drop: async (id) => {
      if (waiting.has(id)) await write({ drop: id })
    },
    async close() {
      await writing
      await file.close()
      await lock?.release()
      lock = null
    },
  }
}

function explain(error: unknown, path: string): Error {
  const reason = error instanceof Error ? error.message : String(error)
  return new Error(`The outbox ${path} cannot be used. ${reason}`, { cause: error })
}

const toText = (line: Head | Line) => `${JSON.stringify(line)}\n`

/** Null for what this version has not written. */
function parseLine(text: string): Head | Line | null {
  try {
    const line: Partial<Head & { keep: Push; drop: string }> = JSON.parse(text)
    if (line.outbox === FORMAT) return { outbox: FORMAT, newest: line.newest ?? null }
    if (typeof line.keep?.id === 'string') return { keep: line.keep }
    return typeof line.drop === 'string' ? { drop: line.drop } : null
  } catch {
    return null
  }
}
