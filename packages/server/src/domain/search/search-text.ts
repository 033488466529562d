/**
 * What a search compares: texts folded so that case, accents and compatible forms of letters do not
 * matter, the same on every engine since it is done here.
 */

import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { beginningOf } from '../../lib/text/code-points.ts'
import { valueText } from '../record/sort-key.ts'

/** What a search looks for; every term must be found. */
export type SearchTerms = {
  /** Anywhere in the name, the reference or a value. */
  parts: string[]
  /** Of one or two characters: at the beginning of a word of the name or the reference. */
  beginnings: string[]
}

export type Searchable = { full_name: string; reference_number: string; data: JsonValue }

export const MAX_SEARCH_LENGTH = 256
/** Of a record so much is searched, in UTF-16 units. */
const MAX_DOCUMENT = 32_768
const MAX_BEGINNINGS = 200
const SHORTEST_PART = 3

/** Accents of Latin, Greek and Cyrillic, the points of Hebrew, the vowels of Arabic. */
const MARKS =
  /[\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]/g
const PLAIN = /^[\x20-\x7e]*$/

/** The form in which texts are compared: what a person takes for the same is the same. */
export function foldText(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return (
    text
      .toWellFormed()
      .normalize('NFKD')
      .replace(MARKS, '')
      // Down, up and down again: ß and its capital ẞ are ss then.
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      .replaceAll('ς', 'σ')
      .normalize('NFC')
      .replace(/[\p{Cc}\s]+/gu, ' ')
  )
}

/** The words of a search, and phrases in quotes; a quote that nothing closes is a letter. */
export function parseSearch(text: string): SearchTerms {
  const parts: string[] = []
  const beginnings: string[] = []
  for (const match of text.matchAll(/"([^"]*)"|\S+/g)) {
    const term = foldText(match[1] ?? match[0])
      .replace(/ +/g, ' ')
      .trim()
    if (term === '') continue
    const isShort = [...beginningOf(term, SHORTEST_PART)].length < SHORTEST_PART
    const list = isShort ? beginnings : parts
    if (!list.includes(term)) list.push(term)
  }
  return { parts, beginnings }
}

/** Everything of a record in which parts are searched, a line a value. */
function searchDocument({ full_name, reference_number, data }: Searchable): string {
  const lines = [foldLine(full_name), foldLine(reference_number)]
  let length = 0
  const visit = (value: JsonValue | undefined) => {
    if (length > MAX_DOCUMENT) return
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
  return lines.join('\n').slice(0, MAX_DOCUMENT).toWellFormed()
}

/** The first two characters of each word of the name and the reference. */
function wordBeginnings(record: Omit<Searchable, 'data'>): string[] {
  const beginnings = new Set<string>()
  for (const text of [record.full_name, record.reference_number]) {
    for (const [, beginning = ''] of foldLine(text).matchAll(/(?<![\p{L}\p{N}])(?=(\S.?))/gu)) {
      if (beginnings.size === MAX_BEGINNINGS) break
      beginnings.add(beginning.trim())
    }
  }
  return [...beginnings]
}

/** Whether every term is found in a record. */
export function isFound(record: Searchable, { parts, beginnings }: SearchTerms): boolean {
  if (beginnings.length > 0) {
    const found = wordBeginnings(record)
    const isThere = (term: string) => found.some((beginning) => beginning.startsWith(term))
    if (!beginnings.every(isThere)) return false
  }
  if (parts.length === 0) return true
  const document = searchDocument(record)
  return parts.every((part) => document.includes(part))
}

function foldLine(text: string): string {
  return foldText(text.slice(0, MAX_DOCUMENT)).replace(/ +/g, ' ').trim()
}

/** No text of a record holds it, since folding takes control characters away. */
export const BEGINNING_MARK = '\u0002'

/** What an index of trigrams holds of a record: its document, and its words' beginnings, marked. */
export function indexText(record: Searchable): string {
  const marked = wordBeginnings(record).map((beginning) => BEGINNING_MARK.repeat(2) + beginning)
  return `${searchDocument(record)}\n${marked.join('')}`
}

/** Texts of three characters and more that the index text of every record holds in which the terms are found. */
export function lookUpTexts({ parts, beginnings }: SearchTerms): string[] {
  const marks = (term: string) =>
    BEGINNING_MARK.repeat(Math.max(1, SHORTEST_PART - [...term].length))
  return [...parts, ...beginnings.map((term) => marks(term) + term)]
}
