/** Compares by code points, as the databases do: it is the order of the UTF-8 bytes. */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const left = one.charCodeAt(at)
    const right = other.charCodeAt(at)
    if (left !== right) return weightOf(left) - weightOf(right)
  }
  return one.length - other.length
}

/** In UTF-16, surrogates are below U+E000 to U+FFFF, but their code points are above. */
function weightOf(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800
  return unit >= 0xd800 ? unit + 0x2000 : unit
}

/** The first `length` code points of a text. */
export function truncateCodePoints(text: string, length: number): string {
  if (text.length <= length) return text
  let end = 0
  for (let count = 0; count < length && end < text.length; count++) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/** The first text, by code points, after all texts that begin with `prefix`; null if there is none. */
export function endOfPrefix(prefix: string): string | null {
  const characters = [...prefix]
  for (let last = characters.pop(); last !== undefined; last = characters.pop()) {
    const codePoint = last.codePointAt(0) ?? 0
    // The code points from U+D800 to U+DFFF are surrogates.
    const next = codePoint === 0xd7ff ? 0xe000 : codePoint + 1
    if (next <= 0x10ffff) return characters.join('') + String.fromCodePoint(next)
  }
  return null
}

/** Whether all databases store a text unchanged: they reject U+0000, and UTF-8 cannot encode a lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

/**
 * Returns a copy without a reference to another text. V8 represents a part of a text as a reference to the whole of it, which
 * stays in memory as long as the part: copy a part of a received text that outlives it.
 */
export function copyText(text: string): string {
  return JSON.parse(JSON.stringify(text))
}

/** Line ends, invisible characters and characters that change the text direction. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu

/** Shortens untrusted text to one line of at most `max` characters, safe in a header and next to other text. */
export function toSingleLine(text: string, max: number): string {
  const line = [...text.toWellFormed().replace(INVISIBLE, ' ').trim()]
  return line.length <= max ? line.join('') : `${line.slice(0, max - 1).join('')}…`
}
