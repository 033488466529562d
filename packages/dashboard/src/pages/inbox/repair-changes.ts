/** The changes of a bulk repair: as rows of a form, as the difference of an edited body, and as lines that changed. */
import type { RepairChange } from '@recordhub/protocol'
import { isPlainObject, parseLossless, writeLossless } from '../../lib/lossless-json.ts'

export type ChangeRow = {
  op: RepairChange['op']
  /** The member, as `data.status`. */
  path: string
  /** The value of `set` and `default`, the new name of `rename`. */
  text: string
}

/** The change of a row; null while the row is incomplete. `known`: the pointers of members whose names may have dots. */
export function toChange(row: ChangeRow, known: readonly string[]): RepairChange | null {
  const { op, text } = row
  if (row.path === '') return null
  const path =
    known.find((one) => labelOf(one) === row.path) ??
    `/${row.path.split('.').map(escapeName).join('/')}`
  switch (op) {
    case 'set':
    case 'default':
      return text === '' ? null : { op, path, value: parseValue(path, text) }
    case 'rename':
      return text === '' ? null : { op, path, to: text }
    default:
      return { op, path }
  }
}

export function toRow(change: RepairChange): ChangeRow {
  const { op, path } = change
  const text = 'value' in change ? textOf(change.value) : 'to' in change ? change.to : ''
  return { op, path: labelOf(path), text }
}

/** Text that is JSON is its value, other text is itself. A record type is always text. */
function parseValue(path: string, text: string): unknown {
  if (path === '/record_type') return text
  try {
    return parseLossless(text)
  } catch {
    return text
  }
}

/** The text that stands for a value in a row. */
export function textOf(value: unknown): string {
  return typeof value === 'string' && parseValue('', value) === value
    ? value
    : writeLossless(value, '')
}

/** `/data/status` as `data.status`. */
function labelOf(pointer: string): string {
  const names = pointer.slice(1).split('/')
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.')
}

function escapeName(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** The members of a body, by the text of their path; also the pointer of each. */
export function membersOf(
  body: unknown,
  parent = '',
): { pointer: string; label: string; value: unknown }[] {
  if (!isPlainObject(body)) return []
  return Object.entries(body).flatMap(([name, value]) => {
    const pointer = `${parent}/${escapeName(name)}`
    // An empty name has no pointer that the hub accepts.
    if (name === '') return []
    return [{ pointer, label: labelOf(pointer), value }, ...membersOf(value, pointer)]
  })
}

/** The changes that make one body the other; none for bodies that are not objects. */
export function changesBetween(before: unknown, after: unknown, parent = ''): RepairChange[] {
  if (!isPlainObject(before) || !isPlainObject(after)) return []
  const isIn = (object: object, name: string) => Object.hasOwn(object, name)
  const added = Object.keys(after).filter((name) => !isIn(before, name))
  return Object.entries(before)
    .flatMap(([name, value]): RepairChange[] => {
      const path = `${parent}/${escapeName(name)}`
      if (isIn(after, name)) {
        const changed = after[name]
        if (writeLossless(value) === writeLossless(changed)) return []
        return isPlainObject(value) && isPlainObject(changed)
          ? changesBetween(value, changed, path)
          : [{ op: 'set', path, value: changed }]
      }
      const to = added.findIndex((one) => writeLossless(after[one]) === writeLossless(value))
      const [renamed] = to === -1 ? [] : added.splice(to, 1)
      return [renamed === undefined ? { op: 'remove', path } : { op: 'rename', path, to: renamed }]
    })
    .concat(
      added.map((name) => ({
        op: 'set',
        path: `${parent}/${escapeName(name)}`,
        value: after[name],
      })),
    )
}

/** The rows in an address; none if it has none, or unreadable ones. */
export function parseRows(text: string | undefined): ChangeRow[] | null {
  if (text === undefined) return null
  try {
    const changes = parseLossless(text)
    return Array.isArray(changes) ? changes.filter(isChange).map(toRow) : null
  } catch {
    return null
  }
}

function isChange(value: unknown): value is RepairChange {
  return isPlainObject(value) && typeof value['path'] === 'string' && isOp(value['op'])
}

export const OPS = {
  set: 'Set',
  default: 'Set if absent',
  rename: 'Rename',
  remove: 'Remove',
  to_number: 'Text to number',
  to_text: 'Number to text',
  trim: 'Trim spaces',
} as const satisfies Record<RepairChange['op'], string>

export function isOp(value: unknown): value is RepairChange['op'] {
  return typeof value === 'string' && Object.hasOwn(OPS, value)
}

type DiffLine = { sign: ' ' | '-' | '+'; text: string }
/** The unchanged lines around a change. */
const CONTEXT = 3

/** The lines in which two bodies differ, with the lines around them. */
export function diffLines(before: unknown, after: unknown): DiffLine[] {
  const [from, to] = [writeLossless(before).split('\n'), writeLossless(after).split('\n')]
  const lines: DiffLine[] = []
  const add = (sign: DiffLine['sign'], texts: string[]) =>
    void lines.push(...texts.map((text) => ({ sign, text })))
  let [at, toAt] = [0, 0]
  for (const [index, toIndex] of [...equalLines(from, to), [from.length, to.length] as const]) {
    add('-', from.slice(at, index))
    add('+', to.slice(toAt, toIndex))
    add(' ', from.slice(index, index + 1))
    at = index + 1
    toAt = toIndex + 1
  }
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ sign }) => sign !== ' ')
  return lines.filter((_, index) => isNear(index))
}

/** How many lines are looked through for the next equal one. */
const REACH = 50

/** The indices of equal lines in both, in order. */
function equalLines(from: readonly string[], to: readonly string[]): [number, number][] {
  const pairs: [number, number][] = []
  let next = 0
  for (const [index, line] of from.entries()) {
    const found = to.slice(next, next + REACH).indexOf(line)
    if (found === -1) continue
    pairs.push([index, next + found])
    next += found + 1
  }
  return pairs
}
