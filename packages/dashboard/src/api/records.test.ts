import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { replaceDocument } from '../lib/test-document.ts'
import { hubSearchQuery } from './records.ts'

test('the hub alone is searched, in the platform that is chosen', async (t) => {
  replaceDocument()
  const paths: string[] = []
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    paths.push(path)
    const lines = [{ kind: 'started', platforms: [] }, { kind: 'hub', took_ms: 3 }, { kind: 'end' }]
    return new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })
  const query = hubSearchQuery('lee', { platform: 'school' })
  assert.equal((await new QueryClient().fetchQuery(query))?.took_ms, 3)
  assert.deepEqual(paths, ['/api/v1/search?query=lee&hub_only=true&platform=school'])
})
