/** Checks the dependency rules of docs/ARCHITECTURE.md for every source file, unit tests included. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { importsOf, withoutComments } from './runner/imports.ts'

type Source = { path: string; text: string }
/** Maps a file to its imports, which are file paths or package names. */
type Graph = Map<string, string[]>

const PROTOCOL = '@recordhub/protocol'
const CHECKER = '@recordhub/platform-checker'
const FOUNDATION = ['lib', 'errors', PROTOCOL]
const FEATURE = [
  'features/feature-deps',
  'config',
  'http',
  'domain',
  'storage/port',
  'platform-client',
  ...FOUNDATION,
]

/** The areas that each area may import besides itself. All other imports of our own code are forbidden. */
const ALLOWED_IMPORTS: Record<string, readonly string[]> = {
  [PROTOCOL]: [],
  '@recordhub/platform-kit': [PROTOCOL],
  // The platform client and the hub's validation are passed in.
  [CHECKER]: [PROTOCOL],
  '@recordhub/platform-runner': [PROTOCOL, '@recordhub/platform-kit'],
  '@recordhub/dashboard': [PROTOCOL],
  errors: [],
  config: FOUNDATION,
  lib: [PROTOCOL],
  domain: FOUNDATION,
  // The types of the port use the id bitset of lib.
  'storage/port': ['domain', ...FOUNDATION],
  'storage/shared': ['storage/port', 'domain', ...FOUNDATION],
  'storage/sqlite': ['storage/shared', 'storage/port', 'domain', ...FOUNDATION],
  'storage/postgres': ['storage/shared', 'storage/port', 'domain', ...FOUNDATION],
  'storage/open': ['storage/sqlite', 'storage/postgres', 'storage/port', 'domain', ...FOUNDATION],
  'storage/backup': [
    'storage/open',
    'storage/sqlite',
    'storage/postgres',
    'storage/shared',
    'storage/port',
    'domain',
    ...FOUNDATION,
  ],
  'platform-client': ['domain', ...FOUNDATION],
  'features/*': FEATURE,
  'features/pulls': ['features/ingest', ...FEATURE],
  'features/operators': ['features/auth', ...FEATURE],
  'features/reverts': ['features/auth', 'features/ingest', ...FEATURE],
  'features/platforms': [CHECKER, ...FEATURE],
  http: ['domain', ...FOUNDATION],
  app: ['config', 'features/*', 'http', 'platform-client', 'storage/port', ...FOUNDATION],
  // The composition root of a receiver without storage, for the conformance check.
  'test-receiver': [
    CHECKER,
    'config',
    'domain',
    'features/*',
    'http',
    'storage/port',
    ...FOUNDATION,
  ],
  // The demo platforms use the kit, like any other platform.
  cli: [
    'app',
    'test-receiver',
    'config',
    'features/*',
    'storage/open',
    'storage/backup',
    'storage/port',
    'platform-client',
    CHECKER,
    '@recordhub/platform-kit',
    ...FOUNDATION,
  ],
  main: ['cli', 'config', 'app', ...FOUNDATION],
  // The package as a library.
  index: ['cli', 'config'],
}

/** The folder that test files of every package may also import. */
const TEST_HELPERS = 'packages/server/test/helpers/'

const MAX_LINES = 400
/** Files that may be longer, and the reason. */
const LONG_FILES: Record<string, string> = {
  'packages/server/src/config/settings.ts': 'the table of all settings',
  'packages/server/src/errors.ts': 'the catalogue of error codes is one table',
  'packages/server/src/lib/json/json-array-scanner.test.ts':
    'the properties of one state machine, which share their generators',
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const SOURCES: Source[] = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: ROOT })
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }))

test('every import follows a dependency rule', () => {
  assert.ok(SOURCES.length > 80, 'the sources were found')
  assert.deepEqual(findForbiddenImports(graphOf(SOURCES)), [])
})

