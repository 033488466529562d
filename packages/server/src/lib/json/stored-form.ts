/**
 * Recognises JSON texts in the stored form, so that the hub can store received text without parsing it. The stored form
 * of a text is `stringifyLossless(parseLossless(text))`. A text has this form if and only if it is valid JSON and
 * - it has no whitespace outside of strings;
 * - no object has a key twice, or a key that is an array index, since objects list those first;
 * - its strings have only the escape sequences that `JSON.stringify` writes.
 * Numbers and the order of the other keys are preserved, so any are in the stored form.
 */
import { isUtf8 } from 'node:buffer'
import { type KeyNode, KeyTree, startsWith } from './key-tree.ts'

/** The members of an object in the order of the text, and the positions of their values in the bytes. */
export type ScannedMembers = {
  readonly keys: readonly string[]
  readonly starts: readonly number[]
  /** Exclusive. */
  readonly ends: readonly number[]
}

export type ScannedObject = {
  members: ScannedMembers
  /** The members of the chosen member; null unless it is an object. */
  inner: ScannedMembers | null
}

/** The result of the functions that scan a value, instead of the position after it. */
const NOT_STORED_FORM = -1

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const DOT = 0x2e
const ZERO = 0x30
const ONE = 0x31
const NINE = 0x39
const UPPER_E = 0x45
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const LOWER_A = 0x61
const LOWER_E = 0x65
const LOWER_F = 0x66
const LOWER_U = 0x75
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** Control characters are written with an escape sequence. */
const FIRST_PRINTABLE = 0x20
const NULL = Buffer.from('null')
const TRUE = Buffer.from('true')
const FALSE = Buffer.from('false')
/** The bytes that may follow a backslash, except `u`. */
const SHORT_ESCAPES = new Set(Buffer.from('"\\bfnrt'))
/** The last digits of control characters from U+0000 and U+0010 whose escape sequence is short. */
const SHORT_DIGITS = new Set(Buffer.from('89acd'))

/**
 * Scans the texts of objects. A scanner remembers the keys of the objects that it has scanned, because the records of a
 * module have the same keys.
 */
export class StoredFormScanner {
  readonly #maxDepth: number
  readonly #maxNumberLength: number
  /** The member whose own members are found too. */
  readonly #innerKey: string
  readonly #keys = new KeyTree()
  #bytes: Uint8Array = new Uint8Array(0)
  #inner: MemberList | null = null
  /** The combined bits of all string bytes. */
  #bits = 0
  /** The number of members of the last object in the stored form, and of its chosen member. */
  #length = 0
  #innerLength = 0

  constructor(options: { maxDepth: number; maxNumberLength: number; innerKey: string }) {
    this.#maxDepth = options.maxDepth
    this.#maxNumberLength = options.maxNumberLength
    this.#innerKey = options.innerKey
  }

