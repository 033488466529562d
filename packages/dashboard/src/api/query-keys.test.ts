import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

type Source = { path: string; text: string }

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const SOURCES: Source[] = globSync('**/*.{ts,tsx}', { cwd: ROOT, exclude: ['**/*.test.ts'] })
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted()
  .map((path) => ({ path, text: readFileSync(`${ROOT}${path}`, 'utf8') }))

test('only the query modules in api/ define query keys', () => {
  assert.deepEqual(findKeysOutsideApi(SOURCES), [])
})

test('no two query modules share the first element of a query key', () => {
  const owners = ownersOfKeys(SOURCES)
  assert.ok(owners.size > 0, 'keys were found')
  assert.deepEqual(
    [...owners].filter(([, paths]) => paths.length > 1),
    [],
  )
})

test('the checks detect violations', () => {
  const sources = [
    { path: 'api/platforms.ts', text: "useQuery({ queryKey: ['platforms', id] })" },
    { path: 'api/pulls.ts', text: "const PULLS = { queryKey: [\n  'platforms'] }" },
    { path: 'pages/guide.tsx', text: 'useQuery({ queryKey: KEY }); read({ queryKey })' },
    { path: 'pages/list.tsx', text: 'client.setQueryData(listQuery().queryKey, list)' },
  ]
  assert.deepEqual(findKeysOutsideApi(sources), ['pages/guide.tsx'])
  assert.deepEqual(
    [...ownersOfKeys(sources)],
    [['platforms', ['api/platforms.ts', 'api/pulls.ts']]],
  )
})

function findKeysOutsideApi(sources: Source[]): string[] {
  return sources
    .filter(
      ({ path, text }) =>
        !path.startsWith('api/') && /(?<!\.)\bqueryKey\b|QueryData\(\s*\[/.test(text),
    )
    .map(({ path }) => path)
}

/** Maps the first element of each key to the modules that define it. */
function ownersOfKeys(sources: Source[]): Map<string, string[]> {
  const owners = new Map<string, string[]>()
  for (const { path, text } of sources) {
    const roots = new Set(
      [...text.matchAll(/queryKey: \[\s*'([^']+)'/g)].map(([, root = '']) => root),
    )
    for (const root of roots) owners.set(root, [...(owners.get(root) ?? []), path])
  }
  return owners
}
