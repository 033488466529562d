import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeFolder } from './durable-files.ts'

test('a folder and its parents are created for the owner only, and may exist already', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'make-folder-'))
  t.after(() => rmSync(root, { recursive: true }))
  const path = join(root, 'a', 'b', 'c')
  makeFolder(path)
  makeFolder(path)
  assert.equal(statSync(join(root, 'a')).mode & 0o777, 0o700)
  assert.equal(statSync(path).mode & 0o777, 0o700)
})

test('a folder that cannot be created throws an error instead of hanging', (t) => {
  const root = mkdtempSync(join(tmpdir(), 'make-folder-'))
  t.after(() => rmSync(root, { recursive: true }))
  writeFileSync(join(root, 'file'), '')
  assert.throws(() => makeFolder(join(root, 'file', 'below')), { code: 'ENOTDIR' })
  assert.throws(() => makeFolder(join(root, 'file')), /file is not a folder$/)
  assert.throws(() => makeFolder('/proc/nope/below'))
})
