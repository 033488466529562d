import assert from 'node:assert/strict'
import { test } from 'node:test'
import { QueryClient } from '@tanstack/react-query'
import { replaceDocument } from '../lib/test-document.ts'
import { bestRecordsQuery } from './records.ts'

test('the best records are the first ones of the ranked search of the hub alone', async (t) => {
  replaceDocument()
  const paths: string[] = []
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    paths.push(path)
    const records = ['Lee', 'Leeann', 'Ann Lee'].map((full_name) => ({ full_name }))
    const lines = [{ kind: 'started', platforms: [] }, { kind: 'hub', records }, { kind: 'end' }]
    return new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  })
  const found = await new QueryClient().fetchQuery(bestRecordsQuery('lee', 2))
  assert.deepEqual(
    found.map(({ full_name }) => full_name),
    ['Lee', 'Leeann'],
  )
  assert.deepEqual(paths, ['/api/v1/search?query=lee&hub_only=true'])
})
