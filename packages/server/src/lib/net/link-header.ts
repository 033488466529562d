/**
 * Parses a `Link` header (RFC 8288, 3).
 *
 * http-link-header, the only maintained library, cannot replace this parser: it throws at the first malformed link, so
 * valid links before it are lost, rejects the empty list elements that the RFC allows, and accepts an unterminated
 * quoted string.
 */

const TOKEN = /[!#$%&'*+\-.^_`|~0-9A-Za-z]+/y
const TARGET = /<([^>]*)>/y
const QUOTED = /"((?:[^"\\]|\\.)*)"/y

/**
 * Returns the target of the first link with a relation, unchanged and possibly relative; null without one. Ignores
 * links whose context is another resource (`anchor`), and everything after a malformed part.
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

/** The first of several parameters with the same name is used. */
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

/** Consumes a text piece by piece, and the spaces before each piece. */
function createTaker(text: string) {
  let at = 0
  const skip = (): void => {
    while (text[at] === ' ' || text[at] === '\t') at += 1
  }
  return {
    /** The first group of the pattern, or the whole match; null if the text does not continue with the pattern. */
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
