/**
 * Divides folded texts into words. Scripts without spaces, and symbols such as emoji, have no words: each of their
 * characters counts as the beginning of a word.
 */

/** `separator`: white space and punctuation. `word`: letters and digits. `single`: scripts without spaces, symbols. */
const KINDS = { separator: 1, word: 2, single: 3 } as const
type Kind = (typeof KINDS)[keyof typeof KINDS]

const SINGLE =
  /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]|(?![\0-\x7f])\p{S}/u
const WORD = /[\p{L}\p{M}\p{N}]/u

/** The kind of each code point; 0 if it has not been looked up yet, since the expressions are slow. */
const knownKinds = new Uint8Array(0x110000)

function kindOf(codePoint: number): number {
  return knownKinds[codePoint] || findKind(codePoint)
}

function findKind(codePoint: number): Kind {
  const character = String.fromCodePoint(codePoint)
  const kind = SINGLE.test(character)
    ? KINDS.single
    : WORD.test(character)
      ? KINDS.word
      : KINDS.separator
  knownKinds[codePoint] = kind
  return kind
}

/**
 * Visits the words of a text, and the sequences of characters that each begin a word. A sequence ends at a separator,
 * and where the other kind begins.
 */
export function visitRuns(
  text: string,
  visit: (isWord: boolean, start: number, end: number) => void,
): void {
  let start = 0
  let current: number = KINDS.separator
  let at = 0
  while (at < text.length) {
    const unit = text.charCodeAt(at)
    const isPair = unit >= 0xd800 && unit <= 0xdbff
    const kind = kindOf(isPair ? (text.codePointAt(at) ?? unit) : unit)
    if (kind !== current) {
      if (current !== KINDS.separator) visit(current === KINDS.word, start, at)
      current = kind
      start = at
    }
    at += isPair ? 2 : 1
  }
  if (current !== KINDS.separator) visit(current === KINDS.word, start, text.length)
}

/** Whether a word begins at a position: everywhere except inside a word, and inside a surrogate pair. */
export function isWordBeginning(text: string, at: number): boolean {
  if (at === 0) return true
  const isAfterPair = isLowSurrogate(text, at - 1)
  if (isLowSurrogate(text, at) && !isAfterPair) return false
  if (kindOf(text.codePointAt(at) ?? 0) !== KINDS.word) return true
  const before = text.codePointAt(isAfterPair && at > 1 ? at - 2 : at - 1) ?? 0
  return kindOf(before) !== KINDS.word
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}
