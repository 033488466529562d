/** A module as it is served: its settings combined with the columns of its source. */
import { hash } from 'node:crypto'
import type { PlatformField, PlatformRecord } from '@recordhub/platform-kit'
import {
  FIELD_TYPES,
  fieldTypeOf,
  type Kind,
  labelFromComment,
  textOf,
  toJson,
  toLabel,
} from '../records/kind.ts'
import { columnsOf, renderName, renderReference } from '../records/template.ts'
import type { ModuleSettings, Origin } from '../settings/settings.ts'
import type { Column, DigestColumns, Row } from '../sources/source.ts'

export type ServedModule = {
  recordType: string
  name: string
  description: string
  origin: Origin
  fields: PlatformField[]
  /** The columns that are read of each row. */
  columns: Column[]
  /** The columns that a search reads. */
  search: Column[]
  /** The columns of `data` and the kinds of their values. */
  sent: readonly SentColumn[]
  key: Column[]
  updatedAt: Column | null
  /**
   * The columns that a digest hashes; null if the version is a hash of the record, or if the settings may change the text
   * of the reference.
   */
  digest: DigestColumns | null
  /** The version of a row and its record; null for a row without one. */
  toVersion: (row: Row, record: PlatformRecord) => string | null
  /** The columns that are not sent, and why. */
  leftOut: { name: string; reason: string }[]
  /** The names of all columns of the source when the module was loaded. */
  foundNames: readonly string[]
  /** Changes whenever the settings or columns change the records. */
  shape: string
  /** Null for a row without a reference, which the hub could not identify. */
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

/** @param issues a line is added for each missing column. */
export function serveModule(
  settings: ModuleSettings,
  found: readonly Column[],
  issues: string[],
): ServedModule {
  const { reference, fullName, fields } = settings
  const find = (name: string, key: string): Column[] => {
    const column = found.find((one) => one.name === name)
    if (column) return [column]
    const names = found.map((one) => one.name).join(', ')
    const columns = names === '' ? 'it is empty' : `its columns are ${names}`
    issues.push(`${settings.positionOf(key)}: there is no column "${name}"; ${columns}.`)
    return []
  }
  const findAll = (names: readonly string[], key: string) =>
    names.flatMap((name) => find(name, key))

  for (const name of repeated(found.filter(hasName).map((column) => column.name))) {
    issues.push(
      `${settings.positionOf(null)}: two columns are named "${name}"; rename one of them.`,
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
    issues.push(`${settings.positionOf('updated_at')}: "${updatedAt.name}" contains only the date.`)
  }
  const [version = null] = settings.version === null ? [] : find(settings.version, 'version')
  const leftOut = found.flatMap((column) => {
    const reason = reasonToLeaveOut(column, settings)
    return reason === null ? [] : [{ name: column.name, reason }]
  })
  const offered = settings.columns ? findAll(settings.columns, 'columns') : found
  const data = offered.filter(({ name }) => !leftOut.some((one) => one.name === name))

  const versions = version ? [version] : []
  const columns = [...new Set([...data, ...key, ...named, ...search, ...versions])]
  const indexes = new Map(columns.map((column, index) => [column.name, index]))
  const sent = data.map((column): SentColumn => {
    const type = fields[column.name]?.type ?? null
    const kind = kindToSend(column.kind, type)
    return { column, index: columns.indexOf(column), kind, isDeclared: type !== null }
  })
  const sentAs = new Map(sent.map(({ column, kind }) => [column.name, kind]))

  function textIn(row: Row, name: string): string | null {
    const kind = sentAs.get(name) ?? columns[indexes.get(name) ?? -1]?.kind ?? 'any'
    return textOf(toJson(row[indexes.get(name) ?? -1] ?? null, kind))
  }

  const isReferencePlain = key.every(({ name, kind }) => {
    const sent = sentAs.get(name) ?? kind
    return sent === kind || sent === 'text'
  })
  const referenceColumns = reference.flatMap((part): (string | Column)[] =>
    typeof part === 'string' ? [part] : key.filter(({ name }) => name === part.column).slice(0, 1),
  )

  return {
    recordType: settings.recordType,
    name: settings.name || toLabel(settings.recordType),
    description: settings.description,
    origin: settings.origin,
    fields: sent.map(({ column, kind }) => ({
      key: column.name,
      label: fields[column.name]?.label ?? labelFromComment(column.comment) ?? toLabel(column.name),
      type: fieldTypeOf(kind),
      required: fields[column.name]?.required ?? column.required,
    })),
    columns,
    search,
    sent,
    key,
    updatedAt,
    digest: version && isReferencePlain ? { version, reference: referenceColumns } : null,
    toVersion: (row, record) =>
      version ? textOf(row[indexes.get(version.name) ?? -1] ?? null) || null : hashOf(record),
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

/** Changes whenever anything in the record changes. */
function hashOf({ full_name, data }: PlatformRecord): string {
  return hash('md5', JSON.stringify([full_name, data]), 'base64url')
}

function reasonToLeaveOut(column: Column, { leaveOut, columns }: ModuleSettings): string | null {
  if (leaveOut.includes(column.name)) return 'listed in leave_out'
  if (columns && !columns.includes(column.name)) return 'not listed in columns'
  if (!hasName(column)) return 'it has no name'
  if (column.name === '__proto__') return 'the hub rejects this name'
  return column.kind === 'binary' ? `${column.type} is binary` : null
}

/** A time keeps its zone, even if the settings declare a datetime. */
function kindToSend(kind: Kind, type: keyof typeof FIELD_TYPES | null): Kind {
  if (type === null || (type === 'datetime' && kind === 'instant')) return kind
  return FIELD_TYPES[type]
}

/** CSV files often have unnamed columns after the last one. */
export const hasName = ({ name }: Column) => name.trim() !== ''

function repeated(names: readonly string[]): Set<string> {
  return new Set(names.filter((name, index) => names.indexOf(name) !== index))
}
