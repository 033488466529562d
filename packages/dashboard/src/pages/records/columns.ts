/** The columns of the record list: those of the hub, and the fields of the manifests with their labels. */

import type {
  DataField,
  Field,
  PlatformModule,
  PlatformSummary,
  StoredRecord,
} from '@recordhub/protocol'
import { EACH, hasManyValues, parsePath, valuesAt } from '@recordhub/protocol/data-path'
import { commonKindOf, type FieldKind } from '@recordhub/protocol/field-filter'
import { formatKey } from '../../lib/format.ts'
import type { UrlState } from '../../lib/url-state.ts'

export type ColumnKind = FieldKind
type HubMember = Exclude<keyof StoredRecord, 'data' | 'missing_reason'>

export type Column = {
  /** `hub_<member>`, or `data.<key>`. */
  id: string
  label: string
  kind: ColumnKind
  /** The value of the `sort` parameter; null if records cannot be sorted by this column. */
  sort: string | null
  /** The key of the `filter[…]` parameter; null if this column has no such filter. */
  filter: string | null
  /** The name of the column in an export. */
  exported: string
  isHiddenByDefault: boolean
  valueOf: (record: StoredRecord) => unknown
}

const INDEXED_MEMBERS = ['reference_number', 'full_name', 'created_at', 'updated_at']
const FILTERED_MEMBERS = new Set([...INDEXED_MEMBERS, 'missing_since'])
const SORTED_MEMBERS = new Set([...INDEXED_MEMBERS, 'record_id'])
/** The number of fields that are shown by default. */
const MAX_DEFAULT_FIELDS = 10

export type ListedModule = { platform: PlatformSummary; module: PlatformModule }

/** What the badge of a missing record says; null for other records. */
export function missingLabel(record: Pick<StoredRecord, 'missing_since' | 'missing_reason'>) {
  if (record.missing_since === null) return null
  return record.missing_reason === 'taken_back' ? 'Taken back' : 'Missing'
}

/** The modules that match the module of the URL, in the order of the platforms. */
export function listedModules(
  platforms: readonly PlatformSummary[],
  modules: readonly (PlatformModule & { platform_name: string })[],
  { record_type }: UrlState,
): ListedModule[] {
  const byPlatform = Map.groupBy(modules, ({ platform_name }) => platform_name)
  return platforms
    .flatMap((platform) =>
      (byPlatform.get(platform.platform_name) ?? []).map((module) => ({ platform, module })),
    )
    .filter(({ module }) => record_type === undefined || record_type === module.record_type)
}

/** All columns in their default order: reference and name, platform and module, fields, times. */
export function columnsOf(listed: readonly ListedModule[]): Column[] {
  const fields = new Map<string, Field & { kind: ColumnKind }>()
  const all = listed.flatMap(({ module }) => module.fields)
  for (const [key, ofKey] of Map.groupBy(all, (field) => field.key)) {
    const [first] = ofKey
    if (first) fields.set(key, { ...first, kind: commonKindOf(ofKey) })
  }
  const titles = new Map(
    listed.map(({ platform }) => [platform.platform_name, platform.display_title]),
  )
  const isOneModule = listed.length === 1
  const isOnePlatform = new Set(listed.map(({ platform }) => platform.id)).size === 1
  const labelOf = (key: string, other: string) => (isOneModule && fields.get(key)?.label) || other
  // The platform's fields that the hub stores as columns of its own.
  const own = ['reference_number', 'full_name']
  const shown = [...fields.values()].filter(({ key }) => !own.includes(key))
  const copies = [...fields.values()].filter(({ key }) => own.includes(key))
  return [
    hubColumn('reference_number', labelOf('reference_number', 'Reference')),
    hubColumn('full_name', labelOf('full_name', 'Name')),
    {
      ...hubColumn('platform_name', 'Platform', { isHiddenByDefault: isOnePlatform }),
      valueOf: ({ platform_name }) => titles.get(platform_name) ?? platform_name,
    },
    hubColumn('module_name', 'Module', { isHiddenByDefault: isOneModule }),
    ...shown.map((field, index) =>
      fieldColumn(field, { isHiddenByDefault: !isOneModule || index >= MAX_DEFAULT_FIELDS }),
    ),
    hubColumn('updated_at', 'Updated', { kind: 'date' }),
    hubColumn('created_at', 'Received', { kind: 'date', isHiddenByDefault: true }),
    hubColumn('missing_since', 'Missing since', { kind: 'date', isHiddenByDefault: true }),
    hubColumn('record_id', 'Record ID', { kind: 'number', isHiddenByDefault: true }),
    ...copies.map((field) => ({
      ...fieldColumn(field, { isHiddenByDefault: true }),
      label: `${field.label} (field)`,
    })),
  ]
}

function hubColumn(
  member: HubMember,
  label: string,
  options: Partial<Pick<Column, 'kind' | 'isHiddenByDefault'>> = {},
): Column {
  return {
    id: `hub_${member}`,
    label,
    kind: 'text',
    sort: SORTED_MEMBERS.has(member) ? member : null,
    filter: FILTERED_MEMBERS.has(member) ? `hub_${member}` : null,
    exported: `hub_${member}`,
    isHiddenByDefault: false,
    valueOf: (record) => record[member],
    ...options,
  }
}

