/**
 * Where the words of a query begin words of a text, in order: `pull har` is in "Pull Harbour Museum now". Null if one of them
 * is not there; no ranges for an empty query.
 */
export function matchWords(text: string, query: string): [start: number, end: number][] | null {
  const lower = text.toLowerCase()
  const ranges: [number, number][] = []
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const start = startOf(lower, word, ranges)
    if (start === -1) return null
    ranges.push([start, start + word.length])
  }
  return ranges.sort(([one], [other]) => one - other)
}

/** The first place of a word that begins a word and is not taken. */
function startOf(
  text: string,
  word: string,
  taken: readonly (readonly [number, number])[],
): number {
  let at = text.indexOf(word)
  while (at !== -1) {
    const begins = at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))
    const isFree = taken.every(([start, end]) => at + word.length <= start || at >= end)
    if (begins && isFree) return at
    at = text.indexOf(word, at + 1)
  }
  return -1
}
