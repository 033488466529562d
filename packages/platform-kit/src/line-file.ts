/** A file of lines, to which lines are added and which is written anew now and then. */
import { createReadStream } from 'node:fs'
import { type FileHandle, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'

export type LineFile = {
  /** Bytes that stand for something. */
  size: () => number
  /**
   * Adds whole lines. Where it fails, nothing of them is in the file.
   * @param flush whether they are on the disk when it resolves.
   */
  append: (text: string, flush: boolean) => Promise<void>
  /** Puts a file of these lines, on the disk, in the place of what is there, in one step. */
  replace: (lines: Iterable<string>) => Promise<void>
  close: () => Promise<void>
}

/** The lines of a file; what a crash cut off at its end is left out. */
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

export function createLineFile(path: string): LineFile {
  let file: FileHandle | null = null
  let size = 0
  /** Whether there may be something behind `size`. */
  let hasRest = false

  async function append(text: string, flush: boolean): Promise<void> {
    file ??= await open(path, 'r+')
    if (hasRest) await file.truncate(size)
    hasRest = true
    const bytes = Buffer.from(text)
    let written = 0
    while (written < bytes.length) {
      const left = bytes.length - written
      written += (await file.write(bytes, written, left, size + written)).bytesWritten
    }
    if (flush) await file.datasync()
    size += bytes.length
    hasRest = false
  }

  return {
    size: () => size,
    async append(text, flush) {
      try {
        await append(text, flush)
      } catch (error) {
        // At once, since what is refused must not come back after a restart; else before the next line.
        await file?.truncate(size).catch(() => undefined)
        throw error
      }
    },
    async replace(lines) {
      const next = `${path}.new`
      const bytes = await writeWhole(next, lines)
      // Some systems give no open file another name.
      await file?.close()
      file = null
      await rename(next, path)
      size = bytes
      hasRest = false
      await flushFolder(dirname(path))
    },
    async close() {
      await file?.close()
      file = null
    },
  }
}

const WRITE_CHARACTERS = 1_000_000

async function writeWhole(path: string, lines: Iterable<string>): Promise<number> {
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

/** A new name is on the disk only once its folder is. */
async function flushFolder(path: string): Promise<void> {
  // Has no files that stand for folders.
  if (process.platform === 'win32') return
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
