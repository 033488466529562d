import { FIELD_TYPES, type FieldType } from '../records/kind.ts'
import { parseTemplate } from '../records/template.ts'
import type { Section } from './section.ts'
import type { FieldSettings, ModuleSettings, Origin, SourceSettings } from './settings.ts'

const TYPES = Object.keys(FIELD_TYPES).filter((name): name is FieldType => name in FIELD_TYPES)

/** Null if the file does not contain a valid source. */
type SourceKind = SourceSettings['kind'] | null

/** Reads one element of `modules`; the section collects its issues. */
export function readModule(section: Section, source: SourceKind): ModuleSettings {
  const recordType = section.requiredText('record_type')
  if (recordType === '.' || recordType === '..') {
    section.addIssue('record_type', 'cannot be used in a URL')
  }
  const module: ModuleSettings = {
    positionOf: section.positionOf,
    recordType,
    name: section.text('name'),
    description: section.text('description') ?? '',
    origin: readOrigin(section, source),
    reference: parseTemplate(section.requiredText('reference')),
    fullName: parseTemplate(section.requiredText('full_name')),
    columns: section.has('columns') ? section.texts('columns') : null,
    leaveOut: section.texts('leave_out'),
    fields: readFields(section.section('fields')),
    search: section.texts('search'),
    updatedAt: section.text('updated_at'),
    version: section.text('version'),
  }
  if (source === 'folder' && module.updatedAt !== null) {
    section.addIssue('updated_at', 'is not used for files: their modification times show changes')
  }
  section.rejectUnknownKeys()
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
      section.addIssue(
        table === null ? 'query' : 'table',
        'is for databases; use file for a folder',
      )
    } else if (file === null) section.addIssue('file', 'is missing')
    if (delimiter !== null && delimiter.length !== 1) {
      section.addIssue('delimiter', 'must be one character')
    }
    if (encoding !== null && !isEncoding(encoding)) {
      section.addIssue(
        'encoding',
        'is unknown: use utf-8, windows-1252, utf-16le or another standard label',
      )
    }
    return { kind: 'file', file: file ?? '', delimiter, encoding }
  }
  if (source === null && file !== null) return { kind: 'file', file, delimiter, encoding }
  if (file !== null) section.addIssue('file', 'is for folders; use table or query for a database')
  else if ((table === null) === (query === null))
    section.addIssue(null, 'needs either table or query')
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
      required: field.boolean('required'),
    }
    field.rejectUnknownKeys()
    return [[column, settings]]
  })
  return Object.fromEntries(fields)
}
