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

test('only the query modules in api/ write the key of a query', () => {
  assert.deepEqual(findKeysOutsideApi(SOURCES), [])
})

test('no two query modules share the first element of a key', () => {
  const owners = ownersOfKeys(SOURCES)
  assert.ok(owners.size > 15, 'the query modules were found')
  assert.deepEqual(
    [...owners].filter(([, paths]) => paths.length > 1),
    [],
  )
})

test('the checks find what they look for', () => {
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

/** The first element of each key, and the modules that write it. */
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
