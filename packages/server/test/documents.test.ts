import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { makeDocuments } from './documents.ts'

for (const [file, text] of makeDocuments()) {
  test(`${file.pathname.split('/').at(-1)} matches the code (if not, run: npm run docs)`, () => {
    assert.equal(readFileSync(file, 'utf8'), text)
  })
}
