import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { isDeepStrictEqual, parseEnv } from 'node:util'
import { SettingsFault } from '../platform/load-platform.ts'
import { formatCount } from '../records/format-count.ts'
import { readEnvironment } from '../settings/environment.ts'
import { parseSource } from '../settings/read-settings.ts'
import type { Settings, SourceSettings } from '../settings/settings.ts'
import { openSource } from '../sources/open-source.ts'
import { type Source, SourceFault } from '../sources/source.ts'
import { UsageFault } from './arguments.ts'
import { type Guess, guessModule, withOwnTypes } from './guess-module.ts'
import { findNewModules, mergeModules } from './merge-modules.ts'
import { openSettings } from './open-settings.ts'
import { scalar, writeStarter } from './write-starter.ts'

export type InitTarget = {
  /** The file that is written. */
  path: string
  source: SourceSettings
  /** As the source was named; null where the file exists and names it. */
  address: string | null
  /** What the file says; null where it does not exist yet. */
  existing: Settings | null
}

/**
 * @throws UsageFault where no source is named.
 * @throws SettingsFault where the file exists and is faulty, or reads from another source.
 */
export function findTarget({ config, from }: { config: string; from: string | null }): InitTarget {
  const path = resolve(config)
  const named = from === null ? null : parseAddress(from, process.cwd())
  if (existsSync(path)) {
    const existing = openSettings(config)
    const { source } = existing
    if (named && !isDeepStrictEqual(named, source)) {
      throw new SettingsFault(
        `${path} reads from another source than --from; write another file with --config.`,
      )
    }
    return { path, source, address: null, existing }
  }
  const address = from ?? readEnvironment(dirname(path))['DATABASE_URL'] ?? ''
  if (address === '') {
    throw new UsageFault('Say where the records are: --from <address of a database, or folder>.')
  }
  return { path, source: named ?? parseAddress(address, process.cwd()), address, existing: null }
}

/** Writes a first file, or adds the modules that an existing one does not have. It changes no other line. */
export async function init(target: InitTarget, print: (line: string) => void): Promise<void> {
  const source = await openSource(target.source)
  const guesses = await guessModules(source, print)
  if (guesses.length === 0) throw new Error(`There are no tables or files in ${source.title}.`)
  const added = target.existing
    ? addModules(target.path, target.existing, guesses)
    : writeFirst(target, withOwnTypes(guesses))
  if (added.length === 0) {
    print(`${target.path} has every module of ${source.title} already. Nothing was changed.`)
    return
  }
  const ready = added.filter((guess) => guess.reference !== null)
  const lacking = added.length - ready.length
  const more = lacking === 0 ? '' : `, and ${lacking} without a reference as a comment`
  const modules = formatCount(ready.length, target.existing ? 'new module' : 'module')
  print(`${target.path} has ${modules} of ${source.title}${more}.`)
  for (const { origin } of ready) {
    if (origin.kind !== 'file' || origin.encoding === null) continue
    print(`${origin.file} is not in UTF-8; its encoding is probably ${origin.encoding}.`)
  }
  if (!target.existing) {
    print(`${join(dirname(target.path), '.env')} has the key that the hub must send (SOURCE_KEY).`)
  }
  print(`Review ${target.path}, then run: recordhub-platform check`)
}

function writeFirst({ path, source, address }: InitTarget, guesses: Guess[]): Guess[] {
  const folder = dirname(path)
  const isSecret = 'url' in source
  const named = isSecret ? `\${DATABASE_URL}` : scalar(placeFor(source, folder))
  writeFileSync(path, writeStarter(named, source.kind, guesses), { mode: 0o600, flag: 'wx' })
  addToEnvironment(join(folder, '.env'), {
    SOURCE_KEY: randomBytes(24).toString('base64url'),
    ...(isSecret ? { DATABASE_URL: (address ?? '').replaceAll("'", '%27') } : {}),
  })
  return guesses
}

/** @returns what was added. */
function addModules(path: string, { modules, source }: Settings, guesses: Guess[]): Guess[] {
  const text = readFileSync(path, 'utf8')
  const origins = modules.map(({ origin }) => origin)
  const taken = modules.map(({ recordType }) => recordType)
  const added = withOwnTypes(findNewModules(text, origins, guesses), taken)
  if (added.length === 0) return added
  const merged = mergeModules(text, added, source.kind === 'folder')
  if (merged === null) {
    const names = added.map(({ recordType }) => recordType).join(', ')
    throw new SettingsFault(
      `${path} does not list its modules in lines that begin with "-", so init cannot add: ${names}.`,
    )
  }
  writeFileSync(path, merged)
  return added
}

/** Of everything that can be read: a view that is broken, or a file of something else, is told and left out. */
async function guessModules(source: Source, print: (line: string) => void): Promise<Guess[]> {
  const guesses: Guess[] = []
  for (const candidate of await source.candidates()) {
    try {
      guesses.push(guessModule(candidate, await source.describe(candidate.origin)))
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error
      print(`${candidate.name} is left out: ${error.message}.`)
    }
  }
  return guesses
}

function parseAddress(address: string, folder: string): SourceSettings {
  const source = parseSource(address, folder)
  if (source) return source
  const path = resolve(folder, address)
  if (existsSync(path) && statSync(path).isDirectory()) return { kind: 'folder', path }
  if (existsSync(path) && /\.(?:db|sqlite3?)$/.test(path)) return { kind: 'sqlite', path }
  throw new UsageFault(
    `--from is neither a folder that is there nor an address that begins with postgres://, mysql://, mariadb:// or sqlite:`,
  )
}

/** Paths in the settings begin at their own folder. */
function placeFor(settings: SourceSettings, folder: string): string {
  if ('url' in settings) return settings.url
  const path = relative(folder, settings.path) || '.'
  return settings.kind === 'sqlite' ? `sqlite:${path}` : path
}

/** What is named there already stays as it is. */
function addToEnvironment(path: string, variables: Record<string, string>): void {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const known = parseEnv(text)
  const lines = Object.entries(variables)
    .filter(([name]) => known[name] === undefined)
    .map(([name, value]) => `${name}='${value}'\n`)
  const gap = text === '' || text.endsWith('\n') ? '' : '\n'
  if (lines.length > 0) appendFileSync(path, gap + lines.join(''), { mode: 0o600 })
}