  /**
   * Scans the object from `start` to `end`. Returns null unless the text is an object in the stored form that is safe by
   * `findUnsafeJson`. Also returns null for some unusual texts in the stored form: with a lone surrogate, a number longer
   * than `maxNumberLength`, a key with an escape sequence or of more than 256 bytes, or an object of very many keys.
   */
  scan(bytes: Uint8Array, start: number, end: number): ScannedObject | null {
    this.#bytes = bytes
    this.#inner = null
    this.#bits = 0
    if (bytes[start] !== OPEN_BRACE) return null
    const members = new MemberList(this.#length)
    if (this.#scanObject(start + 1, 1, this.#keys.root(), members) !== end) return null
    if (this.#bits >= 0x80 && !isUtf8(bytes.subarray(start, end))) return null
    this.#length = trim(members)
    this.#innerLength = trim(this.#inner)
    return { members, inner: this.#inner }
  }

  /**
   * Scans an object after its opening brace.
   * @param parent the node of the keys of the object's position.
   * @param members receives the members.
   */
  #scanObject(from: number, depth: number, parent: KeyNode, members: MemberList | null): number {
    const bytes = this.#bytes
    if (depth > this.#maxDepth) return NOT_STORED_FORM
    if (bytes[from] === CLOSE_BRACE) return from + 1
    let node = parent.inner()
    let at = from
    for (;;) {
      const next = node.find(bytes, at) ?? this.#keys.add(node, bytes, at)
      if (next === null) return NOT_STORED_FORM
      node = next
      this.#bits |= node.bits
      const start = at + node.token.length
      const isInner = depth === 1 && node.key === this.#innerKey && bytes[start] === OPEN_BRACE
      const end = isInner ? this.#scanInner(start, node) : this.#scanValue(start, depth + 1, node)
      if (end < 0) return NOT_STORED_FORM
      members?.add(node, start, end)
      if (bytes[end] !== COMMA) return bytes[end] === CLOSE_BRACE ? end + 1 : NOT_STORED_FORM
      at = end + 1
    }
  }

  #scanInner(at: number, node: KeyNode): number {
    const members = new MemberList(this.#innerLength)
    this.#inner = members
    return this.#scanObject(at + 1, 2, node, members)
  }

  #scanArray(from: number, depth: number, parent: KeyNode): number {
    const bytes = this.#bytes
    if (depth > this.#maxDepth) return NOT_STORED_FORM
    if (bytes[from] === CLOSE_BRACKET) return from + 1
    let at = from
    for (;;) {
      const end = this.#scanValue(at, depth + 1, parent)
      if (end < 0) return NOT_STORED_FORM
      if (bytes[end] !== COMMA) return bytes[end] === CLOSE_BRACKET ? end + 1 : NOT_STORED_FORM
      at = end + 1
    }
  }

  #scanValue(at: number, depth: number, parent: KeyNode): number {
    const byte = this.#bytes[at] ?? 0
    if (byte === QUOTE) return this.#scanString(at + 1)
    if (byte === OPEN_BRACE) return this.#scanObject(at + 1, depth, parent, null)
    if (byte === OPEN_BRACKET) return this.#scanArray(at + 1, depth, parent)
    if (isDigit(byte) || byte === MINUS) return this.#scanNumber(at)
    return scanKeyword(this.#bytes, at)
  }

  #scanNumber(at: number): number {
    const end = scanNumber(this.#bytes, at)
    return end - at > this.#maxNumberLength ? NOT_STORED_FORM : end
  }

  /** Scans a string after its opening quote. */
  #scanString(from: number): number {
    const bytes = this.#bytes
    let bits = 0
    let at = from
    for (;;) {
      const byte = bytes[at] ?? 0
      if (byte === QUOTE) break
      if (byte < FIRST_PRINTABLE) return NOT_STORED_FORM
      if (byte === BACKSLASH) {
        at = scanEscape(bytes, at + 1)
        if (at < 0) return NOT_STORED_FORM
      } else {
        bits |= byte
        at++
      }
    }
    this.#bits |= bits
    return at + 1
  }
}

class MemberList implements ScannedMembers {
  readonly starts: number[]
  readonly ends: number[]
  #last: KeyNode | null = null

  /** @param expected the probable number of members. Arrays that grow take twice the memory. */
  constructor(expected: number) {
    this.starts = new Array(expected)
    this.ends = new Array(expected)
  }

  get keys(): readonly string[] {
    return this.#last?.keys() ?? []
  }

  add(node: KeyNode, start: number, end: number): void {
    this.#last = node
    this.starts[node.length - 1] = start
    this.ends[node.length - 1] = end
  }
}

/** Ends the arrays of a list after the last member. Returns the number of members. */
function trim(list: MemberList | null): number {
  if (list === null) return 0
  const { starts, ends, keys } = list
  if (starts.length > keys.length) starts.length = ends.length = keys.length
  return keys.length
}

function scanEscape(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0
  if (byte !== LOWER_U) return SHORT_ESCAPES.has(byte) ? at + 1 : NOT_STORED_FORM
  if (bytes[at + 1] !== ZERO || bytes[at + 2] !== ZERO) return NOT_STORED_FORM
  const digit = bytes[at + 4] ?? 0
  if (!isDigit(digit) && (digit < LOWER_A || digit > LOWER_F)) return NOT_STORED_FORM
  if (bytes[at + 3] === ONE) return at + 5
  return bytes[at + 3] === ZERO && !SHORT_DIGITS.has(digit) ? at + 5 : NOT_STORED_FORM
}

function scanNumber(bytes: Uint8Array, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from
  at = bytes[at] === ZERO ? at + 1 : scanDigits(bytes, at)
  if (at >= 0 && bytes[at] === DOT) at = scanDigits(bytes, at + 1)
  if (at < 0 || (bytes[at] !== LOWER_E && bytes[at] !== UPPER_E)) return at
  const sign = bytes[at + 1]
  return scanDigits(bytes, sign === PLUS || sign === MINUS ? at + 2 : at + 1)
}

function scanDigits(bytes: Uint8Array, from: number): number {
  let at = from
  while (isDigit(bytes[at] ?? 0)) at++
  return at === from ? NOT_STORED_FORM : at
}

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= NINE
}

function scanKeyword(bytes: Uint8Array, at: number): number {
  const keyword = bytes[at] === NULL[0] ? NULL : bytes[at] === TRUE[0] ? TRUE : FALSE
  return startsWith(bytes, at, keyword) ? at + keyword.length : NOT_STORED_FORM
}
