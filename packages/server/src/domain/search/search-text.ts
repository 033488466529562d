/**
 * Folds and matches texts for searches. Case, accents and compatible forms of letters do not matter. The database
 * does no folding, so that every engine finds the same records.
 */
import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { truncateCodePoints } from '../../lib/text/code-points.ts'
import { valueText } from '../record/sort-key.ts'

/** The terms of a search. A record must match every term. */
export type SearchTerms = {
  /** Terms that may be anywhere in the name, the reference or a value. */
  substrings: string[]
  /** Terms of one or two characters, which must be at the beginning of a word of the name or the reference. */
  prefixes: string[]
}

export type Searchable = { full_name: string; reference_number: string; data: JsonValue }

export const MAX_SEARCH_LENGTH = 256
/** Maximum length of the text of a record that is searched, in UTF-16 units. */
const MAX_DOCUMENT_LENGTH = 32_768
const MAX_PREFIXES = 200
const MIN_SUBSTRING_LENGTH = 3

/** Accents of Latin, Greek and Cyrillic, Hebrew points and Arabic vowels. */
const MARKS =
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g
const PLAIN = /^[\x20-\x7e]*$/

/** Returns the form in which texts are compared. */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return (
    text
      .toWellFormed()
      .normalize('NFKD')
      .replace(MARKS, '')
      // Lower, upper, then lower case again turns both ß and ẞ into ss.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFC')
      .replace(/[\p{Cc}\s]+/gu, ' ')
  )
}

/** Splits a search into words and quoted phrases. An unclosed quote is an ordinary character. */
export function parseSearch(text: string): SearchTerms {
  const substrings: string[] = []
  const prefixes: string[] = []
  for (const match of text.matchAll(/"([^"]*)"|\S+/g)) {
    const term = foldText(match[1] ?? match[0])
      .replace(/ +/g, ' ')
      .trim()
    if (term === '') continue
    const isShort =
      [...truncateCodePoints(term, MIN_SUBSTRING_LENGTH)].length < MIN_SUBSTRING_LENGTH
    const list = isShort ? prefixes : substrings
    if (!list.includes(term)) list.push(term)
  }
  return { substrings, prefixes }
}

/** Returns the text of a record that is searched for substrings, with one line per value. */
function searchDocument({ full_name, reference_number, data }: Searchable): string {
  const lines = [foldLine(full_name), foldLine(reference_number)]
  let length = 0
  const visit = (value: JsonValue | undefined) => {
    if (length > MAX_DOCUMENT_LENGTH) return
    if (Array.isArray(value)) for (const item of value) visit(item)
    else if (isJsonObject(value)) for (const member of Object.values(value)) visit(member)
    else {
      const line = foldLine(valueText(value) ?? '')
      if (line === '') return
      lines.push(line)
      length += line.length
    }
  }
  visit(data)
  return lines.join('\n').slice(0, MAX_DOCUMENT_LENGTH).toWellFormed()
}

/** Returns the first two characters of each word of the name and the reference. */
function findWordPrefixes(record: Omit<Searchable, 'data'>): string[] {
  const prefixes = new Set<string>()
  for (const text of [record.full_name, record.reference_number]) {
    for (const [, prefix = ''] of foldLine(text).matchAll(/(?<![\p{L}\p{N}])(?=(\S.?))/gu)) {
      if (prefixes.size === MAX_PREFIXES) break
      prefixes.add(prefix.trim())
    }
  }
  return [...prefixes]
}

/** Whether a record matches every term. */
export function matchesSearch(record: Searchable, { substrings, prefixes }: SearchTerms): boolean {
  if (prefixes.length > 0) {
    const found = findWordPrefixes(record)
    const isFound = (term: string) => found.some((prefix) => prefix.startsWith(term))
    if (!prefixes.every(isFound)) return false
  }
  if (substrings.length === 0) return true
  const document = searchDocument(record)
  return substrings.every((substring) => document.includes(substring))
}

function foldLine(text: string): string {
  return foldText(text.slice(0, MAX_DOCUMENT_LENGTH)).replace(/ +/g, ' ').trim()
}

/** Marks the prefixes in an index text. Folding removes control characters, so no text of a record contains it. */
export const PREFIX_MARK = '\u0002'

/** Returns the text of a record in a trigram index: its document, and the marked prefixes of its words. */
export function toIndexText(record: Searchable): string {
  const marked = findWordPrefixes(record).map((prefix) => PREFIX_MARK.repeat(2) + prefix)
  return `${searchDocument(record)}\n${marked.join('')}`
}

/** Returns texts of at least three characters that the index text of every matching record contains. */
export function toLookUpTexts({ substrings, prefixes }: SearchTerms): string[] {
  const marks = (term: string) =>
    PREFIX_MARK.repeat(Math.max(1, MIN_SUBSTRING_LENGTH - [...term].length))
  return [...substrings, ...prefixes.map((term) => marks(term) + term)]
}
