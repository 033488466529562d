import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeText } from './text.ts'

test('a text is decoded without its byte order mark, from UTF-8 and from UTF-16', () => {
  const text = 'NAME=Wałęsa\n'
  const marked = Buffer.from(`\uFEFF${text}`, 'utf16le')
  for (const bytes of [
    Buffer.from(text),
    Buffer.from(`\uFEFF${text}`),
    Buffer.from(`\uFEFF\uFEFF${text}`),
    marked,
    Buffer.from(marked).swap16(),
  ]) {
    assert.equal(decodeText(bytes), text)
  }
  // Two files, one after the other.
  const joined = Buffer.from(`\uFEFFA=1\n\uFEFF${text}`)
  assert.equal(decodeText(joined), `A=1\n${text}`)
})
