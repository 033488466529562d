import { loadPlatform } from '../platform/load-platform.ts'
import type { ServedModule } from '../platform/served-module.ts'
import type { Settings } from '../settings/settings.ts'
import { openSource } from '../sources/open-source.ts'
import type { Source } from '../sources/source.ts'

/** References of more records would need much memory. */
const MOST_COMPARED = 1_000_000

/** Reads everything that would be served, once, and says what it is. */
export async function check(settings: Settings, print: (line: string) => void): Promise<void> {
  const source = await openSource(settings.source)
  const { modules } = await loadPlatform(settings, source, print)
  const { name, title } = settings.platform
  print(`${title} (${name}) serves ${modules.length} modules of ${source.title}.`)
  for (const warning of await source.warnings()) print(`Warning: ${warning}`)
  for (const module of modules) await describe(module, source, print)
  print('')
  print(
    settings.push ? `Changes are pushed to ${settings.push.hubUrl}.` : 'Changes are not pushed.',
  )
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
  const { records, without, repeated } = await count(module, source)
  print(`  ${records} records`)
  if (without > 0) print(`  Warning: ${without} rows have no reference and are left out`)
  if (repeated > 0) {
    print(
      `  Warning: ${repeated} records bear a reference that another one bears: the hub keeps the first`,
    )
  }
}

async function count({ origin, columns, toRecord }: ServedModule, source: Source) {
  const references = new Set<string>()
  const counts = { records: 0, without: 0, repeated: 0 }
  const { signal } = new AbortController()
  for await (const row of source.rows({ origin, columns, find: null, signal })) {
    const reference = toRecord(row)?.reference_number
    if (reference === undefined) counts.without += 1
    else {
      counts.records += 1
      if (references.has(reference)) counts.repeated += 1
      else if (references.size < MOST_COMPARED) references.add(reference)
    }
  }
  return counts
}
