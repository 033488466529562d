/** What the data of records contain: the values of a path with their counts, and all paths with examples. */
import type { DataField, Facet, Field } from '@recordhub/protocol'
import {
  type DataPath,
  EACH,
  formatPath,
  type PathStep,
  parsePath,
  valuesAt,
} from '@recordhub/protocol/data-path'
import { fieldKeysOf, parseTimeSpan } from '@recordhub/protocol/field-filter'
import { isJsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import { compareCodePoints } from '../../lib/text/code-points.ts'
import { valueText } from './sort-key.ts'

/** A field of more values is none of few values. */
const MAX_DISTINCT = 50
/** In UTF-16 units. */
const MAX_VALUE_LENGTH = 256

/** The text of a value that can be one of few: not of an object, a list or a long text. Null for an empty value. */
function shortText(value: JsonValue): { text: string | null } | null {
  if (Array.isArray(value) || isJsonObject(value)) return null
  const text = valueText(value)
  if (text !== null && text.length > MAX_VALUE_LENGTH) return null
  return { text: text === '' ? null : text }
}

/** Counts the values of a path. */
type FacetCounter = {
  add: (data: JsonValue) => void
  /** Whether there are too many values, so that more records change nothing but the number of empty ones. */
  hasTooMany: () => boolean
  count: () => Facet
}

export function createFacetCounter(path: DataPath): FacetCounter {
  let counts: Map<string, number> | null = new Map()
  let empty = 0
  return {
    add(data) {
      const texts = new Set<string>()
      let hasValue = false
      for (const value of valuesAt(data, path)) {
        const short = shortText(value)
        if (short === null) counts = null
        else if (short.text !== null) texts.add(short.text)
        hasValue ||= short === null || short.text !== null
        if (texts.size > MAX_DISTINCT) counts = null
        if (hasValue && counts === null) return
      }
      if (!hasValue) empty += 1
      for (const text of texts) counts?.set(text, (counts.get(text) ?? 0) + 1)
      if (counts && counts.size > MAX_DISTINCT) counts = null
    },
    hasTooMany: () => counts === null,
    count: () => ({
      path: path.text,
      values:
        counts &&
        Array.from(counts, ([value, records]) => ({ value, records })).sort(
          (one, other) => other.records - one.records || compareCodePoints(one.value, other.value),
        ),
      empty,
    }),
  }
}

const MAX_FIELDS = 1000
const MAX_DEPTH = 12
/** That of a filter. */
const MAX_PATH_LENGTH = 256
const MAX_EXAMPLES = 3
const MAX_EXAMPLE_LENGTH = 60

type ValueType = DataField['types'][number]

/** What the examined records have at a path. */
type PathNode = {
  types: Map<ValueType, number>
  records: number
  /** The number of the last record that had a value here. */
  lastRecord: number
  /** Null for too many values, and for objects, lists and long texts. */
  distinct: Set<string> | null
  examples: string[]
  members: Map<string, PathNode>
  elements: PathNode | null
}

function createNode(): PathNode {
  return {
    types: new Map(),
    records: 0,
    lastRecord: 0,
    distinct: new Set(),
    examples: [],
    members: new Map(),
    elements: null,
  }
}

/** Collects the paths in the data of records. */
type PathCollector = {
  add: (data: JsonValue) => void
  /** Returns what was found, without the manifest. */
  list: () => FoundPaths
}
export type FoundPaths = { paths: FoundPath[]; isWhole: boolean }
type FoundPath = Omit<DataField, 'label' | 'in_manifest'>

export function createPathCollector(): PathCollector {
  const root = createNode()
  let [records, count, isWhole] = [0, 0, true]

  const child = (node: PathNode, key: string): PathNode | null => {
    const known = node.members.get(key)
    if (known) return known
    if (count === MAX_FIELDS || key.length > MAX_PATH_LENGTH) {
      isWhole = false
      return null
    }
    count += 1
    const added = createNode()
    node.members.set(key, added)
    return added
  }
  const visitMembers = (node: PathNode, value: JsonValue, depth: number) => {
    if (!isJsonObject(value)) return
    if (depth === MAX_DEPTH) {
      isWhole = false
      return
    }
    for (const [key, member] of Object.entries(value)) {
      const found = child(node, key)
      if (found) visit(found, member, depth + 1)
    }
  }
  const visit = (node: PathNode, value: JsonValue, depth: number) => {
    const text = valueText(Array.isArray(value) || isJsonObject(value) ? null : value)
    const type = typeOf(value, text)
    if (type === null) return
    node.types.set(type, (node.types.get(type) ?? 0) + 1)
    if (node.lastRecord !== records) {
      node.lastRecord = records
      node.records += 1
    }
    addText(node, text)
    visitMembers(node, value, depth)
    if (!Array.isArray(value)) return
    for (const element of value) {
      node.elements ??= createNode()
      visit(node.elements, element, depth)
    }
  }

  return {
    add(data) {
      records += 1
      visitMembers(root, data, 0)
    },
    list() {
      const paths = listPaths(root)
      const short = paths.filter(({ path }) => path.length <= MAX_PATH_LENGTH)
      return { paths: short, isWhole: isWhole && short.length === paths.length }
    },
  }
}

/** @param text null for objects and lists. */
function addText(node: PathNode, text: string | null): void {
  const { examples } = node
  if (text !== null && text.length <= MAX_EXAMPLE_LENGTH && examples.length < MAX_EXAMPLES) {
    if (!examples.includes(text)) examples.push(text)
  }
  if (text === null || text.length > MAX_VALUE_LENGTH) node.distinct = null
  else node.distinct?.add(text)
  if ((node.distinct?.size ?? 0) > MAX_DISTINCT) node.distinct = null
}

/** Null for an empty value. @param text null for objects and lists. */
function typeOf(value: JsonValue, text: string | null): ValueType | null {
  if (Array.isArray(value)) return 'list'
  if (isJsonObject(value)) return 'object'
  if (text === null || text === '') return null
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value !== 'string') return 'number'
  return parseTimeSpan(text) ? 'date' : 'text'
}

