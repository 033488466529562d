/**
 * Names that differ from each other whatever case they are read in, each at most so many bytes long; a name
 * that cannot stay as it is gets a number at its end. The first of equal ones stays.
 */
export function dedupeNames(names: readonly string[], maxBytes: number): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const plain = withoutControls(name)
    for (let number = 1; ; number++) {
      const ending = number === 1 ? '' : `_${number}`
      const tried = cutToBytes(plain, maxBytes - ending.length) + ending
      const folded = tried.toLowerCase()
      if (taken.has(folded)) continue
      taken.add(folded)
      return tried
    }
  })
}

/** Without what no database takes in a name; never empty. */
function withoutControls(name: string): string {
  return name.toWellFormed().replace(/\p{Cc}/gu, '_') || '_'
}

function cutToBytes(text: string, maxBytes: number): string {
  let bytes = 0
  let cut = ''
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    cut += character
  }
  return cut
}
