/**
 * Scans a JSON object of any size as it arrives: it finds the elements of one array member without parsing them, returns
 * them in chunks, and stores the rest of the document, its envelope.
 *
 * The scanner recognises only strings, depth and the commas of the array; `JSON.parse` validates. A document is valid if
 * and only if `JSON.parse` accepts every chunk and `end()` returns: if `JSON.parse` accepts a text, the scanner has
 * recognised its strings and its depth correctly, so the elements were split at the right positions; and if it accepts the
 * envelope with `[]` for the array, an array is valid there. So brackets are counted without distinguishing their kinds,
 * and any depth needs one number.
 */
import { parseJson } from '@recordhub/protocol/lossless-json'
import { ChunkBuilder, GrowingBytes, type JsonChunk } from './json-chunk.ts'

/** The document is incomplete, malformed or too large. The message is a clause with the position. */
export class MalformedJsonError extends Error {
  override name = 'MalformedJsonError'
}

/** The member is an object instead of an array. */
export class NotAnArrayError extends MalformedJsonError {
  override name = 'NotAnArrayError'
}

/** The clause about a text that is not UTF-8. */
export const NOT_UTF8 =
  'is not valid UTF-8; probably it is Latin-1 or Windows-1252, and must be converted (in PHP with MySQL: charset=utf8mb4)'

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes the bytes of a chunk or of an element for `JSON.parse`.
 * @throws MalformedJsonError if the bytes are not UTF-8.
 */
export function decodeJson(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch (cause) {
    throw new MalformedJsonError(`it ${NOT_UTF8}`, { cause })
  }
}

export type JsonArrayScannerOptions = {
  /** The key of the array in the top-level object. */
  member: string
  /** Larger elements are skipped without validation, and reported as `tooLarge`. */
  maxElementBytes: number
  /** Maximum size of everything outside of the array, including whitespace. */
  maxEnvelopeBytes: number
  /** A chunk is returned when it has reached this size or 2,048 elements; 64 KiB by default. */
  chunkBytes?: number
}

const QUOTE = 0x22
const COMMA = 0x2c
const LESS_THAN = 0x3c
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The states of the scanner. All except the first two are inside the array. */
const ENVELOPE = 0
const ENVELOPE_STRING = 1
const BEFORE_ELEMENT = 2
const AFTER_ELEMENT = 3
/** In an element that is a number or a keyword. */
const SCALAR = 4
/** In a string that is an element or part of one. */
const STRING = 5
/** In an element that is an object or array, outside of its strings. */
const NESTED = 6

/**
 * Scans one document in pieces of any size. Memory stays below a small multiple of the limits plus one piece, and each byte
 * is copied about once.
 */
export class JsonArrayScanner {
  readonly #member: string
  readonly #maxEnvelopeBytes: number
  readonly #builder: ChunkBuilder
  readonly #envelope = new GrowingBytes(1024)
  #head: Record<string, unknown> | null = null
  #error: MalformedJsonError | null = null
  /** The number of bytes before the current piece. */
  #offset = 0
  #state = ENVELOPE
  /** In the envelope, 1 is the level of the document's members; in the array, of the element's. */
  #depth = 0
  /** 1 if the last piece ended with a backslash, which escapes the next byte. */
  #escaped = 0
  #expectsKey = false
  /** The start of the current key in the envelope; -1 outside of keys. */
  #keyStart = -1
  #seen = false
  /** Whether the current member of the document is the array. */
  #inMember = false

  constructor(options: JsonArrayScannerOptions) {
    this.#member = options.member
    this.#maxEnvelopeBytes = options.maxEnvelopeBytes
    this.#builder = new ChunkBuilder(options.chunkBytes ?? 65_536, options.maxElementBytes)
  }

  /**
   * The members before the array, with `[]` for the array: enough to reject a document early. Null before the array begins,
   * and if there is no such array.
   */
  get head(): Readonly<Record<string, unknown>> | null {
    return this.#head
  }

