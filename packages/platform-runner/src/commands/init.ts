import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { SettingsFault } from '../platform/load-platform.ts'
import { readEnvironment } from '../settings/environment.ts'
import { parseSource } from '../settings/read-settings.ts'
import type { SourceSettings } from '../settings/settings.ts'
import { openSource } from '../sources/open-source.ts'
import { type Source, SourceFault } from '../sources/source.ts'
import { UsageFault } from './arguments.ts'
import { type Guess, guessModule, withOwnTypes } from './guess-module.ts'
import { scalar, writeStarter } from './write-starter.ts'

/** Never overwrites anything: a file that is there is somebody's work. */
export async function init(
  { config, from }: { config: string; from: string | null },
  print: (line: string) => void,
): Promise<void> {
  const path = resolve(config)
  const folder = dirname(path)
  if (existsSync(path))
    throw new SettingsFault(`${path} is there already; remove it, or name another with --config.`)
  const address = from ?? readEnvironment(folder)['DATABASE_URL'] ?? ''
  if (address === '') {
    throw new UsageFault('Say where the records are: --from <address of a database, or folder>.')
  }
  const settings = parseAddress(address, process.cwd())
  const source = await openSource(settings)
  const guesses = withOwnTypes(await guessModules(source, print))
  if (guesses.length === 0) throw new Error(`There are no tables or files in ${source.title}.`)
  const isSecret = 'url' in settings
  const named = isSecret ? `\${DATABASE_URL}` : scalar(placeFor(settings, folder))
  writeFileSync(path, writeStarter(named, settings.kind, guesses), { mode: 0o600, flag: 'wx' })
  addToEnvironment(join(folder, '.env'), {
    SOURCE_KEY: randomBytes(24).toString('base64url'),
    ...(isSecret ? { DATABASE_URL: address.replaceAll("'", '%27') } : {}),
  })
  const ready = guesses.filter((guess) => guess.reference !== null).length
  print(
    `${path} holds ${ready} modules of ${source.title}${ready < guesses.length ? `, and ${guesses.length - ready} that lack a reference` : ''}.`,
  )
  print(`${join(folder, '.env')} holds the key that the hub will ask for (SOURCE_KEY).`)
  print('Go through the first file, then: recordhub-platform check')
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
