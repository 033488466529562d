/** The check of spreadsheets is run by a person; that it sees what is wrong is proved here. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { EMPTY, findDifferences, readCells } from './sheet-cells.ts'

test('texts are told from values, whatever is in them', () => {
  assert.deepEqual(readCells('"a","b,""c""\nd",1.5,TRUE,,""\n"=1",=1+1\n'), [
    [{ text: 'a' }, { text: 'b,"c"\nd' }, { value: '1.5' }, { value: 'TRUE' }, EMPTY, { text: '' }],
    [{ text: '=1' }, { value: '=1+1' }],
  ])
  assert.throws(() => readCells('"a"b'), /No cell/)
})

test('each cell that is otherwise, missing or too many is a difference', () => {
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

test('without LibreOffice the check says which package is missing, and ends with 2', () => {
  const check = fileURLToPath(new URL('./check.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [check], {
    env: { PATH: '/nowhere' },
    encoding: 'utf8',
  })
  assert.equal(status, 2)
  assert.match(stderr, /libreoffice-calc/)
})
