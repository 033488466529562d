/** `check:spreadsheet` is run manually. These tests prove that it detects differences. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { EMPTY, findDifferences, readCells } from './sheet-cells.ts'

test('texts are distinguished from values, regardless of their content', () => {
  assert.deepEqual(readCells('"a","b,""c""\nd",1.5,TRUE,,""\n"=1",=1+1\n'), [
    [{ text: 'a' }, { text: 'b,"c"\nd' }, { value: '1.5' }, { value: 'TRUE' }, EMPTY, { text: '' }],
    [{ text: '=1' }, { value: '=1+1' }],
  ])
  assert.throws(() => readCells('"a"b'), /No cell/)
})

test('each different, missing or extra cell is a difference', () => {
  const sheet = [[{ text: 'a' }, { value: '1' }], [{ text: '=1' }]]
  assert.deepEqual(findDifferences(sheet, structuredClone(sheet)), [])
  for (const other of [
    [[{ text: 'a ' }, { value: '1' }], [{ text: '=1' }]],
    [[{ text: 'a' }, { text: '1' }], [{ text: '=1' }]],
    [[{ text: 'a' }, { value: '1' }], [{ value: '=1' }]],
    [[{ text: 'a' }], [{ text: '=1' }]],
    [[{ text: 'a' }, { value: '1' }, EMPTY], [{ text: '=1' }]],
    [[{ text: 'a' }, { value: '1' }]],
    [...sheet, [EMPTY]],
  ]) {
    assert.equal(findDifferences(sheet, other).length, 1, JSON.stringify(other))
  }
})

test('without LibreOffice the check names the missing package and exits with 2', () => {
  const check = fileURLToPath(new URL('./check.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [check], {
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  })
  assert.equal(status, 2)
  assert.match(stderr, /libreoffice-calc/)
})
