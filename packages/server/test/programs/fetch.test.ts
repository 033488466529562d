import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findInstalled } from '../helpers/browser/program.ts'
import { fetchPinned } from './fetch.ts'
import { createFolder, createSource } from './pinned-tool.ts'

test('concurrent processes fetch one complete program, which is then used without npm', async (t) => {
  const { source, cache } = createSource(t)
  const folders = await Promise.all([fetchPinned(source, cache), fetchPinned(source, cache)])
  assert.equal(folders[0], folders[1])
  assert.deepEqual(readdirSync(cache), [folders[0]?.slice(cache.length + 1)])
  assert.equal(readFileSync(join(folders[0] ?? '', 'tool'), 'utf8'), 'a tool')
  assert.ok(!readdirSync(folders[0] ?? '').includes('node_modules'))
  const { PATH } = process.env
  process.env['PATH'] = ''
  try {
    assert.equal(await fetchPinned(source, cache), folders[0])
  } finally {
    process.env['PATH'] = PATH
  }
})

test('a package whose hash differs from the lock file is rejected, and its folder is deleted', async (t) => {
  const { source, cache } = createSource(t, { hashOf: 'another tool' })
  const { npm_config_loglevel } = process.env
  process.env['npm_config_loglevel'] = 'silent'
  t.after(() => {
    if (npm_config_loglevel === undefined) delete process.env['npm_config_loglevel']
    else process.env['npm_config_loglevel'] = npm_config_loglevel
  })
  await assert.rejects(fetchPinned(source, cache), /EINTEGRITY/)
  assert.deepEqual(readdirSync(cache), [])
})

test('a Chromium that cannot run is skipped, and the next one in the path is used', (t) => {
  const folder = createFolder(t)
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
    return join(folder, name)
  }
  write('chromium', 'echo "install me first" >&2; exit 1')
  const program = write('google-chrome', 'echo Google Chrome 153.0')
  assert.equal(findInstalled(folder), program)
})
