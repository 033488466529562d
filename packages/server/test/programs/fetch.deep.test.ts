import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fetchPinned } from './fetch.ts'
import { createSource } from './pinned-tool.ts'

test('a program that was fetched before is used without npm, and a new version is fetched', async (t) => {
  const { source, cache } = createSource(t)
  const first = await fetchPinned(source, cache)
  const { PATH } = process.env
  process.env['PATH'] = ''
  try {
    assert.equal(await fetchPinned(source, cache), first)
    writeFileSync(join(source, 'unpack.mjs'), '')
    await assert.rejects(fetchPinned(source, cache), /npm/)
  } finally {
    process.env['PATH'] = PATH
  }
  assert.notEqual(await fetchPinned(source, cache), first)
})

test('the partial folder of a killed process is deleted after a day', async (t) => {
  const { source, cache } = createSource(t)
  for (const [name, changedAt] of [
    ['partial-old', new Date(0)],
    ['partial-new', new Date()],
  ] as const) {
    mkdirSync(join(cache, name), { recursive: true })
    utimesSync(join(cache, name), changedAt, changedAt)
  }
  await fetchPinned(source, cache)
  const partial = readdirSync(cache).filter((name) => name.startsWith('partial-'))
  assert.deepEqual(partial, ['partial-new'])
})

test('the folder of a program that cannot be unpacked is deleted', async (t) => {
  const { source, cache } = createSource(t, { unpack: `throw new Error('no such platform')` })
  await assert.rejects(fetchPinned(source, cache), /no such platform/)
  assert.deepEqual(readdirSync(cache), [])
})
