import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import { decodeText } from '@recordhub/protocol/text'
import { InvalidSettings } from '../platform/load-platform.ts'
import { formatCount } from '../records/kind.ts'
import { parseSource } from '../settings/read-settings.ts'
import type { Settings, SourceSettings } from '../settings/settings.ts'
import { openSource } from '../sources/open-source.ts'
import { type Source, SourceMisconfigured } from '../sources/source.ts'
import { UsageError } from './arguments.ts'
import { type InferredModule, inferModule, withUniqueRecordTypes } from './infer-module.ts'
import { findNewModules, mergeModules } from './merge-modules.ts'
import { openSettings, readEnvironment } from './open-settings.ts'
import { scalar, writeStarter } from './write-starter.ts'

type InitTarget = {
  path: string
  source: SourceSettings
  /** The address of the source as given; null if the file exists and contains it. */
  address: string | null
  /** The settings in the file; null if it does not exist. */
  existing: Settings | null
}

/**
 * @throws UsageError without a source.
 * @throws InvalidSettings if the file exists and is invalid, or has another source.
 */
export function findTarget({ config, from }: { config: string; from: string | null }): InitTarget {
  const path = resolve(config)
  const named = from === null ? null : parseAddress(from, process.cwd())
  if (existsSync(path)) {
    const existing = openSettings(config)
    const { source } = existing
    if (named && !isDeepStrictEqual(named, source)) {
      throw new InvalidSettings(
        `${path} has another source than --from; use --config to write another file.`,
      )
    }
    return { path, source, address: null, existing }
  }
  const address = from ?? readEnvironment(dirname(path))['DATABASE_URL'] ?? ''
  if (address === '') {
    throw new UsageError('The source is missing: --from <address of a database, or folder>.')
  }
  return { path, source: named ?? parseAddress(address, process.cwd()), address, existing: null }
}

/** Writes a first file, or adds the missing modules to an existing one without changing other lines. */
export async function init(target: InitTarget, print: (line: string) => void): Promise<void> {
  const source = await openSource(target.source)
  const inferred = await inferModules(source, print)
  if (inferred.length === 0) throw new Error(`There are no tables or files in ${source.title}.`)
  const added = target.existing
    ? addModules(target.path, target.existing, inferred)
    : writeFirst(target, withUniqueRecordTypes(inferred))
  if (added.length === 0) {
    print(`${target.path} contains every module of ${source.title}. Nothing was changed.`)
    return
  }
  const ready = added.filter((module) => module.reference !== null)
  const withoutReference = added.length - ready.length
  const more =
    withoutReference === 0 ? '' : `, and ${withoutReference} without a reference as comments`
  const modules = formatCount(ready.length, target.existing ? 'new module' : 'module')
  print(`${target.path} contains ${modules} of ${source.title}${more}.`)
  for (const { origin } of ready) {
    if (origin.kind !== 'file' || origin.encoding === null) continue
    print(`${origin.file} is not in UTF-8; its encoding is probably ${origin.encoding}.`)
  }
  if (!target.existing) {
    print(
      `${join(dirname(target.path), '.env')} contains the key that the hub must send (SOURCE_API_KEY).`,
    )
  }
  print(`Review ${target.path}, then run: recordhub-platform check`)
}

function writeFirst(
  { path, source, address }: InitTarget,
  inferred: InferredModule[],
): InferredModule[] {
  const folder = dirname(path)
  const isSecret = 'url' in source
  const named = isSecret ? `\${DATABASE_URL}` : scalar(sourceFor(source, folder))
  writeFileSync(path, writeStarter(named, source.kind, inferred), { mode: 0o600, flag: 'wx' })
  addToEnvironment(join(folder, '.env'), {
    SOURCE_API_KEY: randomBytes(24).toString('base64url'),
    ...(isSecret ? { DATABASE_URL: (address ?? '').replaceAll("'", '%27') } : {}),
  })
  return inferred
}

function addModules(
  path: string,
  { modules, source }: Settings,
  inferred: InferredModule[],
): InferredModule[] {
  const text = decodeText(readFileSync(path))
  const origins = modules.map(({ origin }) => origin)
  const taken = modules.map(({ recordType }) => recordType)
  const added = withUniqueRecordTypes(findNewModules(text, origins, inferred), taken)
  if (added.length === 0) return added
  const merged = mergeModules(text, added, source.kind === 'folder')
  if (merged === null) {
    const names = added.map(({ recordType }) => recordType).join(', ')
    throw new InvalidSettings(
      `${path} does not list its modules in lines that start with "-", so init cannot add: ${names}.`,
    )
  }
  writeFileSync(path, merged)
  return added
}

/** Infers a module for each table or file; those that cannot be read are reported and left out. */
async function inferModules(
  source: Source,
  print: (line: string) => void,
): Promise<InferredModule[]> {
  const inferred: InferredModule[] = []
  for (const candidate of await source.candidates()) {
    try {
      inferred.push(inferModule(candidate, await source.describe(candidate.origin)))
    } catch (error) {
      if (!(error instanceof SourceMisconfigured)) throw error
      print(`${candidate.name} is left out: ${error.message}.`)
    }
  }
  return inferred
}

function parseAddress(address: string, folder: string): SourceSettings {
  const source = parseSource(address, folder)
  if (source) return source
  const path = resolve(folder, address)
  if (existsSync(path) && statSync(path).isDirectory()) return { kind: 'folder', path }
  if (existsSync(path) && /\.(?:db|sqlite3?)$/.test(path)) return { kind: 'sqlite', path }
  throw new UsageError(
    `--from is neither an existing folder nor an address that starts with postgres://, mysql://, mariadb:// or sqlite:`,
  )
}

/** Paths in the settings are relative to the folder of the settings. */
function sourceFor(settings: SourceSettings, folder: string): string {
  if ('url' in settings) return settings.url
  const path = relative(folder, settings.path) || '.'
  return settings.kind === 'sqlite' ? `sqlite:${path}` : path
}

/** Adds variables; existing ones are not changed. */
function addToEnvironment(path: string, variables: Record<string, string>): void {
  const text = existsSync(path) ? decodeText(readFileSync(path)) : ''
  const known = parseEnv(text)
  const lines = Object.entries(variables)
    .filter(([name]) => known[name] === undefined)
    // Docker and others read quotes as a part of the value.
    .map(([name, value]) => `${name}=${/^[\w.~:/?&@%+=-]*$/.test(value) ? value : `'${value}'`}\n`)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  if (lines.length > 0) appendFileSync(path, gap + lines.join(''), { mode: 0o600 })
}
