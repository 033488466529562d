/** Reads a `Link` header (RFC 8288, 3): what it refers to, under which relation. */

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const TARGET = /<([^>]*)>/y
const QUOTED = /"((?:[^"\\]|\\.)*)"/y

/**
 * The target of the first link under a relation, as it stands there, so often relative; null where
 * there is none. Links that speak of another page than the one answered (`anchor`) are passed over, and
 * so is what follows a part that cannot be read.
 */
export function findLink(header: string, relation: string): string | null {
  const wanted = relation.toLowerCase()
  for (const link of parseLinks(header)) {
    const relations = link.params.get('rel')?.toLowerCase().split(/\s+/) ?? []
    if (relations.includes(wanted) && !link.params.has('anchor')) return link.target
  }
  return null
}

type Link = { target: string; params: Map<string, string> }

function* parseLinks(header: string): Generator<Link> {
  const take = createTaker(header)
  for (;;) {
    // Empty elements of a list are allowed.
    while (take.character(','));
    const target = take.match(TARGET)
    if (target === null) return
    const params = new Map<string, string>()
    while (take.character(';')) takeParam(take, params)
    yield { target: target.trim(), params }
    if (!take.character(',')) return
  }
}

/** Of a parameter that comes twice the first counts. */
function takeParam(take: Taker, params: Map<string, string>): void {
  const name = take.match(TOKEN)?.toLowerCase()
  if (name === undefined) return
  let value = ''
  if (take.character('=')) {
    const quoted = take.match(QUOTED)
    value = quoted === null ? (take.match(TOKEN) ?? '') : quoted.replace(/\\(.)/g, '$1')
  }
  if (!params.has(name)) params.set(name, value)
}

type Taker = ReturnType<typeof createTaker>

/** Takes one piece after the other from a text, and the space before it. */
function createTaker(text: string) {
  let at = 0
  const skip = (): void => {
    while (text[at] === ' ' || text[at] === '\t') at += 1
  }
  return {
    /** What the pattern's group holds, or all of it; null where the text does not go on so. */
    match(pattern: RegExp): string | null {
      skip()
      pattern.lastIndex = at
      const found = pattern.exec(text)
      if (!found) return null
      at = pattern.lastIndex
      return found[1] ?? found[0]
    },
    character(wanted: string): boolean {
      skip()
      if (text[at] !== wanted) return false
      at += 1
      return true
    },
  }
}
