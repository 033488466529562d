import { FIELD_TYPES, type FieldType } from '../records/kind.ts'
import { parseTemplate } from '../records/template.ts'
import type { Section } from './section.ts'
import type { FieldSettings, ModuleSettings, Origin, SourceSettings } from './settings.ts'

const TYPES = Object.keys(FIELD_TYPES).filter((name): name is FieldType => name in FIELD_TYPES)

/** Null where the file does not say what it is. */
type SourceKind = SourceSettings['kind'] | null

/** One element of `modules`; what is wrong with it is remembered by the section. */
export function readModule(section: Section, source: SourceKind): ModuleSettings {
  const recordType = section.need('record_type')
  if (recordType === '.' || recordType === '..') {
    section.fault('record_type', 'cannot stand in an address')
  }
  const module: ModuleSettings = {
    placeOf: section.placeOf,
    recordType,
    name: section.text('name'),
    description: section.text('description') ?? '',
    origin: readOrigin(section, source),
    reference: parseTemplate(section.need('reference')),
    fullName: parseTemplate(section.need('full_name')),
    columns: section.has('columns') ? section.texts('columns') : null,
    leaveOut: section.texts('leave_out'),
    fields: readFields(section.section('fields')),
    search: section.texts('search'),
    updatedAt: section.text('updated_at'),
  }
  if (source === 'folder' && module.updatedAt !== null) {
    section.fault('updated_at', 'is of no use for files: their own times tell whether they changed')
  }
  section.end()
  return module
}

function readOrigin(section: Section, source: SourceKind): Origin {
  const table = section.text('table')
  const query = section.text('query')
  const file = section.text('file')
  const delimiter = section.text('delimiter')
  const encoding = section.text('encoding')
  if (source === 'folder') {
    if (table !== null || query !== null) {
      section.fault(table === null ? 'query' : 'table', 'is for databases; a folder has file')
    } else if (file === null) section.fault('file', 'is missing')
    if (delimiter !== null && delimiter.length !== 1) {
      section.fault('delimiter', 'has to be one character')
    }
    if (encoding !== null && !isEncoding(encoding)) {
      section.fault(
        'encoding',
        'is none that is known: utf-8, windows-1252, utf-16le and the like are',
      )
    }
    return { kind: 'file', file: file ?? '', delimiter, encoding }
  }
  if (source === null && file !== null) return { kind: 'file', file, delimiter, encoding }
  if (file !== null) section.fault('file', 'is for folders; a database has table or query')
  else if ((table === null) === (query === null)) section.fault(null, 'needs either table or query')
  return query === null ? { kind: 'table', table: table ?? '' } : { kind: 'query', query }
}

function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name, { fatal: true }).fatal
  } catch {
    return false
  }
}

function readFields(section: Section | null): Record<string, FieldSettings> {
  if (!section) return {}
  const fields = section.keys.flatMap((column): [string, FieldSettings][] => {
    const field = section.section(column)
    if (!field) return []
    const settings = {
      label: field.text('label'),
      type: field.oneOf('type', TYPES),
      required: field.flag('required'),
    }
    field.end()
    return [[column, settings]]
  })
  return Object.fromEntries(fields)
}
