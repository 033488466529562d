/** What a table most likely means, as a beginning that its owner goes through. */

import { hasName } from '../platform/served-module.ts'
import { labelFromComment, labelOf } from '../records/label.ts'
import type { Origin } from '../settings/settings.ts'
import type { Candidate, Column } from '../sources/source.ts'

export type Guess = {
  origin: Origin
  recordType: string
  name: string
  /** Null where nothing tells the rows apart. */
  reference: string | null
  fullName: string
  leaveOut: string[]
  search: string[]
  updatedAt: string | null
  columns: readonly Column[]
}

const NAMES = [
  'full_name',
  'fullname',
  'display_name',
  'name',
  'title',
  'label',
  'subject',
  'company',
]
const FIRST_NAMES = ['first_name', 'firstname', 'given_name', 'forename']
const LAST_NAMES = ['last_name', 'lastname', 'family_name', 'surname']
const REFERENCES = ['reference_number', 'reference', 'id', 'uuid', 'number', 'code']
const UPDATED = ['updated_at', 'modified_at', 'changed_at', 'last_modified', 'updated', 'modified']
const SECRETS = /passw|secret|token|api_?key|(?:^|_)(?:hash|salt|pin)(?:_|$)/i
const SEARCHED = /name|mail|title|phone|city/i
const MOST_SEARCHED = 4

export function guessModule(candidate: Candidate, described: readonly Column[]): Guess {
  const columns = described.filter(hasName)
  const find = (names: readonly string[]) =>
    names.flatMap((name) => columns.find((one) => asWords(one.name) === name) ?? [])[0]?.name ??
    null
  const isFile = candidate.origin.kind === 'file'
  const keyed = candidate.key.length > 0 ? templateOf(candidate.key, '-') : null
  const reference = keyed ?? (isFile ? (find(REFERENCES) ?? columns[0]?.name ?? null) : null)
  const first = find(FIRST_NAMES)
  const last = find(LAST_NAMES)
  const both = first !== null && last !== null ? templateOf([first, last], ' ') : null
  const leaveOut = columns.filter(({ name }) => SECRETS.test(name)).map(({ name }) => name)
  const texts = columns.filter(({ name, kind }) => {
    return (kind === 'text' || kind === 'any') && SEARCHED.test(name) && !leaveOut.includes(name)
  })
  const time = find(UPDATED)
  return {
    origin: candidate.origin,
    recordType: candidate.name,
    name: labelFromComment(candidate.comment) ?? labelOf(candidate.name),
    reference,
    fullName: both ?? find(NAMES) ?? last ?? reference ?? '',
    leaveOut,
    search: texts.slice(0, MOST_SEARCHED).map(({ name }) => name),
    updatedAt: !isFile && columns.some((one) => one.name === time && isTime(one)) ? time : null,
    columns,
  }
}

/**
 * Gives each guess a record type of its own: with the schema or the extension of the file where the name alone is
 * ambiguous, and with a number where that is taken too.
 * @param taken the record types that the settings have already.
 */
export function withOwnTypes(guesses: readonly Guess[], taken: readonly string[] = []): Guess[] {
  const count = new Map<string, number>()
  for (const type of [...taken, ...guesses.map(({ recordType }) => recordType)]) {
    count.set(type, (count.get(type) ?? 0) + 1)
  }
  const used = new Set(taken)
  return guesses.map((guess) => {
    const { origin, recordType } = guess
    const whole = origin.kind === 'table' ? origin.table : origin.kind === 'file' ? origin.file : ''
    const isAlone = count.get(recordType) === 1
    const wanted = isAlone || whole === '' ? recordType : whole.replaceAll('.', '_')
    let unique = wanted
    for (let number = 2; used.has(unique); number += 1) unique = `${wanted}_${number}`
    used.add(unique)
    return { ...guess, recordType: unique }
  })
}

const isTime = ({ kind }: Column) => kind === 'instant' || kind === 'datetime'

const asWords = (name: string) => labelOf(name).toLowerCase().replaceAll(' ', '_')

function templateOf(columns: readonly string[], between: string): string {
  const [only = ''] = columns
  return columns.length === 1 ? only : columns.map((column) => `{${column}}`).join(between)
}
