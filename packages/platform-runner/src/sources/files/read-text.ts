/** Streams files as text. */
import { createReadStream } from 'node:fs'
import { SourceMisconfigured } from '../source.ts'

/** A longer line indicates a file without line endings, or a quote that is never closed. */
export const MAX_LINE_CHARACTERS = 16 * 1024 * 1024

/**
 * The text of a file without its byte order mark.
 * @throws SourceMisconfigured if the file cannot be read or has another encoding.
 */
export async function* readText(path: string, encoding: string | null): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding ?? 'utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(path)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw new SourceMisconfigured(`${path} ${unreadableReason(error, encoding)}`)
  }
}

/**
 * The most likely encoding of a file; null for UTF-8 and for binary files.
 * @throws Error if the file cannot be read.
 */
export async function detectEncoding(path: string): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let isUtf8 = true
  let isStart = true
  for await (const bytes of createReadStream(path)) {
    if (isStart && bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
    if (isStart && bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
    isStart = false
    if (bytes.includes(0)) return null
    isUtf8 &&= decodes(() => decoder.decode(bytes, { stream: true }))
  }
  isUtf8 &&= decodes(() => decoder.decode())
  return isUtf8 ? null : 'windows-1252'
}

function decodes(decode: () => string): boolean {
  try {
    decode()
    return true
  } catch {
    return false
  }
}

function unreadableReason(error: unknown, encoding: string | null): string {
  if (!(error instanceof TypeError)) {
    return `cannot be read: ${error instanceof Error ? error.message : error}`
  }
  return encoding === null
    ? 'is not in UTF-8: set its encoding, as in "encoding: windows-1252", or save it in UTF-8'
    : `is not in ${encoding}`
}

/**
 * The lines of a file. `node:readline` is not used, since it also ends lines at U+2028.
 * @throws SourceMisconfigured as {@link readText}, and for a line that is too long.
 */
export async function* readLines(path: string, encoding: string | null): AsyncGenerator<string> {
  let rest = ''
  for await (const text of readText(path, encoding)) {
    // Splitting all of a long line again for each part of it would take quadratic time.
    const lines = text.includes('\n') ? (rest + text).split('\n') : [rest + text]
    rest = lines.pop() ?? ''
    if (rest.length > MAX_LINE_CHARACTERS) {
      throw new SourceMisconfigured(
        `${path} has a line of more than ${MAX_LINE_CHARACTERS} characters`,
      )
    }
    yield* lines
  }
  if (rest !== '') yield rest
}
