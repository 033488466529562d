/** Selects the test files that import changed files, directly or not. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join, posix } from 'node:path'
import { importsOf, locatedFilesOf } from './imports.ts'

/**
 * The paths of changed files, relative to the root of the repository.
 * @param range commits such as `main..HEAD`; null for what has changed since the last commit, new files included.
 */
export function findChanges(root: string, range: string | null): string[] {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean)
  const changed = git('diff', '--name-only', '--no-renames', '-z', range ?? 'HEAD', '--')
  const added = range === null ? git('ls-files', '--others', '--exclude-standard', '-z') : []
  return [...changed, ...added]
}

/**
 * @param tests the paths of all test files.
 * @returns the test files that have changed or depend on a changed file, and the changed files on which none depends.
 */
export function selectChanged(
  root: string,
  tests: readonly string[],
  changed: readonly string[],
): { tests: string[]; unknown: string[] } {
  const dependencies = createDependencies(root)
  const known = new Set<string>()
  const selected = tests.filter((test) => {
    const found = dependencies(test)
    const reasons = changed.filter((path) => found.has(path) || found.has(folderOf(path)))
    for (const path of reasons) known.add(path)
    return reasons.length > 0
  })
  return { tests: selected, unknown: changed.filter((path) => !known.has(path)) }
}

/** Returns a function that finds a file and everything that it imports or locates: files, and folders with a `/`. */
function createDependencies(root: string): (file: string) => ReadonlySet<string> {
  const targetsOf = new Map<string, string[]>()
  const read = (file: string): string[] => {
    const known = targetsOf.get(file)
    if (known) return known
    const targets = /\.(?:ts|tsx|mjs|js)$/.test(file) ? readTargets(root, file) : []
    targetsOf.set(file, targets)
    return targets
  }
  return (file) => {
    const found = new Set([file])
    // A set visits what is added during the loop.
    for (const one of found) for (const target of read(one)) found.add(target)
    return found
  }
}

function readTargets(root: string, file: string): string[] {
  const path = join(root, file)
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  return [...importsOf(text), ...locatedFilesOf(text)].flatMap((name) => {
    const target = name.startsWith('.')
      ? posix.join(posix.dirname(file), name)
      : resolvePackage(root, name)
    if (target === null || !existsSync(join(root, target))) return []
    if (!statSync(join(root, target)).isDirectory()) return [target]
    // The root and the folder of all packages are located to find other files, not to read all of them.
    const depth = target.replace(/\/$/, '').split('/').length
    return depth < 3 ? [] : [`${target.replace(/\/$/, '')}/`]
  })
}

/** The source of `@recordhub/<package>/<path>`; null for other packages. The pages of the dashboard are built from its folder `src`. */
function resolvePackage(root: string, name: string): string | null {
  const [, folder = '', path = ''] = /^@recordhub\/([^/]+)(?:\/(.+))?$/.exec(name) ?? []
  if (folder === '') return null
  if (folder === 'dashboard') return 'packages/dashboard/src'
  const source = `packages/${folder}/src/${path === '' ? 'index' : path}.ts`
  return existsSync(join(root, source)) ? source : null
}

/** The folder two levels below a package, such as `packages/dashboard/src/`. */
function folderOf(path: string): string {
  return `${path.split('/').slice(0, 3).join('/')}/`
}
