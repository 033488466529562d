/** Infers the settings of a module from a table or file; the owner reviews them. */

import { hasName } from '../platform/served-module.ts'
import { labelFromComment, toLabel } from '../records/kind.ts'
import { columnsOf, parseTemplate } from '../records/template.ts'
import type { Origin } from '../settings/settings.ts'
import type { Candidate, Column } from '../sources/source.ts'

export type InferredModule = {
  origin: Origin
  recordType: string
  name: string
  /** Null if no column identifies the rows. */
  reference: string | null
  fullName: string
  leaveOut: string[]
  search: string[]
  updatedAt: string | null
  columns: readonly Column[]
}

const NAME_COLUMNS = [
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
/** Besides the reference. */
const MAX_SEARCHED = 4

export function inferModule(candidate: Candidate, described: readonly Column[]): InferredModule {
  const columns = described.filter(hasName)
  const find = (names: readonly string[]) =>
    names.flatMap((name) => columns.find((one) => normalize(one.name) === name) ?? [])[0]?.name ??
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
    name: labelFromComment(candidate.comment) ?? toLabel(candidate.name),
    reference,
    fullName: both ?? find(NAME_COLUMNS) ?? last ?? reference ?? '',
    leaveOut,
    search: [
      ...new Set([
        ...(reference === null ? [] : columnsOf(parseTemplate(reference))),
        ...texts.slice(0, MAX_SEARCHED).map(({ name }) => name),
      ]),
    ],
    updatedAt: !isFile && columns.some((one) => one.name === time && isTime(one)) ? time : null,
    columns,
  }
}

/**
 * Gives each module a unique record type: with the schema or the file extension if the name alone is ambiguous, and with
 * a number if that is taken too.
 * @param taken the record types in the settings.
 */
export function withUniqueRecordTypes(
  modules: readonly InferredModule[],
  taken: readonly string[] = [],
): InferredModule[] {
  const count = new Map<string, number>()
  for (const type of [...taken, ...modules.map(({ recordType }) => recordType)]) {
    count.set(type, (count.get(type) ?? 0) + 1)
  }
  const used = new Set(taken)
  return modules.map((module) => {
    const { origin, recordType } = module
    const qualified =
      origin.kind === 'table' ? origin.table : origin.kind === 'file' ? origin.file : ''
    const isAlone = count.get(recordType) === 1
    const preferred = isAlone || qualified === '' ? recordType : qualified.replaceAll('.', '_')
    let unique = preferred
    for (let number = 2; used.has(unique); number += 1) unique = `${preferred}_${number}`
    used.add(unique)
    return { ...module, recordType: unique }
  })
}

const isTime = ({ kind }: Column) => kind === 'instant' || kind === 'datetime'

const normalize = (name: string) => toLabel(name).toLowerCase().replaceAll(' ', '_')

function templateOf(columns: readonly string[], separator: string): string {
  const [only = ''] = columns
  return columns.length === 1 ? only : columns.map((column) => `{${column}}`).join(separator)
}
