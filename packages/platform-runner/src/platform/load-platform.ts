import { createHash } from 'node:crypto'
import {
  createPlatformHandler,
  type PlatformDefinition,
  type PlatformModule,
  type PlatformRecord,
} from '@recordhub/platform-kit'
import type { Log } from '../log.ts'
import { formatCount } from '../records/kind.ts'
import type { Settings } from '../settings/settings.ts'
import { type Row, type Source, SourceMisconfigured } from '../sources/source.ts'
import { askHub } from './ask-hub.ts'
import { type ColumnCheck, createColumnCheck } from './check-columns.ts'
import { type ServedModule, serveModule } from './served-module.ts'

export type LoadedPlatform = {
  definition: PlatformDefinition
  modules: ServedModule[]
  checkColumns: ColumnCheck
}

/** The settings are invalid: one line per issue. */
export class InvalidSettings extends Error {}

const MAX_FOUND = 100

/**
 * @throws InvalidSettings with every issue that the data show.
 * @throws SourceUnavailable if the source cannot be read.
 */
export async function loadPlatform(
  settings: Settings,
  source: Source,
  log: Log,
): Promise<LoadedPlatform> {
  const issues: string[] = []
  const modules: ServedModule[] = []
  for (const module of settings.modules) {
    try {
      modules.push(serveModule(module, await source.describe(module.origin), issues))
    } catch (error) {
      if (!(error instanceof SourceMisconfigured)) throw error
      const { kind } = module.origin
      issues.push(`${module.positionOf(kind)}: ${error.message}.`)
    }
  }
  if (issues.length > 0) throw new InvalidSettings(issues.join('\n'))
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
            const hub = settings.push && (await askHub(settings.push, signal))
            const isRegistered = ({ recordType }: ServedModule) =>
              hub?.outcome !== 'accepted' || hub.recordTypes.has(recordType)
            const modules = searched.filter(isRegistered)
            return search(modules, source, query, signal)
          },
        }),
  }
  validateDefinition(definition)
  return { definition, modules, checkColumns }
}

/** Reports an invalid definition at the start, and not with the first request. */
function validateDefinition(definition: PlatformDefinition): void {
  try {
    createPlatformHandler(definition)
  } catch (error) {
    throw new InvalidSettings(error instanceof Error ? error.message : String(error))
  }
}

function toModule(
  module: ServedModule,
  { source, log, checkColumns }: { source: Source; log: Log; checkColumns: ColumnCheck },
): PlatformModule {
  const { recordType, name, description, fields, origin, columns, updatedAt, key } = module
  const shape = createHash('sha256').update(module.shape).digest('base64url').slice(0, 12)
  const { digest } = module
  const isVersioned = origin.kind === 'file' || updatedAt !== null
  const readDigest: PlatformModule['digest'] = async (request) => {
    await checkColumns(module)
    return (digest && (await source.digest?.read({ origin, columns: digest, ...request }))) ?? null
  }
  const recordsByPrefix: PlatformModule['recordsByPrefix'] = (prefixes, { signal }) => {
    const selected = { reference: digest?.reference ?? [], prefixes }
    return toRecords(module, source.rows({ origin, columns, find: null, selected, signal }), log)
  }
  const served: PlatformModule = {
    name,
    recordType,
    description,
    fields,
    async records({ signal }) {
      if (!isVersioned) await checkColumns(module)
      return toRecords(module, source.rows({ origin, columns, find: null, signal }), log)
    },
    ...(digest && source.digest?.supports(digest) ? { digest: readDigest, recordsByPrefix } : {}),
  }
  if (!isVersioned) return served
  return {
    ...served,
    async version() {
      await checkColumns(module)
      return `${shape} ${await source.version(origin, updatedAt && { updatedAt, key })}`
    },
  }
}

async function* toRecords(
  module: ServedModule,
  rows: AsyncIterable<Row>,
  log: Log,
): AsyncGenerator<PlatformRecord> {
  let withoutReference = 0
  for await (const row of rows) {
    const record = module.toRecord(row)
    if (record) yield { ...record, version: module.toVersion(row, record) }
    else withoutReference += 1
  }
  if (withoutReference > 0) {
    const rows = formatCount(withoutReference, 'row')
    log(`${module.recordType}: ${rows} without a reference left out`)
  }
}

async function* search(
  modules: readonly ServedModule[],
  source: Source,
  text: string,
  signal: AbortSignal,
): AsyncGenerator<PlatformRecord & { record_type: string }> {
  let left = MAX_FOUND
  // PostgreSQL does not support such texts.
  if (text.includes('\0')) return
  for (const { origin, columns, search: searched, recordType, toRecord } of modules) {
    const find = { text, columns: searched, limit: left }
    for await (const row of source.rows({ origin, columns, find, signal })) {
      const record = toRecord(row)
      if (!record) continue
      yield { record_type: recordType, ...record }
      left -= 1
      if (left === 0) return
    }
  }
}