  /**
   * Scans the next bytes, which may be overwritten afterwards. Returns the chunks that they complete; the last one is
   * returned at the end of the array.
   * @throws MalformedJsonError as soon as the document is known to be invalid, and in every later call.
   */
  push(piece: Uint8Array): JsonChunk[] {
    if (this.#error !== null) throw this.#error
    try {
      let at = 0
      while (at < piece.length) {
        const inEnvelope = this.#state <= ENVELOPE_STRING
        at = inEnvelope ? this.#scanEnvelope(piece, at) : this.#scanArray(piece, at)
      }
    } catch (error) {
      if (error instanceof MalformedJsonError) this.#error = error
      throw error
    }
    this.#offset += piece.length
    return this.#builder.takeComplete()
  }

  /** Returns the complete elements that have not been returned yet. Called between two pieces. */
  takeFinished(): JsonChunk[] {
    this.#builder.emitComplete()
    return this.#builder.takeComplete()
  }

  /**
   * Returns the elements that were complete before the document was cut off and have not been returned yet. Empty in later
   * calls.
   */
  takeRest(): JsonChunk[] {
    this.#builder.emitFinished()
    return this.#builder.takeComplete()
  }

  /** Allows the memory of a chunk to be reused; its bytes are detached. */
  release(chunk: JsonChunk): void {
    this.#builder.release(chunk)
  }

  /**
   * Called after the last piece. Returns the document with `[]` for the array, or unchanged if the member is not an array.
   * @throws MalformedJsonError if the document is incomplete or, outside of the array, not valid JSON.
   */
  end(): Record<string, unknown> {
    if (this.#error !== null) throw this.#error
    if (this.#offset === 0) throw new MalformedJsonError('it is empty')
    if (this.#state !== ENVELOPE || this.#depth > 0) throw this.#toError('ends too early', 0)
    return this.#parseEnvelope('')
  }

  /** Scans and stores the envelope. It does not validate, since the envelope is parsed later. */
  #scanEnvelope(piece: Uint8Array, from: number): number {
    let stored = from
    let at = from + this.#escaped
    this.#escaped = 0
    while (at < piece.length) {
      if (this.#state === ENVELOPE_STRING) {
        at = findQuote(piece, at)
        if (at >= piece.length) break
        at++
        this.#state = ENVELOPE
        if (this.#keyStart < 0) continue
        stored = this.#store(piece, stored, at)
        this.#takeKey(at)
        continue
      }
      const byte = piece[at]
      if (byte === QUOTE) {
        this.#state = ENVELOPE_STRING
        if (this.#expectsKey) this.#keyStart = this.#envelope.length + at - stored
      } else if (byte === COMMA) {
        this.#expectsKey = this.#depth === 1
      } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (this.#depth === 0 && byte === OPEN_BRACKET) throw this.#toError('is not an object', at)
        this.#depth++
        this.#expectsKey = this.#depth === 1
        if (this.#inMember && this.#depth === 2 && byte === OPEN_BRACKET) {
          this.#store(piece, stored, at + 1)
          this.#head = this.#parseEnvelope(']}')
          this.#depth = 0
          this.#state = BEFORE_ELEMENT
          return at + 1
        }
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth--
        if (this.#depth < 0) throw this.#toError('has an unmatched closing bracket', at)
      }
      at++
    }
    this.#escaped = at - piece.length
    this.#store(piece, stored, piece.length)
    return piece.length
  }

  #store(piece: Uint8Array, from: number, to: number): number {
    if (this.#envelope.length + to - from > this.#maxEnvelopeBytes) {
      const member = JSON.stringify(this.#member)
      if (this.#inMember && this.#head === null && this.#depth > 1) {
        throw new NotAnArrayError(`${member} is not a list`)
      }
      throw this.#toError(`is too large outside of ${member}`, from)
    }
    this.#envelope.append(piece, from, to)
    return to
  }

  #takeKey(at: number): void {
    const key = parse(decodeJson(this.#envelope.view(this.#keyStart)))
    this.#keyStart = -1
    this.#expectsKey = false
    this.#inMember = key === this.#member
    if (!this.#inMember) return
    if (this.#seen) throw this.#toError(`has ${JSON.stringify(key)} twice`, at)
    this.#seen = true
  }

  #parseEnvelope(closing: string): Record<string, unknown> {
    const text = decodeJson(this.#envelope.view(0)).replace(/^\ufeff/, '')
    const value = parse(text + closing)
    if (!isObject(value)) throw new MalformedJsonError('it is not an object')
    return value
  }

  #scanArray(piece: Uint8Array, from: number): number {
    const builder = this.#builder
    const length = piece.length
    let state = this.#state
    let depth = this.#depth
    let at = from + this.#escaped
    this.#escaped = 0
    builder.open(piece)
    while (at < length) {
      if (state === NESTED) {
        // The hot loop: nearly every byte of a document is read here or in findQuote.
        while (at < length) {
          const byte = piece[at++]
          if (byte === QUOTE) {
            at = findQuote(piece, at)
            if (at >= length) {
              state = STRING
              break
            }
            at++
          } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++
          else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) {
            builder.finishElement(at)
            state = AFTER_ELEMENT
            break
          }
        }
      } else if (state === STRING) {
        at = findQuote(piece, at)
        if (at >= length) break
        at++
        if (depth === 0) builder.finishElement(at)
        state = depth === 0 ? AFTER_ELEMENT : NESTED
      } else if (state === SCALAR) {
        while (at < length && isPartOfScalar(piece[at])) at++
        if (at === length) break
        builder.finishElement(at)
        state = AFTER_ELEMENT
      } else if (isWhitespace(piece[at])) {
        at++
      } else if (piece[at] === CLOSE_BRACKET && (state === AFTER_ELEMENT || builder.isFirst)) {
        // The closing bracket is part of the envelope, like the opening one.
        builder.emit()
        this.#state = ENVELOPE
        this.#depth = 2
        return at
      } else if (state === AFTER_ELEMENT) {
        if (piece[at] !== COMMA) throw this.#toError('lacks a comma between two elements', at)
        state = BEFORE_ELEMENT
        at++
      } else {
        const byte = piece[at]
        if (byte === COMMA || byte === CLOSE_BRACKET) throw this.#toError('lacks an element', at)
        // PHP writes its messages between elements.
        if (byte === LESS_THAN) throw this.#toError('has an unexpected character', at)
        builder.beginElement(at)
        const nests = byte === OPEN_BRACE || byte === OPEN_BRACKET
        state = nests ? NESTED : byte === QUOTE ? STRING : SCALAR
        depth = nests ? 1 : 0
        at++
      }
    }
    builder.close()
    this.#escaped = at - length
    this.#state = state
    this.#depth = depth
    return length
  }

  #toError(reason: string, at: number): MalformedJsonError {
    return new MalformedJsonError(`it ${reason}, at byte ${this.#offset + at}`)
  }
}

/**
 * The position of the closing quote of a string. Without one, the end of the piece, or the byte after it if an escape is
 * cut. For the short strings of records, `indexOf` is slower: 480 instead of 750 MB/s in total.
 */
function findQuote(piece: Uint8Array, from: number): number {
  let at = from
  while (at < piece.length) {
    const byte = piece[at]
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
    // Not with `JSON.parse`, which may read a key with an escape as another one (decision 1).
    return parseJson(text, Number)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new MalformedJsonError(`it is not valid JSON (${reason})`, { cause })
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
