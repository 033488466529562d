/** An outbox in a file, for Node, Bun and Deno: a line a push, and a line for each that has arrived. */
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Outbox } from './outbox.ts'
import type { Push } from './push.ts'

type Line = { keep: Push } | { drop: string }

/** Written anew without what has arrived, once that is more than this and most of the file. */
const COMPACT_BYTES = 1_000_000

/**
 * A push is kept once it is on the disk; several that come at once share one flush. A line that a crash cut off
 * is left out: its push was never said to be kept. One process at a time.
 */
export function createFileOutbox(path: string): Outbox {
  const waiting = new Map<string, Push>()
  let file: FileHandle | null = null
  let size = 0
  let queued: { text: string; done: () => void; failed: (error: unknown) => void }[] = []
  let writing: Promise<void> | null = null

  async function load(): Promise<Push[]> {
    const text = await readIfThere(path)
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    for (const line of whole.split('\n')) {
      if (line !== '') apply(waiting, JSON.parse(line))
    }
    await rewrite()
    return [...waiting.values()]
  }

  /** What still waits, in a file that takes the place of the one before at once. */
  async function rewrite(): Promise<void> {
    const text = [...waiting.values()].map((push) => toLine({ keep: push })).join('')
    const next = await open(`${path}.new`, 'w', 0o600)
    await next.writeFile(text)
    await next.datasync()
    await rename(`${path}.new`, path)
    await syncFolder(dirname(path))
    await file?.close()
    file = next
    size = Buffer.byteLength(text)
  }

  function append(line: Line): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      queued.push({ text: toLine(line), done: resolve, failed: reject })
    })
    writing ??= writeAll().finally(() => {
      writing = null
    })
    return done
  }

  async function writeAll(): Promise<void> {
    while (queued.length > 0) {
      const batch = queued
      queued = []
      try {
        if (!file) throw new Error('The outbox is not open.')
        const text = batch.map((one) => one.text).join('')
        await file.writeFile(text)
        await file.datasync()
        size += Buffer.byteLength(text)
        for (const { done } of batch) done()
        const kept = [...waiting.values()].reduce((sum, push) => sum + push.body.length, 0)
        if (size > COMPACT_BYTES && size > 2 * kept) await rewrite()
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
  }

  return {
    load,
    async keep(push) {
      waiting.set(push.id, push)
      try {
        await append({ keep: push })
      } catch (error) {
        waiting.delete(push.id)
        throw error
      }
    },
    async drop(id) {
      if (waiting.delete(id)) await append({ drop: id })
    },
    async close() {
      await writing
      await file?.close()
      file = null
    },
  }
}

function apply(waiting: Map<string, Push>, line: Line): void {
  if ('keep' in line) waiting.set(line.keep.id, line.keep)
  else waiting.delete(line.drop)
}

const toLine = (line: Line) => `${JSON.stringify(line)}\n`

async function readIfThere(path: string): Promise<string> {
  try {
    const file = await open(path, 'r')
    try {
      return await file.readFile('utf8')
    } finally {
      await file.close()
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return ''
    throw error
  }
}

/** A new name is on the disk only once its folder is. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
