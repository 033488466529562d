import { askHub } from '../platform/ask-hub.ts'
import { loadPlatform } from '../platform/load-platform.ts'
import type { SentColumn, ServedModule } from '../platform/served-module.ts'
import { fieldTypeOf, formatCount, isReadable } from '../records/kind.ts'
import type { PushSettings, Settings } from '../settings/settings.ts'
import { openSource } from '../sources/open-source.ts'
import type { Source } from '../sources/source.ts'

/** Limits the memory for finding duplicate references. */
const MAX_COMPARED = 1_000_000

/**
 * Reads everything that would be served once, and describes it; asks the hub to which changes are pushed.
 * @throws Error if the hub does not accept the key, or cannot be reached.
 */
export async function check(settings: Settings, print: (line: string) => void): Promise<void> {
  const source = await openSource(settings.source)
  const { modules } = await loadPlatform(settings, source, print)
  const { name, title } = settings.platform
  print(`${title} (${name}) serves ${formatCount(modules.length, 'module')} from ${source.title}.`)
  for (const warning of await source.warnings()) print(`Warning: ${warning}`)
  for (const module of modules) await describe(module, source, print)
  print('')
  if (settings.push) await checkPushes(settings.push, modules, print)
  else print('Changes are not pushed.')
}

async function checkPushes(
  push: PushSettings,
  modules: readonly ServedModule[],
  print: (line: string) => void,
): Promise<void> {
  const hub = await askHub(push, new AbortController().signal)
  if (hub.outcome === 'failed') throw new Error(`Changes cannot be pushed. ${hub.reason}`)
  print(`Changes are pushed to ${push.hubUrl}, which accepts the key.`)
  for (const { recordType, updatedAt } of modules) {
    if (updatedAt === null) print(`  ${recordType}: without updated_at, changes are not pushed`)
    else if (!hub.recordTypes.has(recordType)) {
      print(`  Warning: ${recordType} is not registered in the hub, which rejects its pushes`)
    }
  }
}

async function describe(
  module: ServedModule,
  source: Source,
  print: (line: string) => void,
): Promise<void> {
  print('')
  print(`${module.recordType}: ${module.name}`)
  const width = Math.max(...module.fields.map(({ key }) => key.length), 0)
  for (const { key, label = '', type = '', required } of module.fields) {
    print(`  ${key.padEnd(width)}  ${type.padEnd(8)}  ${label}${required ? ' (required)' : ''}`)
  }
  for (const { name, reason } of module.leftOut)
    print(`  left out: ${name || 'a column'}, ${reason}`)
  if (module.search.length > 0) {
    print(`  searched: ${module.search.map((column) => column.name).join(', ')}`)
  }
  const { records, withoutReference, duplicates, unreadable } = await count(module, source)
  print(`  ${formatCount(records, 'record')}`)
  if (withoutReference > 0) {
    print(`  Warning: ${formatCount(withoutReference, 'row')} without a reference left out`)
  }
  if (duplicates > 0) {
    print(
      `  Warning: ${formatCount(duplicates, 'record')} with the reference of another record: the hub keeps the first`,
    )
  }
  for (const line of describeTypes(module.sent, unreadable)) print(`  ${line}`)
}

type Unreadable = { count: number; firstReference: string }

/** Warnings about values that do not match the types of their columns. */
function describeTypes(
  sent: readonly SentColumn[],
  unreadable: ReadonlyMap<SentColumn, Unreadable>,
): string[] {
  return sent.flatMap((column) => {
    const { kind, isDeclared } = column
    const { name } = column.column
    const type = fieldTypeOf(kind)
    const found = unreadable.get(column)
    if (found) {
      const values = formatCount(found.count, 'value')
      return `Warning: ${name}: ${values} not readable as ${type}, sent unchanged; the first is in record ${found.firstReference}`
    }
    return isDeclared && type !== 'string'
      ? `${name}: every value is readable as ${type}; one that is not would be sent unchanged`
      : []
  })
}

async function count({ origin, columns, sent, toRecord }: ServedModule, source: Source) {
  const references = new Set<string>()
  const unreadable = new Map<SentColumn, Unreadable>()
  const counts = { records: 0, withoutReference: 0, duplicates: 0, unreadable }
  const { signal } = new AbortController()
  for await (const row of source.rows({ origin, columns, find: null, signal })) {
    const reference = toRecord(row)?.reference_number
    if (reference === undefined) {
      counts.withoutReference += 1
      continue
    }
    counts.records += 1
    if (references.has(reference)) counts.duplicates += 1
    else if (references.size < MAX_COMPARED) references.add(reference)
    for (const column of sent) {
      if (isReadable(row[column.index] ?? null, column.kind)) continue
      const { count = 0, firstReference = reference } = unreadable.get(column) ?? {}
      unreadable.set(column, { count: count + 1, firstReference })
    }
  }
  return counts
}
