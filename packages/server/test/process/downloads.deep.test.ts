/** The packages that a hub serves, installed by npm in an empty folder and without a registry. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { VERSION } from '../../src/cli/version.ts'
import { simulateConformingPlatform } from '../helpers/platform/conformance-check.ts'
import { test } from '../helpers/process/sandbox.ts'

const run = promisify(execFile)
const KIT = fileURLToPath(new URL('../../../platform-kit/', import.meta.url))

/** Creates an empty folder, and runs programs in it with an npm that cannot reach a registry. */
function createEmptyFolder(parent: string) {
  const cwd = join(parent, 'empty')
  mkdirSync(cwd)
  const env = {
    PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: cwd,
    npm_config_registry: 'http://127.0.0.1:1/',
    npm_config_fetch_retries: '0',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
    npm_config_update_notifier: 'false',
    npm_config_cache: join(cwd, '.npm'),
  }
  return {
    folder: cwd,
    run: (program: string, args: string[], more: Record<string, string> = {}) =>
      run(program, args, { cwd, env: { ...env, ...more } }),
  }
}

test('npm installs the kit and the runner from a hub, and npx runs the check', async (_, sandbox) => {
  const { address } = await sandbox.startHub()
  const empty = createEmptyFolder(sandbox.folder)
  const urlOf = (name: string) => `${address}/downloads/recordhub-${name}-${VERSION}.tgz`
  await empty.run('npm', ['install', urlOf('platform-kit'), urlOf('platform')])
  const modules = ['', '/node', '/fastify', '/hono', '/file-outbox']
  const imports = modules.map((path) => `await import('@recordhub/platform-kit${path}')`)
  await empty.run(process.execPath, ['--input-type=module', '--eval', imports.join('\n')])
  writeFileSync(join(empty.folder, 'people.csv'), 'id,name\n1,Ann\n')
  await empty.run('node_modules/.bin/recordhub-platform', ['init', '--from', '.'])
  assert.match(readFileSync(join(empty.folder, 'platform.yaml'), 'utf8'), /people/)

  await using platform = await simulateConformingPlatform()
  const args = ['--yes', urlOf('check-platform'), '--url', platform.source_base_url]
  const key = { SOURCE_API_KEY: platform.source_api_key }
  const { stdout } = await empty.run('npx', args, key)
  assert.match(stdout, /The platform conforms\./)
})

test('packing the same files twice creates identical packages', async (_, { folder }) => {
  const hashes = ['one', 'two'].map(async (name) => {
    const target = join(folder, name)
    mkdirSync(target)
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', target], { cwd: KIT })
    const file = readFileSync(join(target, `recordhub-platform-kit-${VERSION}.tgz`))
    return createHash('sha256').update(file).digest('hex')
  })
  const [one, two] = await Promise.all(hashes)
  assert.equal(one, two)
})
