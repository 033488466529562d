import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { createFile, replaceFile, syncFolder } from './durable-files.ts'

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'durable-files-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('a file is created once, for the owner only, and leaves no other file', (t) => {
  const folder = createFolder(t)
  const path = join(folder, 'file')
  createFile(path, 'first')
  assert.throws(() => createFile(path, 'second'), { code: 'EEXIST' })
  assert.equal(readFileSync(path, 'utf8'), 'first')
  assert.equal(statSync(path).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['file'])
})

test('a file is replaced as a whole', (t) => {
  const folder = createFolder(t)
  const path = join(folder, 'file')
  for (const content of ['a longer content', 'short']) replaceFile(path, content)
  assert.equal(readFileSync(path, 'utf8'), 'short')
  assert.deepEqual(readdirSync(folder), ['file'])
})

test('a file that cannot be replaced leaves no other file', (t) => {
  const folder = createFolder(t)
  const path = join(folder, 'a folder')
  mkdirSync(path)
  assert.throws(() => replaceFile(path, 'content'), { code: 'EISDIR' })
  assert.deepEqual(readdirSync(folder), ['a folder'])
})

test('a folder that does not exist cannot be synced', (t) => {
  assert.throws(() => syncFolder(join(createFolder(t), 'missing')), { code: 'ENOENT' })
})
