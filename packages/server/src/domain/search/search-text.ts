/** Parses searches, and decides which records match. The index only finds candidates (`search-tokens.ts`). */
import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { truncateCodePoints } from '../../lib/text/code-points.ts'
import { valueText } from '../record/sort-key.ts'
import { foldLine } from './fold-text.ts'
import { isWordBeginning } from './words.ts'

/** The folded words and phrases of a search. A record must match every term. */
export type SearchTerms = string[]

export type Searchable = { full_name: string; reference_number: string; data: JsonValue }

export const MAX_SEARCH_LENGTH = 256
/** Maximum length of the text of a record that is searched, and of a value that a filter folds, in UTF-16 units. */
export const MAX_DOCUMENT_LENGTH = 32_768
/** Maximum length of the parts of the name and the reference that are searched for substrings, in UTF-16 units. */
const MAX_NAME_LENGTH = 512
/** In characters. Shorter terms are searched only in the name and the reference. */
const MIN_TEXT_LENGTH = 3

/**
 * A phrase in quotes, or a word. Phones and word processors type “these” quotes, and some languages use „these“ or «these».
 * Single quotes are apostrophes.
 */
const TERM =
  /["“”„‟«»‹›「」『』〝〞〟＂]([^"“”„‟«»‹›「」『』〝〞〟＂]*)(?:["“”„‟«»‹›「」『』〝〞〟＂]|$)|\S+/g

/** Splits a search into words and quoted phrases. A phrase whose quote is not closed ends with the search. */
export function parseSearch(text: string): SearchTerms {
  const terms = Array.from(text.matchAll(TERM), (match) => foldLine(match[1] ?? match[0]))
  return [...new Set(terms)].filter((term) => term !== '')
}

/** Whether a term is too short to be searched outside the name and the reference, and inside words. */
export function isShortTerm(term: string): boolean {
  return [...truncateCodePoints(term, MIN_TEXT_LENGTH)].length < MIN_TEXT_LENGTH
}

/**
 * Whether a record matches every term: a value contains it at the beginning of a word, or the name or the reference
 * contains it anywhere. A short term must be at the beginning of a word of the name or the reference.
 */
export function matchesSearch(record: Searchable, terms: SearchTerms): boolean {
  const names = foldNames(record)
  const rest = terms.filter((term) => {
    const contains = isShortTerm(term) ? containsWordBeginning : containsText
    return !names.some((name) => contains(name, term))
  })
  if (rest.length === 0) return true
  if (rest.some(isShortTerm)) return false
  const { full_name, reference_number, data } = record
  const document = listTexts([full_name, reference_number, data]).map(foldLine).join('\n')
  return rest.every((term) => containsWordBeginning(document, term))
}

/** Returns the folded name and reference, as far as they are searched for substrings. */
export function foldNames(record: Omit<Searchable, 'data'>): string[] {
  const names = [record.full_name, record.reference_number]
  return names.map((name) => foldLine(name.slice(0, MAX_NAME_LENGTH)))
}

/** Returns the texts of values and of the values in them, without keys and nulls, up to the maximum length. */
export function listTexts(values: readonly JsonValue[]): string[] {
  const [only] = values
  // Most filters read one text.
  if (typeof only === 'string' && values.length === 1) return [only.slice(0, MAX_DOCUMENT_LENGTH)]
  const texts: string[] = []
  let left = MAX_DOCUMENT_LENGTH
  const add = (text: string | null) => {
    if (text !== null) texts.push(text)
    left -= 1 + (text?.length ?? 0)
  }
  const visit = (value: JsonValue | undefined) => {
    if (left <= 0) return
    if (Array.isArray(value)) for (const item of value) visit(item)
    else if (isJsonObject(value)) for (const member of Object.values(value)) visit(member)
    else add(valueText(value))
  }
  for (const value of values) visit(value)
  return limitTexts(texts)
}

/** Cuts the texts of a record off at the maximum length. Each counts as one character more than it has. */
export function limitTexts(texts: readonly string[]): string[] {
  let left = MAX_DOCUMENT_LENGTH
  return texts.flatMap((text) => {
    if (left <= 0) return []
    const shown = text.slice(0, left)
    left -= 1 + text.length
    return [shown]
  })
}

function containsText(text: string, term: string): boolean {
  return text.includes(term)
}

function containsWordBeginning(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) {
    if (isWordBeginning(text, at)) return true
  }
  return false
}
