/** A module as it is served: what its owner wants of it, met with what its source holds. */
import type { PlatformField, PlatformRecord } from '@recordhub/platform-kit'
import { FIELD_TYPES, fieldTypeOf, type Kind, textOf, toJson } from '../records/kind.ts'
import { labelFromComment, labelOf } from '../records/label.ts'
import { columnsOf, renderName, renderReference } from '../records/template.ts'
import type { ModuleSettings, Origin } from '../settings/settings.ts'
import type { Column, Row } from '../sources/source.ts'

export type ServedModule = {
  recordType: string
  name: string
  description: string
  origin: Origin
  fields: PlatformField[]
  /** What has to be read of each row. */
  columns: Column[]
  /** Of the columns above, those that are looked through. */
  search: Column[]
  /** The columns of `data`, with what their values become. */
  sent: readonly SentColumn[]
  key: Column[]
  updatedAt: Column | null
  /** What is not sent, and why, for people. */
  leftOut: { name: string; reason: string }[]
  /** The names of all columns that the source had when the module was loaded. */
  foundNames: readonly string[]
  /** Another one whenever the records would be other ones. */
  shape: string
  /** Null for a row without a reference, which the hub could not tell from others. */
  toRecord: (row: Row) => PlatformRecord | null
}

export type SentColumn = {
  column: Column
  /** The position of its cell in a row. */
  index: number
  kind: Kind
  /** Whether the owner has set its type. */
  isDeclared: boolean
}

/** @param faults grows by a line for each column that is not there. */
export function serveModule(
  settings: ModuleSettings,
  found: readonly Column[],
  faults: string[],
): ServedModule {
  const { reference, fullName, fields } = settings
  const find = (name: string, key: string): Column[] => {
    const column = found.find((one) => one.name === name)
    if (column) return [column]
    const names = found.map((one) => one.name).join(', ')
    const there = names === '' ? 'none, since it is empty' : names
    faults.push(`${settings.placeOf(key)}: there is no column "${name}"; there are ${there}.`)
    return []
  }
  const findAll = (names: readonly string[], key: string) =>
    names.flatMap((name) => find(name, key))

  for (const name of repeated(found.filter(hasName).map((column) => column.name))) {
    faults.push(
      `${settings.placeOf(null)}: two columns are named "${name}"; name one of them anew.`,
    )
  }
  findAll([...settings.leaveOut], 'leave_out')
  findAll(Object.keys(fields), 'fields')
  const key = findAll(columnsOf(reference), 'reference')
  const named = findAll(columnsOf(fullName), 'full_name')
  const search = findAll(settings.search, 'search')
  const [updatedAt = null] =
    settings.updatedAt === null ? [] : find(settings.updatedAt, 'updated_at')
  if (updatedAt?.kind === 'date') {
    faults.push(`${settings.placeOf('updated_at')}: "${updatedAt.name}" tells the day only.`)
  }
  const leftOut = found.flatMap((column) => {
    const reason = reasonToLeaveOut(column, settings)
    return reason === null ? [] : [{ name: column.name, reason }]
  })
  const offered = settings.columns ? findAll(settings.columns, 'columns') : found
  const data = offered.filter(({ name }) => !leftOut.some((one) => one.name === name))

  const columns = [...new Set([...data, ...key, ...named, ...search])]
  const places = new Map(columns.map((column, index) => [column.name, index]))
  const sent = data.map((column): SentColumn => {
    const type = fields[column.name]?.type ?? null
    const kind = kindToSend(column.kind, type)
    return { column, index: columns.indexOf(column), kind, isDeclared: type !== null }
  })
  const sentAs = new Map(sent.map(({ column, kind }) => [column.name, kind]))

  function textIn(row: Row, name: string): string | null {
    const kind = sentAs.get(name) ?? columns[places.get(name) ?? -1]?.kind ?? 'any'
    return textOf(toJson(row[places.get(name) ?? -1] ?? null, kind))
  }

  return {
    recordType: settings.recordType,
    name: settings.name || labelOf(settings.recordType),
    description: settings.description,
    origin: settings.origin,
    fields: sent.map(({ column, kind }) => ({
      key: column.name,
      label: fields[column.name]?.label ?? labelFromComment(column.comment) ?? labelOf(column.name),
      type: fieldTypeOf(kind),
      required: fields[column.name]?.required ?? column.required,
    })),
    columns,
    search,
    sent,
    key,
    updatedAt,
    leftOut,
    foundNames: found.filter(hasName).map(({ name }) => name),
    shape: JSON.stringify([settings, sent]),
    toRecord(row) {
      const read = (name: string) => textIn(row, name)
      const reference_number = renderReference(reference, read)
      if (reference_number === null) return null
      const data = Object.fromEntries(
        sent.map(({ column, index, kind }) => [column.name, toJson(row[index] ?? null, kind)]),
      )
      return { reference_number, full_name: renderName(fullName, read), data }
    },
  }
}

function reasonToLeaveOut(column: Column, { leaveOut, columns }: ModuleSettings): string | null {
  if (leaveOut.includes(column.name)) return 'as leave_out says'
  if (columns && !columns.includes(column.name)) return 'columns does not name it'
  if (!hasName(column)) return 'it has no name'
  if (column.name === '__proto__') return 'the hub takes no such name'
  return column.kind === 'binary' ? `${column.type} is binary` : null
}

/** A time keeps its zone, whatever its owner calls it. */
function kindToSend(kind: Kind, type: keyof typeof FIELD_TYPES | null): Kind {
  if (type === null || (type === 'datetime' && kind === 'instant')) return kind
  return FIELD_TYPES[type]
}

/** Not so the cells behind the last name in the head of many a CSV file. */
export const hasName = ({ name }: Column) => name.trim() !== ''

function repeated(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}