test('every relative import resolves to a file of its package', () => {
  assert.deepEqual(findUnresolved(SOURCES), [])
})

test('no imports are circular, including type imports', () => {
  assert.equal(findCycle(graphOf(SOURCES)), null)
})

test('only main.ts and cli/ end the process, and only config/ reads the environment', () => {
  assert.deepEqual(findProcessUse(SOURCES), [])
})

test('no file exceeds the maximum length', () => {
  const isLong = ({ text }: Source) => text.trimEnd().split('\n').length > MAX_LINES
  const long = SOURCES.filter(isLong).map(({ path }) => path)
  assert.deepEqual(long, Object.keys(LONG_FILES).toSorted())
})

test('the checks detect violations', () => {
  const source = (path: string, text: string) => ({ path: `packages/server/src/${path}`, text })
  const sources = [
    source(
      'domain/a.ts',
      "import type { B } from './b.ts'\nimport x, {\n  y,\n} from '../http/c.ts'",
    ),
    source('domain/b.ts', "export * from './d.ts'\nimport 'node:fs'"),
    source('domain/d.ts', "const a = await import('./a.ts')\n// import '../app.ts'"),
    source('http/c.ts', "export type T = import('../features/pulls/e.ts').E"),
    source('features/pulls/e.ts', "import '../search/f.ts'; import '../ingest/g.ts'"),
    source('features/search/f.ts', 'process.exit(1)'),
    source('features/ingest/g.ts', "import { env } from 'node:process'\nimport '../search/f.ts'"),
    source('storage/sqlite/h.ts', "export { i } from '../postgres/i.ts'"),
    source('storage/postgres/i.ts', "import { protocol } from '@recordhub/protocol'"),
    source('errors.ts', `import '@recordhub/protocol'\nlet a = process . env['A']`),
    source('cli/j.ts', "process.exit(); import '../nowhere/k.ts'; import(name)"),
    source('lib/l.ts', "import '../../test/helpers/time/until.ts'"),
    source('lib/l.test.ts', "import '../../test/helpers/time/until.ts'"),
    source('nowhere/k.ts', "import '../missing.ts'\nimport '../../../protocol/src/index.ts'"),
  ]
  const graph = graphOf(sources)
  assert.deepEqual(findForbiddenImports(graph), [
    'domain/a.ts → http/c.ts',
    'http/c.ts → features/pulls/e.ts',
    'features/pulls/e.ts → features/search/f.ts',
    'features/ingest/g.ts → features/search/f.ts',
    'storage/sqlite/h.ts → storage/postgres/i.ts',
    'errors.ts → @recordhub/protocol',
    'cli/j.ts → nowhere/k.ts',
    'lib/l.ts → packages/server/test/helpers/time/until.ts',
    'nowhere/k.ts is in no area',
  ])
  assert.deepEqual(findCycle(graph)?.map(shorten), [
    'domain/a.ts',
    'domain/b.ts',
    'domain/d.ts',
    'domain/a.ts',
  ])
  assert.deepEqual(findUnresolved(sources), [
    'cli/j.ts: an import() of a computed path',
    'lib/l.ts: ../../test/helpers/time/until.ts leaves the package',
    'nowhere/k.ts: ../missing.ts does not exist',
    'nowhere/k.ts: ../../../protocol/src/index.ts leaves the package',
  ])
  assert.deepEqual(findProcessUse(sources), [
    'features/search/f.ts ends the process',
    'features/ingest/g.ts imports node:process',
    'errors.ts reads the environment',
  ])
})

function findForbiddenImports(graph: Graph): string[] {
  const violations: string[] = []
  for (const [path, targets] of graph) {
    const area = areaOf(path)
    const allowed =
      ALLOWED_IMPORTS[area] ?? ALLOWED_IMPORTS[area.replace(/^features\/.+/, 'features/*')]
    if (!allowed) violations.push(`${shorten(path)} is in no area`)
    for (const target of targets) {
      const to = areaOf(target)
      const isAllowed = allowed?.includes(to) || allowed?.includes(to.replace(/\/.+/, '/*'))
      if (allowed && to !== area && !isAllowed) {
        violations.push(`${shorten(path)} → ${shorten(target)}`)
      }
    }
  }
  return violations
}