/** Returns the paths below a node, each directly before those in it. */
function listPaths(root: PathNode): FoundPath[] {
  const found: FoundPath[] = []
  const addNode = (node: PathNode, name: string, steps: PathStep[], parent: string | null) => {
    const text = formatPath(steps)
    // The text alone would mean the field with this key.
    const path = steps.length > 1 && root.members.has(text) ? `\\${text}` : text
    const { records, distinct, examples } = node
    const types = [...node.types].sort(([, one], [, other]) => other - one).map(([type]) => type)
    const figures = { types, records, distinct: distinct?.size ?? null, examples }
    found.push({ path, parent, name, ...figures })
    addMembers(node, steps, path)
    if (node.elements) addElements(node.elements, [...steps, EACH], path)
  }
  const addMembers = (node: PathNode, steps: PathStep[], parent: string | null) => {
    for (const [key, member] of node.members) addNode(member, key, [...steps, key], parent)
  }
  /** A list of objects has their members, without a path for the objects themselves. */
  const addElements = (node: PathNode, steps: PathStep[], parent: string) => {
    if ([...node.types.keys()].some((type) => type !== 'object')) addNode(node, '[]', steps, parent)
    else addMembers(node, steps, parent)
  }
  addMembers(root, [], null)
  return found
}

/** Adds what the manifest of a module says. Its fields come first, also those that no record has. */
export function describePaths(found: readonly FoundPath[], fields: readonly Field[]): DataField[] {
  const positions = new Map(fields.map(({ key }, index) => [key, index]))
  const named = new Set<string>()
  const groups: { position: number; paths: DataField[] }[] = []
  for (const one of found) {
    const key = fieldKeysOf(parsePath(one.path)).find((name) => positions.has(name))
    const position = key === undefined ? fields.length : (positions.get(key) ?? 0)
    if (key !== undefined) named.add(key)
    const described = { ...one, label: labelOf(fields[position]), in_manifest: key !== undefined }
    if (one.parent === null) groups.push({ position, paths: [described] })
    else groups.at(-1)?.paths.push(described)
  }
  for (const [position, field] of fields.entries()) {
    if (named.has(field.key)) continue
    const names = { path: formatPath([field.key]), parent: null, name: field.key }
    const figures = { types: [], records: 0, distinct: 0, examples: [] }
    const described = { ...names, label: labelOf(field), in_manifest: true, ...figures }
    groups.push({ position, paths: [described] })
  }
  return groups.sort((one, other) => one.position - other.position).flatMap(({ paths }) => paths)
}

function labelOf(field: Field | undefined): string | null {
  return field ? field.label.trim() || field.key : null
}
