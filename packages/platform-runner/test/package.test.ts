/** The published command: packed and compiled, outside this repository. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { readSettings } from '../src/settings/read-settings.ts'
import { createRunnerSandbox } from './helpers/runner.ts'

const run = promisify(execFile)
const PACKAGE = fileURLToPath(new URL('../', import.meta.url))

test(
  'the packed command needs no other package',
  PROCESS_TEST,
  async (t) => {
    const { folder } = createRunnerSandbox(t)
    const { stdout } = await run(
      'npm',
      ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
      { cwd: PACKAGE },
    )
    const packed: { filename: string }[] = Object.values(JSON.parse(stdout))
    const home = join(folder, 'node_modules', '@recordhub', 'platform-runner')
    mkdirSync(home, { recursive: true })
    await run('tar', [
      '-xzf',
      join(folder, packed[0]?.filename ?? ''),
      '--strip-components=1',
      '-C',
      home,
    ])
    const manifest: { bin: Record<string, string> } = JSON.parse(
      readFileSync(join(home, 'package.json'), 'utf8'),
    )
    assert.ok(!('dependencies' in manifest))
    const main = join(home, manifest.bin['recordhub-platform'] ?? '')
    const installed = createRunnerSandbox(t, main)
    assert.match((await installed.run(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
    installed.write('people.csv', 'id,name\n1,Ann\n')
    const init = await installed.run(['init', '--from', '.'], {})
    assert.equal(init.code, 0, init.stderr)
    const check = await installed.run(['check'])
    assert.equal(check.code, 0, check.stderr)
    const platform = await installed.start()
    const answer: { total: number } = Object(await (await platform.get('records/people')).json())
    assert.equal(answer.total, 1)
    // Each database driver is loaded only for its own kind of source.
    for (const database of [
      'postgres://x@127.0.0.1:1/x',
      'mysql://x@127.0.0.1:1/x',
      'sqlite:none',
    ]) {
      installed.write(
        'other.yaml',
        `platform: { name: x, source_key: 0123456789abcdef }\nsource: { database: "${database}" }\nmodules: [{ record_type: a, table: a, reference: a, full_name: a }]\n`,
      )
      const { code, stderr } = await installed.run(['check', '--config', 'other.yaml'])
      assert.deepEqual([code, /cannot be reached|no file/.test(stderr)], [1, true], stderr)
    }
  },
)

test('the settings in the README are valid and contain every top-level key', () => {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8')
  const text = /```yaml\n([\s\S]+?)```/.exec(readme)?.[1] ?? ''
  const environment = {
    SOURCE_KEY: '0123456789abcdef',
    DATABASE_URL: 'postgres://x/y',
    HUB_API_KEY: 'k',
  }
  const read = readSettings(text, { name: 'README', folder: '/' }, environment)
  assert.deepEqual(read.outcome === 'faulty' ? read.faults : [], [])
  assert.deepEqual(Object.keys(Object(parse(text))), [
    'platform',
    'listen',
    'source',
    'modules',
    'push',
  ])
})
