import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { readReferenceScript } from './reference-script.ts'

test('the script is made once, in both forms, however many ask for it at once', async () => {
  const all = await Promise.all([readReferenceScript(), readReferenceScript()])
  const again = await readReferenceScript()
  for (const one of all) assert.equal(one, again)
  assert.ok(gunzipSync(again.packed).equals(again.plain))
  assert.match(again.plain.toString('utf8'), /scalar/i)
})
