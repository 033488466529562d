import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { findInstalled } from '../helpers/browser/program.ts'
import { fetchPinned } from './fetch.ts'

const UNPACK = `import { copyFileSync } from 'node:fs'\ncopyFileSync('node_modules/tool/tool.txt', 'tool')\n`

describe('fetching a program', () => {
  test('concurrent processes fetch one complete program', async (t) => {
    const { source, cache } = createSource(t)
    const folders = await Promise.all([fetchPinned(source, cache), fetchPinned(source, cache)])
    assert.equal(folders[0], folders[1])
    assert.deepEqual(readdirSync(cache), [folders[0]?.slice(cache.length + 1)])
    assert.equal(readFileSync(join(folders[0] ?? '', 'tool'), 'utf8'), 'a tool')
    assert.ok(!readdirSync(folders[0] ?? '').includes('node_modules'))
  })

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

  test('a package whose hash differs from the lock file is rejected, and its folder is deleted', async (t) => {
    const { source, cache } = createSource(t, { hashOf: 'another tool' })
    await assert.rejects(fetchPinned(source, cache), /EINTEGRITY/)
    assert.deepEqual(readdirSync(cache), [])
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

/** A folder that pins one package, from a tarball instead of the registry. */
function createSource(t: TestContext, { hashOf = '', unpack = UNPACK } = {}) {
  const folder = createFolder(t)
  const [source, tool] = [join(folder, 'source'), join(folder, 'tool')]
  for (const path of [source, tool]) mkdirSync(path)
  const manifest = { name: 'tool', version: '1.0.0' }
  writeFileSync(join(tool, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(tool, 'tool.txt'), 'a tool')
  execFileSync('tar', ['-czf', join(source, 'tool.tgz'), '-C', folder, 'tool'])
  const hashed = hashOf || readFileSync(join(source, 'tool.tgz'))
  const integrity = `sha512-${createHash('sha512').update(hashed).digest('base64')}`
  const root = { name: 'source', dependencies: { tool: 'file:tool.tgz' } }
  const locked = { version: '1.0.0', resolved: 'file:tool.tgz', integrity }
  const lock = { ...root, lockfileVersion: 3, packages: { '': root, 'node_modules/tool': locked } }
  writeFileSync(join(source, 'package.json'), JSON.stringify(root))
  writeFileSync(join(source, 'package-lock.json'), JSON.stringify(lock))
  writeFileSync(join(source, 'unpack.mjs'), unpack)
  return { source, cache: join(folder, 'cache') }
}

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-fetch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}