const PATH = 'data.'

/** The column of a path into nested data, from its id; null for an id of another kind. */
export function columnOfPath(id: string, kind: ColumnKind = 'text'): Column | null {
  if (!id.startsWith(PATH) || id === PATH) return null
  const text = id.slice(PATH.length)
  const path = parsePath(text)
  return {
    id,
    label: path.steps
      .filter((step) => step !== EACH)
      .map((step) => formatKey(String(step)))
      .join(' › '),
    kind,
    sort: id,
    filter: filterOf(text),
    exported: id,
    isHiddenByDefault: true,
    valueOf: ({ data }) => {
      const values = valuesAt(data, path)
      return hasManyValues(path) ? values : values[0]
    },
  }
}

/** The key of a field or the path into its values; null for a column of the hub. */
export function pathOfColumn({ id }: Column): string | null {
  return id.startsWith(PATH) ? id.slice(PATH.length) : null
}

/** The name of a field in a filter. A field may have the same name as a column of the hub. */
export function filterOf(key: string): string {
  return /^(?:hub_|data\.)/.test(key) ? `data.${key}` : key
}

function fieldColumn(
  { key, label, kind }: Field & { kind: ColumnKind },
  { isHiddenByDefault }: { isHiddenByDefault: boolean },
): Column {
  return {
    id: `data.${key}`,
    label: label || key,
    kind,
    sort: `data.${key}`,
    filter: filterOf(key),
    exported: key,
    isHiddenByDefault,
    valueOf: ({ data }) => (Object.hasOwn(data, key) ? data[key] : undefined),
  }
}

/** Not more are rendered at once; a search finds the others. */
export const MAX_CHOICES = 300

/** A column in the tree of what the data contain, with its name there and the number of fields that contain it. */
export type TreeColumn = Column & { name: string; depth: number }

/** The columns, each followed by those of the paths into its data. */
export function withPaths(columns: readonly Column[], fields: readonly DataField[]): TreeColumn[] {
  const byId = new Map(columns.map((column) => [column.id, column]))
  const flatten = (nodes: readonly ColumnNode[], within: readonly string[]): TreeColumn[] =>
    nodes.flatMap(({ id, label: name, kind, children }) => {
      const names = [...within, name]
      const path = columnOfPath(id, kind)
      const column = byId.get(id) ?? (path && { ...path, label: names.join(' › ') })
      const below = flatten(children, names)
      return column ? [{ ...column, name, depth: within.length }, ...below] : below
    })
  return flatten(columnTree(columns, fields), [])
}

/** The columns whose labels contain a text, each after those that contain it. */
export function findColumns(columns: readonly TreeColumn[], search: string): TreeColumn[] {
  const text = search.trim().toLowerCase()
  let below = 0
  const isFound = ({ label, depth }: TreeColumn) => {
    const found = label.toLowerCase().includes(text) || depth < below
    if (found) below = depth
    return found
  }
  return columns.toReversed().filter(isFound).toReversed()
}

/** The columns that are in no folded one. @param open the ids of those that are not folded. */
export function unfoldedColumns(
  columns: readonly TreeColumn[],
  open: ReadonlySet<string>,
): TreeColumn[] {
  let deepest = 0
  return columns.filter(({ id, depth }) => {
    if (depth > deepest) return false
    deepest = open.has(id) ? depth + 1 : depth
    return true
  })
}

export type ColumnNode = {
  id: string
  label: string
  kind: ColumnKind
  hint: string
  children: ColumnNode[]
}

/** The hub compares nested values by their types, and those of other keys outside the manifest as text. */
function kindOfValues({ parent, types }: DataField): ColumnKind {
  const [type = 'text', ...others] = types
  const isNested = type === 'object' || type === 'list'
  return parent === null || isNested || others.length > 0 ? 'text' : type
}

/** The columns, those of nested data below the field that contains them. */
export function columnTree(columns: readonly Column[], fields: readonly DataField[]): ColumnNode[] {
  const nodes = new Map<string, ColumnNode>(
    columns.map(({ id, label, kind }) => [id, { id, label, kind, hint: '', children: [] }]),
  )
  const top = [...nodes.values()]
  for (const field of fields) {
    const { path, parent, name, label, examples, types } = field
    const id = `data.${path}`
    const isNested = types.includes('object') || types.includes('list')
    const hint = isNested ? '' : (examples[0] ?? '')
    // The manifest names the whole key, in which a path escapes dots.
    const known = nodes.get(id) ?? (parent === null ? nodes.get(`data.${name}`) : undefined)
    if (known) {
      known.hint = hint
      nodes.set(id, known)
      continue
    }
    const title = label || (name === '[]' ? 'Each' : formatKey(name))
    const node = { id, label: title, kind: kindOfValues(field), hint, children: [] }
    nodes.set(id, node)
    const siblings = parent === null ? top : nodes.get(`data.${parent}`)?.children
    siblings?.push(node)
  }
  return top
}
