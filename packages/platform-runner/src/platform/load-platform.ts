import { createHash } from 'node:crypto'
import {
  createPlatformHandler,
  type PlatformDefinition,
  type PlatformModule,
  type PlatformRecord,
} from '@recordhub/platform-kit'
import type { Log } from '../log.ts'
import { formatCount } from '../records/format-count.ts'
import type { Settings } from '../settings/settings.ts'
import { type Row, type Source, SourceFault } from '../sources/source.ts'
import { type ColumnCheck, createColumnCheck } from './check-columns.ts'
import { readRegisteredTypes } from './registered-modules.ts'
import { type ServedModule, serveModule } from './served-module.ts'

export type LoadedPlatform = {
  definition: PlatformDefinition
  modules: ServedModule[]
  checkColumns: ColumnCheck
}

/** The settings do not fit the data: a line for each fault. */
export class SettingsFault extends Error {}

const MOST_FOUND = 100

/**
 * @throws SettingsFault with every fault that the data show.
 * @throws SourceAway where they cannot be looked at.
 */
export async function loadPlatform(
  settings: Settings,
  source: Source,
  log: Log,
): Promise<LoadedPlatform> {
  const faults: string[] = []
  const modules: ServedModule[] = []
  for (const module of settings.modules) {
    try {
      modules.push(serveModule(module, await source.describe(module.origin), faults))
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error
      const { kind } = module.origin
      faults.push(`${module.placeOf(kind)}: ${error.message}.`)
    }
  }
  if (faults.length > 0) throw new SettingsFault(faults.join('\n'))
  const { name, title, description, sourceKeys } = settings.platform
  const searched = modules.filter((module) => module.search.length > 0)
  const checkColumns = createColumnCheck(source, log)
  const definition: PlatformDefinition = {
    name,
    title,
    description,
    sourceKey: sourceKeys,
    modules: modules.map((module) => toModule(module, { source, log, checkColumns })),
    ...(searched.length === 0
      ? {}
      : {
          async search(query, { signal }) {
            const registered = settings.push && (await readRegisteredTypes(settings.push, signal))
            const modules = searched.filter(({ recordType }) => registered?.has(recordType) ?? true)
            return search(modules, source, query, signal)
          },
        }),
  }
  refuseFaulty(definition)
  return { definition, modules, checkColumns }
}

/** What could never be served shows here, and not with the first request. */
function refuseFaulty(definition: PlatformDefinition): void {
  try {
    createPlatformHandler(definition)
  } catch (error) {
    throw new SettingsFault(error instanceof Error ? error.message : String(error))
  }
}

function toModule(
  module: ServedModule,
  { source, log, checkColumns }: { source: Source; log: Log; checkColumns: ColumnCheck },
): PlatformModule {
  const { recordType, name, description, fields, origin, columns, updatedAt } = module
  const shape = createHash('sha256').update(module.shape).digest('base64url').slice(0, 12)
  const isVersioned = origin.kind === 'file' || updatedAt !== null
  const served: PlatformModule = {
    name,
    recordType,
    description,
    fields,
    async records({ signal }) {
      if (!isVersioned) await checkColumns(module)
      return toRecords(module, source.rows({ origin, columns, find: null, signal }), log)
    },
  }
  if (!isVersioned) return served
  return {
    ...served,
    async version() {
      await checkColumns(module)
      return `${shape} ${await source.version(origin, updatedAt)}`
    },
  }
}

async function* toRecords(
  module: ServedModule,
  rows: AsyncIterable<Row>,
  log: Log,
): AsyncGenerator<PlatformRecord> {
  let without = 0
  for await (const row of rows) {
    const record = module.toRecord(row)
    if (record) yield record
    else without += 1
  }
  if (without > 0)
    log(`${module.recordType}: ${formatCount(without, 'row')} without a reference left out`)
}

async function* search(
  modules: readonly ServedModule[],
  source: Source,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<PlatformRecord & { record_type: string }> {
  let left = MOST_FOUND
  // PostgreSQL has no such text, and takes none to look for.
  if (text.includes('\0')) return
  for (const { origin, columns, search: among, recordType, toRecord } of modules) {
    const find = { text, columns: among, limit: left }
    for await (const row of source.rows({ origin, columns, find, signal })) {
      const record = toRecord(row)
      if (!record) continue
      yield { record_type: recordType, ...record }
      left -= 1
      if (left === 0) return
    }
  }
}