/** The area of a file: its folder in the server, or its package. */
function areaOf(path: string): string {
  const [, name, rest = ''] = /^packages\/([^/]+)\/src\/(.+)$/.exec(path) ?? []
  // A package, or one of its exports: `@recordhub/protocol/constants`.
  if (name === undefined) return path.split('/').slice(0, 2).join('/')
  if (name !== 'server') return `@recordhub/${name}`
  const [first = '', second = ''] = rest.replace(/(\.test)?\.tsx?$/, '').split('/')
  return first === 'features' || first === 'storage' ? `${first}/${second}` : first
}

function graphOf(sources: Source[]): Graph {
  return new Map(
    sources.map((source) => [
      source.path,
      importsOf(source.text)
        .map((name) => (name.startsWith('.') ? resolveFrom(source.path, name) : name))
        .filter((name) => name.startsWith('packages/') || name.startsWith('@recordhub/'))
        .filter((target) => !isTestHelper(source.path, target)),
    ]),
  )
}

function isTestHelper(path: string, target: string): boolean {
  return /\.test\.tsx?$/.test(path) && target.startsWith(TEST_HELPERS)
}

function resolveFrom(path: string, name: string): string {
  return posix.join(posix.dirname(path), name)
}

/** Imports that the graph does not contain. */
function findUnresolved(sources: Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path))
  return sources.flatMap(({ path, text }) => {
    const root = path.split('/').slice(0, 3).join('/')
    // Stylesheets have no imports.
    const relative = importsOf(text).filter((name) => /^\.(?!.*\.css$)/.test(name))
    const violations = relative.flatMap((name) => {
      const target = resolveFrom(path, name)
      if (isTestHelper(path, target)) return []
      if (!target.startsWith(`${root}/`)) return [`${name} leaves the package`]
      return paths.has(target) ? [] : [`${name} does not exist`]
    })
    if (/\bimport\s*\(\s*[^'"\s]|\brequire\s*\(/.test(withoutComments(text))) {
      violations.push('an import() of a computed path')
    }
    return violations.map((violation) => `${shorten(path)}: ${violation}`)
  })
}

/** A circular chain of imports, with its first file repeated at the end. */
function findCycle(graph: Graph): string[] | null {
  const done = new Set<string>()
  function visit(path: string, trail: string[]): string[] | null {
    const start = trail.indexOf(path)
    if (start >= 0) return [...trail.slice(start), path]
    if (done.has(path)) return null
    for (const target of graph.get(path) ?? []) {
      const cycle = visit(target, [...trail, path])
      if (cycle) return cycle
    }
    done.add(path)
    return null
  }
  for (const path of graph.keys()) {
    const cycle = visit(path, [])
    if (cycle) return cycle
  }
  return null
}

function findProcessUse(sources: Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const area = areaOf(path)
    if (!path.startsWith('packages/server/')) return []
    const code = withoutComments(text)
    const violations: string[] = []
    if (
      /\bprocess\s*\.\s*(exit|abort|kill|reallyExit)\b(?!Code)/.test(code) &&
      area !== 'main' &&
      area !== 'cli'
    ) {
      violations.push('ends the process')
    }
    if (/\bprocess\s*\.\s*env\b/.test(code) && area !== 'config')
      violations.push('reads the environment')
    if (importsOf(text).some((name) => /^(node:)?process$/.test(name))) {
      violations.push('imports node:process')
    }
    return violations.map((violation) => `${shorten(path)} ${violation}`)
  })
}

function shorten(path: string): string {
  return path.replace('packages/server/src/', '')
}
