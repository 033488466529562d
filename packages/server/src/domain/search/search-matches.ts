/** How well a record matches a search, and where it contains the terms. */
import type { SearchedRecord, SearchMatch } from '@recordhub/protocol'
import { EACH, formatPath, type PathStep } from '@recordhub/protocol/data-path'
import { isJsonObject } from '@recordhub/protocol/lossless-json'
import { foldLine, foldText } from './fold-text.ts'
import {
  foldNames,
  isShortTerm,
  MAX_DOCUMENT_LENGTH,
  type Searchable,
  type SearchTerms,
} from './search-text.ts'
import { isWordBeginning } from './words.ts'

export const SEARCH_RANKS = [
  'equal',
  'beginning',
  'words',
] as const satisfies SearchedRecord['rank'][]

/**
 * Returns a function that ranks a record, by its index in {@link SEARCH_RANKS}: the name or the reference equals the search,
 * begins with it, or neither.
 */
export function createRanking(terms: SearchTerms): (record: Omit<Searchable, 'data'>) => 0 | 1 | 2 {
  const text = terms.join(' ')
  return (record) => {
    const names = foldNames(record)
    if (names.includes(text)) return 0
    return names.some((name) => name.startsWith(text)) ? 1 : 2
  }
}

const MAX_MATCHES = 3
const MAX_RANGES = 20
/** In UTF-16 units. */
const MAX_EXCERPT = 160
const BEFORE_MATCH = 40

/** Returns the values that contain the terms: of each term the first one, at most three. */
export function findMatches(
  record: Omit<Searchable, 'data'> & { data: unknown },
  terms: SearchTerms,
): SearchMatch[] {
  const matches: SearchMatch[] = []
  let rest = terms
  let left = MAX_DOCUMENT_LENGTH
  const hasEnded = () => left <= 0 || rest.length === 0 || matches.length === MAX_MATCHES
  const add = (column: () => string, value: string, isName: boolean) => {
    const text = value.slice(0, left)
    left -= 1 + value.length
    const folded = foldLine(text)
    const found = rest.filter((term) => listPositions(folded, term, isName).length > 0)
    if (found.length === 0) return
    rest = rest.filter((term) => !found.includes(term))
    matches.push({ column: column(), ...markTerms(text, terms, isName) })
  }
  const { data } = record
  const visit = (value: unknown, steps: PathStep[]) => {
    if (hasEnded()) return
    if (Array.isArray(value)) {
      for (const item of value) visit(item, [...steps, EACH])
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) visit(member, [...steps, key])
    } else {
      const text = textOf(value)
      if (text === null) left -= 1
      else add(() => `data.${pathIn(data, steps)}`, text, false)
    }
  }
  add(() => 'hub_full_name', record.full_name, true)
  if (!hasEnded()) add(() => 'hub_reference_number', record.reference_number, true)
  visit(data, [])
  return matches
}

/** The text of a value that is neither an object nor a list. */
function textOf(value: unknown): string | null {
  if (JSON.isRawJSON(value)) return value.rawJSON
  return value === null || value === undefined ? null : String(value)
}

/** The path of a value. The text alone would mean a field with this key, if there is one. */
function pathIn(data: unknown, steps: PathStep[]): string {
  const path = formatPath(steps)
  const isAmbiguous = steps.length > 1 && isJsonObject(data) && Object.hasOwn(data, path)
  return isAmbiguous ? `\\${path}` : path
}

/** The positions of a term in a folded text, as `matchesSearch` finds it. */
function listPositions(folded: string, term: string, isName: boolean): number[] {
  const isAnywhere = isName && !isShortTerm(term)
  if (!isName && isShortTerm(term)) return []
  const positions: number[] = []
  for (let at = folded.indexOf(term); at !== -1; at = folded.indexOf(term, at + 1)) {
    if (isAnywhere || isWordBeginning(folded, at)) positions.push(at)
    if (positions.length === MAX_RANGES) break
  }
  return positions
}

type Range = [start: number, end: number]

/** Returns the part of a text around the first term, with the ranges of the terms in it. */
function markTerms(
  text: string,
  terms: SearchTerms,
  isName: boolean,
): Pick<SearchMatch, 'text' | 'ranges'> {
  const { folded, sources } = foldWithPositions(text)
  const found = terms.flatMap((term) =>
    listPositions(folded, term, isName).map((at): Range => {
      const [first, last] = [sources[at], sources[at + term.length - 1]]
      return [first?.[0] ?? 0, last?.[1] ?? 0]
    }),
  )
  const ranges = mergeRanges(found)
  const first = ranges[0]?.[0] ?? 0
  if (text.length <= MAX_EXCERPT) return { text, ranges }
  const start = first <= MAX_EXCERPT - BEFORE_MATCH ? 0 : atCharacter(text, first - BEFORE_MATCH)
  const end = atCharacter(text, start + MAX_EXCERPT)
  const [prefix, suffix] = [start > 0 ? '…' : '', end < text.length ? '…' : '']
  const shift = prefix.length - start
  const shown = ranges
    .filter(([from]) => from < end)
    .map(([from, until]): Range => [from + shift, Math.min(until, end) + shift])
  return { text: prefix + text.slice(start, end) + suffix, ranges: shown }
}

/** A position that is not inside a surrogate pair. */
function atCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at
}

function mergeRanges(ranges: Range[]): Range[] {
  const merged: Range[] = []
  for (const [start, end] of ranges.sort(([one], [other]) => one - other)) {
    const last = merged.at(-1)
    if (last && start <= last[1]) last[1] = Math.max(last[1], end)
    else merged.push([start, end])
  }
  return merged.slice(0, MAX_RANGES)
}

/** A character with its marks. */
const CHARACTER = /.[\p{M}\uff9e\uff9f]*/gsu

/**
 * As {@link foldLine}, with the range in the text of each folded unit. Each character is folded on its own. Where the whole text
 * would fold to another one, as that of letters in parts, a term can stay unmarked.
 */
function foldWithPositions(text: string): { folded: string; sources: Range[] } {
  const known = new Map<string, string>()
  const sources: Range[] = []
  let folded = ''
  for (const { 0: character, index } of text.matchAll(CHARACTER)) {
    let piece = known.get(character)
    if (piece === undefined) {
      piece = foldText(character)
      known.set(character, piece)
    }
    if (piece === ' ' && (folded === '' || folded.endsWith(' '))) continue
    folded += piece
    const source: Range = [index, index + character.length]
    for (let unit = 0; unit < piece.length; unit++) sources.push(source)
  }
  return { folded, sources }
}
