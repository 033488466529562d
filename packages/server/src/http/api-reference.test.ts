import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { readReferenceScript } from './openapi.ts'

test('the script is built once, in both forms, even for concurrent requests', async () => {
  const all = await Promise.all([readReferenceScript(), readReferenceScript()])
  const again = await readReferenceScript()
  for (const one of all) assert.equal(one, again)
  assert.ok(gunzipSync(again.gzipped).equals(again.plain))
  assert.match(again.plain.toString('utf8'), /scalar/i)
})
