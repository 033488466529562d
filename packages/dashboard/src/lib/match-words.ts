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

/**
 * Where a name or reference contains the terms of a search, in order: words and quoted phrases, with fewer than three
 * characters only at the beginning of a word. Case and accents do not matter.
 */
export function matchTerms(text: string, search: string): [start: number, end: number][] {
  const folded = foldUnits(text)
  const ranges: [number, number][] = []
  for (const quoted of foldUnits(search).match(/"[^"]+"|[^\s"]+/g) ?? []) {
    const term = quoted.replaceAll('"', '').trim()
    const find = (from: number) => startOf(folded, term, ranges, { from, isPart: term.length > 2 })
    for (let at = find(0); term !== '' && at !== -1; at = find(at + 1)) {
      ranges.push([at, at + term.length])
    }
  }
  return ranges.sort(([one], [other]) => one - other)
}

/** Without case and accents; each UTF-16 unit stays at its place. */
function foldUnits(text: string): string {
  return text.replace(/./gs, (unit) => unit.normalize('NFD').charAt(0).toLowerCase().charAt(0))
}

/** The first place of a word that is not taken and begins a word, unless it may be a part of one. */
function startOf(
  text: string,
  word: string,
  taken: readonly (readonly [number, number])[],
  { from = 0, isPart = false } = {},
): number {
  let at = text.indexOf(word, from)
  while (at !== -1) {
    const begins = isPart || at === 0 || !/[\p{L}\p{N}]/u.test(text.charAt(at - 1))
    const isFree = taken.every(([start, end]) => at + word.length <= start || at >= end)
    if (begins && isFree) return at
    at = text.indexOf(word, at + 1)
  }
  return -1
}
