/**
 * The tokens of `search-tokens.ts` as UTF-8, from one pass over the bytes of the stored JSON. Most values are plain ASCII, of
 * which no text is made; all others take the way of `recordTokens`. docs/performance.md has the figures.
 */
import { foldNames, MAX_DOCUMENT_LENGTH } from './search-text.ts'
import {
  addNameTokens,
  addWords,
  BEGINNING_MARK,
  MAX_WORD_LENGTH,
  recordTokens,
  SPACE_MARK,
  SUBSTRING_LENGTH,
  SUBSTRING_MARK,
} from './search-tokens.ts'

/** `data` is JSON in UTF-8. */
type IndexedBytes = { full_name: string; reference_number: string; data: Uint8Array }

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const SPACE = 0x20

const SEPARATOR = 0
const OTHER = 255
/** The lower-case letter or the digit of a byte; `SEPARATOR`; or `OTHER` for what is not plain text in JSON. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < SPACE || byte > 0x7e || byte === BACKSLASH) return OTHER
  const folded = String.fromCharCode(byte).toLowerCase()
  return /[a-z0-9]/.test(folded) ? folded.charCodeAt(0) : SEPARATOR
})
/** Whether a byte stands between the values of JSON. */
const STRUCTURE = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte <= SPACE || ',[]{}'.includes(String.fromCharCode(byte)) ? 1 : 0,
)

/** More than the tokens of a plain name: three marks and three characters for each of its characters, twice. */
const NAME_TOKEN_BYTES = 32
const encode = (text: string) => Buffer.from(text)
const SUBSTRING = encode(SUBSTRING_MARK)
const BEGINNING = encode(BEGINNING_MARK)
const SPACES = encode(SPACE_MARK)

/**
 * Returns a function for the tokens of a record, separated by spaces, as {@link recordTokens} returns them. Its result
 * is valid until its next call.
 */
export function createRecordTokenizer(): (record: IndexedBytes) => Uint8Array {
  const output = new TokenWriter()
  return ({ full_name, reference_number, data }) => {
    output.clear()
    const json = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    // Below the limit of a record's text, which counts one more for each value, nothing is cut off.
    if (full_name.length + reference_number.length + json.length + 2 > MAX_DOCUMENT_LENGTH) {
      output.addTokens([recordTokens({ full_name, reference_number, data: json.toString() })])
      return output.bytes()
    }
    output.addText(full_name)
    output.addText(reference_number)
    addValues(output, json)
    for (const name of foldNames({ full_name, reference_number })) output.addName(name)
    return output.bytes()
  }
}

/** Adds the words of the values of JSON, without keys and nulls. */
function addValues(output: TokenWriter, json: Buffer): void {
  for (let at = 0; at < json.length; ) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) {
      const end = findClosingQuote(json, at)
      const next = skipSpaces(json, end + 1)
      if (json[next] === COLON) at = next + 1
      else {
        if (!output.addPlain(json, at + 1, end)) output.addText(decode(json, at, end))
        at = next
      }
    } else if (STRUCTURE[byte]) at += 1
    else {
      const end = findEnd(json, at)
      // Of the literals only null begins with n.
      if (byte !== 0x6e) output.addPlain(json, at, end)
      at = end
    }
  }
}

function findClosingQuote(json: Buffer, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1
  return at
}

function skipSpaces(json: Buffer, start: number): number {
  let at = start
  while (at < json.length && (json[at] ?? COMMA) <= SPACE) at += 1
  return at
}

/** The end of a number or a literal. */
function findEnd(json: Buffer, start: number): number {
  let at = start
  while (at < json.length && !STRUCTURE[json[at] ?? 0]) at += 1
  return at
}

/** The text between two quotes. */
function decode(json: Buffer, start: number, end: number): string {
  const text = json.toString('utf8', start, end + 1)
  return text.includes('\\') ? String(JSON.parse(text)) : text.slice(1, -1)
}

/** Collects tokens, each followed by a space, in a buffer that grows and is used again. */
class TokenWriter {
  #bytes = Buffer.allocUnsafe(64 * 1024)
  #end = 0

  clear(): void {
    this.#end = 0
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#end)
  }

  addText(text: string): void {
    const tokens: string[] = []
    addWords(tokens, text)
    this.addTokens(tokens)
  }

  addTokens(tokens: readonly string[]): void {
    for (const token of tokens) {
      this.#reserve(token.length * 3 + 1)
      this.#end += this.#bytes.write(token, this.#end)
      this.#bytes[this.#end++] = SPACE
    }
  }

  /** Adds the words of plain bytes. Returns false, and adds nothing, for others. */
  addPlain(json: Uint8Array, start: number, end: number): boolean {
    this.#reserve(end - start + 1)
    const bytes = this.#bytes
    let to = this.#end
    let length = 0
    for (let at = start; at < end; at++) {
      const folded = FOLDED[json[at] ?? 0] ?? OTHER
      if (folded === SEPARATOR) {
        if (length > 0) bytes[to++] = SPACE
        length = 0
      } else if (folded === OTHER) return false
      else if (length++ < MAX_WORD_LENGTH) bytes[to++] = folded
    }
    if (length > 0) bytes[to++] = SPACE
    this.#end = to
    return true
  }

  /** Adds the tokens of substrings and of the beginnings of words. @param name is folded. */
  addName(name: string): void {
    if (!/^[\x20-\x5b\x5d-\x7e]*$/.test(name)) {
      const tokens: string[] = []
      addNameTokens(tokens, name)
      this.addTokens(tokens)
      return
    }
    this.#reserve(name.length * NAME_TOKEN_BYTES)
    for (let at = 0; at + SUBSTRING_LENGTH <= name.length; at++) {
      this.#addMarked(SUBSTRING, name, at, at + SUBSTRING_LENGTH)
    }
    for (let at = 0; at < name.length; at++) {
      if (name.charCodeAt(at) === SPACE || (isWord(name, at) && isWord(name, at - 1))) continue
      this.#addMarked(BEGINNING, name, at, at + 1)
      this.#addMarked(BEGINNING, name, at, Math.min(at + 2, name.length))
    }
  }

  #addMarked(mark: Uint8Array, name: string, start: number, end: number): void {
    this.#copy(mark)
    for (let at = start; at < end; at++) {
      const code = name.charCodeAt(at)
      if (code === SPACE) this.#copy(SPACES)
      else this.#bytes[this.#end++] = code
    }
    this.#bytes[this.#end++] = SPACE
  }

  #copy(from: Uint8Array): void {
    for (const byte of from) this.#bytes[this.#end++] = byte
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, needed))
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }
}

/** Whether the character is a letter or digit. */
function isWord(name: string, at: number): boolean {
  const folded = FOLDED[name.charCodeAt(at)] ?? SEPARATOR
  return folded !== SEPARATOR && folded !== OTHER
}
