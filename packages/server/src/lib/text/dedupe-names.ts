/**
 * Makes names unique without regard to case, and at most `maxBytes` long. A name that must change gets a number as its
 * suffix; the first of several equal names is not changed.
 */
export function dedupeNames(names: readonly string[], maxBytes: number): string[] {
  const taken = new Set<string>()
  /** The last number of names with the same beginning: otherwise, each name would try all numbers of those before it. */
  const numbers = new Map<string, number>()
  return names.map((name) => {
    const plain = replaceControls(name)
    const beginning = truncateToBytes(plain, maxBytes - MAX_SUFFIX_BYTES).toLowerCase()
    for (let number = 1; ; number = (numbers.get(beginning) ?? 1) + 1) {
      if (number > 1) numbers.set(beginning, number)
      const suffix = number === 1 ? '' : `_${number}`
      const candidate = truncateToBytes(plain, maxBytes - suffix.length) + suffix
      const folded = candidate.toLowerCase()
      if (taken.has(folded)) continue
      taken.add(folded)
      return candidate
    }
  })
}

/** The suffix of a million names. */
const MAX_SUFFIX_BYTES = 8

/** Replaces the characters that databases reject in names. Never empty. */
function replaceControls(name: string): string {
  return name.toWellFormed().replace(/\p{Cc}/gu, '_') || '_'
}

function truncateToBytes(text: string, maxBytes: number): string {
  let bytes = 0
  let truncated = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    truncated += character
  }
  return truncated
}
