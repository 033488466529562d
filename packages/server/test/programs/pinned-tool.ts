/** A program of one package, to test how programs are fetched. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const UNPACK = `import { copyFileSync } from 'node:fs'\ncopyFileSync('node_modules/tool/tool.txt', 'tool')\n`

/** A folder that pins one package, from a tarball instead of the registry. */
export function createSource(t: TestContext, { hashOf = '', unpack = UNPACK } = {}) {
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

export function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-fetch-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}
