/** A log file: lines are appended, and a rewrite removes lines that are no longer needed. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'

type AppendLog = {
  /** The size of all complete lines in bytes. */
  size: () => number
  /**
   * Appends complete lines. If it fails, the file contains none of them.
   * @param flush whether the lines must be on the disk when the promise resolves.
   */
  append: (text: string, flush: boolean) => Promise<void>
  /** Replaces the file atomically with one that contains these lines, and flushes it to the disk. */
  rewrite: (lines: Iterable<string>) => Promise<void>
  close: () => Promise<void>
}

/** Reads the complete lines of a file; a line that a crash cut off is ignored. */
export async function* readLines(path: string): AsyncGenerator<string> {
  let rest = ''
  try {
    for await (const chunk of createReadStream(path, 'utf8')) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
}

export function createAppendLog(path: string): AppendLog {
  let file: FileHandle | null = null
  let size = 0
  /** Whether the file may contain an incomplete append after `size`. */
  let hasIncompleteEnd = false

  async function append(text: string, flush: boolean): Promise<void> {
    file ??= await open(path, 'r+')
    if (hasIncompleteEnd) await file.truncate(size)
    hasIncompleteEnd = true
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length) {
      const left = bytes.length - written
      written += (await file.write(bytes, written, left, size + written)).bytesWritten
    }
    if (flush) await file.datasync()
    size += bytes.length
    hasIncompleteEnd = false
  }

  return {
    size: () => size,
    async append(text, flush) {
      try {
        await append(text, flush)
      } catch (error) {
        // The caller gets an error, so a restart must not find the lines.
        // If the file cannot be truncated now, the next append does it.
        await file?.truncate(size).catch(() => undefined)
        throw error
      }
    },
    async rewrite(lines) {
      const next = `${path}.new`
      const bytes = await writeNewFile(next, lines)
      // Windows does not rename over an open file.
      await file?.close()
      file = null
      await rename(next, path)
      size = bytes
      hasIncompleteEnd = false
      await flushFolder(dirname(path))
    },
    async close() {
      await file?.close()
      file = null
    },
  }
}

const WRITE_CHARACTERS = 1_000_000

async function writeNewFile(path: string, lines: Iterable<string>): Promise<number> {
  const file = await open(path, 'w', 0o600)
  try {
    let text = ''
    for (const line of lines) {
      text += line
      if (text.length < WRITE_CHARACTERS) continue
      await file.writeFile(text)
      text = ''
    }
    await file.writeFile(text)
    await file.datasync()
    return (await file.stat()).size
  } finally {
    await file.close()
  }
}

/** A renamed file is durable only once its folder is flushed. */
async function flushFolder(path: string): Promise<void> {
  // Windows cannot open folders as files.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
