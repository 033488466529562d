/**
 * Reads one JSON object of any size as it arrives: finds where each element of one of its array
 * members begins and ends without parsing it, hands the elements out in slices, and keeps the rest
 * of the document, its envelope.
 *
 * The scanner knows strings, depth and the commas of the array, no more; `JSON.parse` judges. A
 * document is whole exactly when `JSON.parse` accepts every slice and `end()` returns: wherever it
 * accepts a text, strings and depth are what the scanner took them for, so the elements were cut
 * where they end; and where it accepts the envelope with `[]` for the array, an array may stand
 * there. So brackets are counted, not told apart, and any depth costs one number.
 */

import { ChunkBuilder, GrowingBytes, type JsonChunk } from './json-chunk.ts'

/** The document is cut off, malformed or too large; the message says so, and where, in half a sentence. */
export class MalformedJsonError extends Error {
  override name = 'MalformedJsonError'
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of a slice's `bytes`, or of one element's, for `JSON.parse`.
 * @throws MalformedJsonError where the bytes are no UTF-8.
 */
export function decodeJson(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new MalformedJsonError('it is no UTF-8', { cause })
  }
}

export type JsonArrayScannerOptions = {
  /** The key of the array in the top-level object. */
  member: string
  /** Larger elements are left out, neither kept nor checked, and reported as `tooLarge`. */
  maxElementBytes: number
  /** What all that is outside of the array may take, whitespace included. */
  maxEnvelopeBytes: number
  /** A slice is handed out when it has reached this size. 64 KiB where absent. */
  sliceBytes?: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** Where the scanner stands. All but the first two are inside of the array. */
const ENVELOPE = 0
const ENVELOPE_STRING = 1
const BEFORE_ELEMENT = 2
const AFTER_ELEMENT = 3
/** In a number or word that is itself an element. */
const SCALAR = 4
/** In a string that is an element or belongs to one. */
const STRING = 5
/** In an object or array that is an element, outside of its strings. */
const NESTED = 6

/**
 * Takes one document in pieces that may be cut anywhere. Memory stays below a small multiple of
 * the limits plus one piece, and each byte is copied about once, however small the pieces.
 */
export class JsonArrayScanner {
  readonly #member: string
  readonly #maxEnvelopeBytes: number
  readonly #slice: ChunkBuilder
  readonly #envelope = new GrowingBytes(1024)
  #head: Record<string, unknown> | null = null
  #broken: MalformedJsonError | null = null
  /** Bytes of the document before the current chunk. */
  #offset = 0
  #state = ENVELOPE
  /** In the envelope, 1 is directly inside of the document; in the array, of the element. */
  #depth = 0
  /** 1 where the last chunk ended after a backslash: the next byte is escaped by it. */
  #escaped = 0
  #expectsKey = false
  /** Where in the envelope the current key begins; -1 outside of keys. */
  #keyStart = -1
  #seen = false
  /** The current member of the document is the wanted one. */
  #inMember = false

  constructor(options: JsonArrayScannerOptions) {
    this.#member = options.member
    this.#maxEnvelopeBytes = options.maxEnvelopeBytes
    this.#slice = new ChunkBuilder(options.sliceBytes ?? 65_536, options.maxElementBytes)
  }

  /**
   * The document as far as it was known when the array began, with `[]` for the array: enough to
   * refuse early by what stands before it. Null until then; for ever where there is no such array.
   */
  get head(): Readonly<Record<string, unknown>> | null {
    return this.#head
  }

  /**
   * Takes the next bytes, which may be overwritten afterwards. Returns the slices completed by
   * them; the last one, of whatever size, comes with the end of the array.
   * @throws MalformedJsonError as soon as the document is known to be broken, and ever after.
   */
  push(chunk: Uint8Array): JsonChunk[] {
    if (this.#broken !== null) throw this.#broken
    try {
      let at = 0
      while (at < chunk.length) {
        const inEnvelope = this.#state <= ENVELOPE_STRING
        at = inEnvelope ? this.#scanEnvelope(chunk, at) : this.#scanArray(chunk, at)
      }
    } catch (error) {
      if (error instanceof MalformedJsonError) this.#broken = error
      throw error
    }
    this.#offset += chunk.length
    return this.#slice.takeComplete()
  }

  /** Between two chunks, the elements that are complete and have not been handed out. Nothing is lost by it. */
  takeFinished(): JsonChunk[] {
    this.#slice.emitComplete()
    return this.#slice.takeComplete()
  }

  /**
   * After a break, the elements that were complete before it and have not been handed out. Empty
   * afterwards.
   */
  takeRest(): JsonChunk[] {
    this.#slice.emitFinished()
    return this.#slice.takeComplete()
  }

  /** May be called for a slice that is not needed any more; its bytes are gone then. */
  release(slice: JsonChunk): void {
    this.#slice.release(slice)
  }

  /**
   * To be called when no more bytes come. Returns the document with `[]` for the array; where the
   * member is no array, as it is.
   * @throws MalformedJsonError where the document is cut off or, outside of the array, no JSON.
   */
  end(): Record<string, unknown> {
    if (this.#broken !== null) throw this.#broken
    if (this.#offset === 0) throw new MalformedJsonError('it is empty')
    if (this.#state !== ENVELOPE || this.#depth > 0) throw this.#flaw('ends too early', 0)
    return this.#parseEnvelope('')
  }

  /** Scans and keeps what is outside of the array. Lax, for all of it will be parsed. */
  #scanEnvelope(chunk: Uint8Array, from: number): number {
    let kept = from
    let at = from + this.#escaped
    this.#escaped = 0
    while (at < chunk.length) {
      if (this.#state === ENVELOPE_STRING) {
        at = findQuote(chunk, at)
        if (at >= chunk.length) break
        at++
        this.#state = ENVELOPE
        if (this.#keyStart < 0) continue
        kept = this.#keep(chunk, kept, at)
        this.#takeKey(at)
        continue
      }
      const byte = chunk[at]
      if (byte === QUOTE) {
        this.#state = ENVELOPE_STRING
        if (this.#expectsKey) this.#keyStart = this.#envelope.length + at - kept
      } else if (byte === COMMA) {
        this.#expectsKey = this.#depth === 1
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (this.#depth === 0 && byte === OPEN_BRACKET) throw this.#flaw('is no object', at)
        this.#depth++
        this.#expectsKey = this.#depth === 1
        if (this.#inMember && this.#depth === 2 && byte === OPEN_BRACKET) {
          this.#keep(chunk, kept, at + 1)
          this.#head = this.#parseEnvelope(']}')
          this.#depth = 0
          this.#state = BEFORE_ELEMENT
          return at + 1
        }
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth--
        if (this.#depth < 0) throw this.#flaw('closes more than it opens', at)
      }
      at++
    }
    this.#escaped = at - chunk.length
    this.#keep(chunk, kept, chunk.length)
    return chunk.length
  }

  #keep(chunk: Uint8Array, from: number, to: number): number {
    if (this.#envelope.length + to - from > this.#maxEnvelopeBytes) {
      throw this.#flaw(`is too large outside of ${JSON.stringify(this.#member)}`, from)
    }
    this.#envelope.append(chunk, from, to)
    return to
  }

  #takeKey(at: number): void {
    const key = parse(decodeJson(this.#envelope.view(this.#keyStart)))
    this.#keyStart = -1
    this.#expectsKey = false
    this.#inMember = key === this.#member
    if (!this.#inMember) return
    if (this.#seen) throw this.#flaw(`has ${JSON.stringify(key)} twice`, at)
    this.#seen = true
  }

  #parseEnvelope(closing: string): Record<string, unknown> {
    const text = decodeJson(this.#envelope.view(0)).replace(/^\ufeff/, '')
    const value = parse(text + closing)
    if (!isObject(value)) throw new MalformedJsonError('it is no object')
    return value
  }

  #scanArray(chunk: Uint8Array, from: number): number {
    const slice = this.#slice
    const length = chunk.length
    let state = this.#state
    let depth = this.#depth
    let at = from + this.#escaped
    this.#escaped = 0
    slice.open(chunk)
    while (at < length) {
      if (state === NESTED) {
        // The hot loop: nearly every byte of a document passes here or in findQuote.
        while (at < length) {
          const byte = chunk[at++]
          if (byte === QUOTE) {
            at = findQuote(chunk, at)
            if (at >= length) {
              state = STRING
              break
            }
            at++
          } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
          else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
            slice.finishElement(at)
            state = AFTER_ELEMENT
            break
          }
        }
      } else if (state === STRING) {
        at = findQuote(chunk, at)
        if (at >= length) break
        at++
        if (depth === 0) slice.finishElement(at)
        state = depth === 0 ? AFTER_ELEMENT : NESTED
      } else if (state === SCALAR) {
        while (at < length && isPartOfScalar(chunk[at])) at++
        if (at === length) break
        slice.finishElement(at)
        state = AFTER_ELEMENT
      } else if (isWhitespace(chunk[at])) {
        at++
      } else if (chunk[at] === CLOSE_BRACKET && (state === AFTER_ELEMENT || slice.isFirst)) {
        // This bracket is the envelope's, as the one that opened the array was.
        slice.emit()
        this.#state = ENVELOPE
        this.#depth = 2
        return at
      } else if (state === AFTER_ELEMENT) {
        if (chunk[at] !== COMMA) throw this.#flaw('lacks a comma between two elements', at)
        state = BEFORE_ELEMENT
        at++
      } else {
        const byte = chunk[at]
        if (byte === COMMA || byte === CLOSE_BRACKET) throw this.#flaw('lacks an element', at)
        slice.beginElement(at)
        const nests = byte === OPEN_BRACE || byte === OPEN_BRACKET
        state = nests ? NESTED : byte === QUOTE ? STRING : SCALAR
        depth = nests ? 1 : 0
        at++
      }
    }
    slice.close()
    this.#escaped = at - length
    this.#state = state
    this.#depth = depth
    return length
  }

  #flaw(what: string, at: number): MalformedJsonError {
    return new MalformedJsonError(`it ${what}, at byte ${this.#offset + at}`)
  }
}

/**
 * Where the string's closing quote stands; the chunk's end or, where an escape is cut, the byte
 * after it where there is none. With the short strings of records, indexOf is slower: 480 MB/s
 * over all instead of 750.
 */
function findQuote(chunk: Uint8Array, from: number): number {
  let at = from
  while (at < chunk.length) {
    const byte = chunk[at]
    if (byte === QUOTE) break
    at += byte === BACKSLASH ? 2 : 1
  }
  return at
}

function isWhitespace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isPartOfScalar(byte: number | undefined): boolean {
  return !(
    isWhitespace(byte) ||
    byte === COMMA ||
    byte === QUOTE ||
    byte === OPEN_BRACE ||
    byte === OPEN_BRACKET ||
    byte === CLOSE_BRACE ||
    byte === CLOSE_BRACKET
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new MalformedJsonError(`it is no JSON (${why})`, { cause })
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
