/** Files as text, a piece at a time. */
import { createReadStream } from 'node:fs'
import { SourceFault } from '../source.ts'

/** What is no line of anybody's, but a file without ends of lines, or a quote that is never closed. */
export const MOST_CHARACTERS = 16 * 1024 * 1024

/**
 * The text of a file, without a mark of its byte order.
 * @throws SourceFault where it cannot be read, or is not of that encoding: some of its letters would be other ones.
 */
export async function* readText(path: string, encoding: string | null): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding ?? 'utf-8', { fatal: true })
  try {
    for await (const bytes of createReadStream(path)) yield decoder.decode(bytes, { stream: true })
    yield decoder.decode()
  } catch (error) {
    throw new SourceFault(`${path} ${whyUnreadable(error, encoding)}`)
  }
}

/**
 * The encoding that a file most likely has; null for UTF-8, and for bytes that are no text.
 * @throws Error where it cannot be read.
 */
export async function guessEncoding(path: string): Promise<string | null> {
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

function whyUnreadable(error: unknown, encoding: string | null): string {
  if (!(error instanceof TypeError)) {
    return `cannot be read: ${error instanceof Error ? error.message : error}`
  }
  return encoding === null
    ? 'is not in UTF-8: say its encoding, as in "encoding: windows-1252", or save it in UTF-8'
    : `is not in ${encoding}`
}

/**
 * The lines of a file. Not those of `node:readline`, which ends lines at U+2028 too.
 * @throws SourceFault as {@link readText}, and for a line that is none.
 */
export async function* readLines(path: string, encoding: string | null): AsyncGenerator<string> {
  let rest = ''
  for await (const text of readText(path, encoding)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > MOST_CHARACTERS) {
      throw new SourceFault(`${path} has a line of more than ${MOST_CHARACTERS} characters`)
    }
    yield* lines
  }
  if (rest !== '') yield rest
}
