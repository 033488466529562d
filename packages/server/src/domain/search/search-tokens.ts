/**
 * The tokens of the search index. A record that matches a term has all tokens of one of the term's alternatives, so the
 * index returns every matching record; `matchesSearch` then decides.
 */
import { foldText, isPlain } from './fold-text.ts'
import { listJsonValues } from './json-values.ts'
import {
  foldNames,
  isShortTerm,
  limitTexts,
  MAX_DOCUMENT_LENGTH,
  type SearchTerms,
} from './search-text.ts'
import { isWordBeginning, visitRuns } from './words.ts'

/** Changes whenever the same record gets other tokens, so that existing indexes are rebuilt. */
export const TOKENS_VERSION = 4

/** Three characters of the name or the reference, and the first characters of their words, follow these marks. */
export const SUBSTRING_MARK = '\ue000'
export const BEGINNING_MARK = '\ue001'
/** Stands for a space, which separates tokens. */
export const SPACE_MARK = '\ue002'
export const SUBSTRING_LENGTH = 3
/** Longer words are truncated, in UTF-16 units. */
export const MAX_WORD_LENGTH = 40
/** Tokens per term: enough to be selective, and few enough for a fast look-up. */
const MAX_TERM_TOKENS = 24

/** `data` is JSON text. */
type IndexedRecord = { full_name: string; reference_number: string; data: string }

/** Returns the tokens of a record, separated by spaces. A token may occur several times. */
export function recordTokens(record: IndexedRecord): string {
  const tokens: string[] = []
  for (const text of listRecordTexts(record)) addWords(tokens, text)
  for (const name of foldNames(record)) addNameTokens(tokens, name)
  return tokens.join(' ')
}

function listRecordTexts(record: IndexedRecord): string[] {
  const { full_name, reference_number, data } = record
  return limitTexts([full_name, reference_number, ...listJsonValues(data, MAX_DOCUMENT_LENGTH)])
}

const PLAIN_SEPARATORS = /[^a-z0-9]+/g

export function addWords(tokens: string[], text: string): void {
  const folded = foldText(text)
  if (isPlain(folded)) {
    // Three times as fast as visiting the words.
    const words = folded.replace(PLAIN_SEPARATORS, ' ')
    tokens.push(hasLongWord(words) ? words.split(' ').map(truncateWord).join(' ') : words)
    return
  }
  visitRuns(folded, (isWord, start, end) => {
    if (isWord) tokens.push(truncateWord(folded.slice(start, end)))
    else tokens.push(...singleTokens(folded.slice(start, end)))
  })
}

/** A regular expression takes several times as long. */
function hasLongWord(words: string): boolean {
  for (let start = 0; words.length - start > MAX_WORD_LENGTH; ) {
    const end = words.indexOf(' ', start)
    if (end === -1 || end - start > MAX_WORD_LENGTH) return true
    start = end + 1
  }
  return false
}

function truncateWord(word: string): string {
  return word.length <= MAX_WORD_LENGTH ? word : word.slice(0, MAX_WORD_LENGTH).toWellFormed()
}

/** Every pair of neighbouring characters, and the last character alone. */
function singleTokens(text: string): string[] {
  const characters = [...text]
  return characters.map((character, index) => character + (characters[index + 1] ?? ''))
}

export function addNameTokens(tokens: string[], name: string): void {
  tokens.push(...substringTokens(name))
  for (let at = 0; at < name.length; at++) {
    if (name[at] === ' ' || !isWordBeginning(name, at)) continue
    const [first = '', second = ''] = name.slice(at, at + 4)
    tokens.push(BEGINNING_MARK + first, markToken(BEGINNING_MARK, first + second))
  }
}

/** In UTF-16 units: half a surrogate pair becomes U+FFFD, in terms as in names. */
function substringTokens(text: string): string[] {
  return Array.from({ length: Math.max(0, text.length - SUBSTRING_LENGTH + 1) }, (_, at) =>
    markToken(SUBSTRING_MARK, text.slice(at, at + SUBSTRING_LENGTH).toWellFormed()),
  )
}

function markToken(mark: string, text: string): string {
  return mark + (text.includes(' ') ? text.replaceAll(' ', SPACE_MARK) : text)
}

/** A token, or the beginning of tokens. */
export type TokenPattern = { token: string; isPrefix: boolean }

/** The alternatives of a term. A record that matches the term has all tokens of at least one of them. */
export type TermTokens = TokenPattern[][]

/** Returns the tokens of each term, without the terms about which the index has no information. */
export function searchTokens(terms: SearchTerms): TermTokens[] {
  return terms.map(termTokens).filter((alternatives) => alternatives.every(({ length }) => length))
}

function termTokens(term: string): TermTokens {
  if (isShortTerm(term)) return [[{ token: BEGINNING_MARK + term, isPrefix: false }]]
  const substrings = [...new Set(substringTokens(term))]
  return [limit(wordPatterns(term)), limit(substrings.map((token) => ({ token, isPrefix: false })))]
}

/** A word or character at the end of the term may be the beginning of a longer one. */
function wordPatterns(term: string): TokenPattern[] {
  const patterns: TokenPattern[] = []
  visitRuns(term, (isWord, start, end) => {
    const isLast = end === term.length
    if (isWord) {
      const isPrefix = isLast && end - start < MAX_WORD_LENGTH
      patterns.push({ token: truncateWord(term.slice(start, end)), isPrefix })
      return
    }
    const tokens = singleTokens(term.slice(start, end))
    const last = tokens.pop() ?? ''
    for (const token of tokens) patterns.push({ token, isPrefix: false })
    if (!isLast || tokens.length === 0) patterns.push({ token: last, isPrefix: isLast })
  })
  return patterns
}

/** Keeps tokens of all parts of the term. */
function limit(patterns: TokenPattern[]): TokenPattern[] {
  const every = Math.ceil(patterns.length / MAX_TERM_TOKENS)
  return patterns.filter((_, index) => index % every === 0)
}
