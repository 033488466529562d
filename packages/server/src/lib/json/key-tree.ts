/**
 * The sequences of keys that the objects of similar JSON texts have. A known sequence is compared with the bytes of an
 * object, which is much faster than decoding its keys and looking for duplicates.
 */

/** A tree of this size is discarded before the next text: the texts are not similar. */
const MAX_NODES = 4096
/** Further children are not remembered. */
const MAX_CHILDREN = 16
/** Limits the time for finding duplicates in sequences that are not known. */
const MAX_KEYS = 128
/** Limits the memory of the tree. */
const MAX_KEY_BYTES = 256

const QUOTE = 0x22
const COLON = 0x3a
const BACKSLASH = 0x5c
/** Keys that are array indices, and possibly others. */
const ARRAY_INDEX = /^(?:0|[1-9]\d{0,9})$/

/** A key after the keys of its parents. The root of a sequence has no key. */
export class KeyNode {
  readonly key: string
  /** The key with its quotes and the colon, in UTF-8. */
  readonly token: Uint8Array
  /** The combined bits of the token. */
  readonly bits: number
  readonly parent: KeyNode | null
  /** The number of keys from the root to this one. */
  readonly length: number
  readonly #children: KeyNode[] = []
  #inner: KeyNode | null = null
  #keys: string[] | null = null

  constructor(key: string, token: Uint8Array, parent: KeyNode | null) {
    this.key = key
    this.token = token
    this.bits = token.reduce((bits, byte) => bits | byte, 0)
    this.parent = parent
    this.length = parent === null ? 0 : parent.length + 1
  }

  /** The root of the sequences in the objects that are the value of this key, or elements of it. */
  inner(): KeyNode {
    this.#inner ??= new KeyNode('', new Uint8Array(0), null)
    return this.#inner
  }

  /** The next node, if one with the key at this position of the bytes is known. */
  find(bytes: Uint8Array, at: number): KeyNode | null {
    for (const child of this.#children) {
      if (startsWith(bytes, at, child.token)) return child
    }
    return null
  }

  /** Returns false if the child was not remembered. */
  remember(child: KeyNode): boolean {
    if (this.#children.length >= MAX_CHILDREN) return false
    this.#children.push(child)
    return true
  }

  /** Whether the key or one of those before it is this one. */
  contains(key: string): boolean {
    let node: KeyNode = this
    while (node.parent !== null) {
      if (node.key === key) return true
      node = node.parent
    }
    return false
  }

  /** The keys from the root to this one. */
  keys(): readonly string[] {
    if (this.#keys !== null) return this.#keys
    const keys: string[] = []
    let node: KeyNode = this
    while (node.parent !== null) {
      keys.push(node.key)
      node = node.parent
    }
    this.#keys = keys.reverse()
    return keys
  }
}

export class KeyTree {
  #root = new KeyNode('', new Uint8Array(0), null)
  #nodes = 0

  /** The node of the position of whole texts. */
  root(): KeyNode {
    if (this.#nodes >= MAX_NODES) {
      this.#root = new KeyNode('', new Uint8Array(0), null)
      this.#nodes = 0
    }
    return this.#root
  }

  /**
   * Adds the key at this position of the bytes after a node. Returns null if there is no key, if the key has an escape
   * sequence, is an array index, `__proto__` or a duplicate, is very long, or if there are too many. A full tree does not
   * remember the key, so that one text of many different objects takes little memory.
   */
  add(node: KeyNode, bytes: Uint8Array, at: number): KeyNode | null {
    const end = findTokenEnd(bytes, at)
    if (end === null || node.length >= MAX_KEYS) return null
    const token = Uint8Array.from(bytes.subarray(at, end))
    const key = Buffer.from(token.buffer).toString('utf8', 1, token.length - 2)
    if (key === '__proto__' || ARRAY_INDEX.test(key) || node.contains(key)) return null
    const child = new KeyNode(key, token, node)
    if (this.#nodes < MAX_NODES && node.remember(child)) this.#nodes++
    return child
  }
}

/** Whether the bytes have the token at this position. */
export function startsWith(bytes: Uint8Array, at: number, token: Uint8Array): boolean {
  for (let index = 0; index < token.length; index++) {
    if (bytes[at + index] !== token[index]) return false
  }
  return true
}

/** Finds the position after the colon of a key. Null if there is no key, if it has an escape sequence or is very long. */
function findTokenEnd(bytes: Uint8Array, from: number): number | null {
  if (bytes[from] !== QUOTE) return null
  for (let at = from + 1; at <= from + 1 + MAX_KEY_BYTES; at++) {
    const byte = bytes[at] ?? 0
    if (byte === QUOTE) return bytes[at + 1] === COLON ? at + 2 : null
    if (byte < 0x20 || byte === BACKSLASH) return null
  }
  return null
}
