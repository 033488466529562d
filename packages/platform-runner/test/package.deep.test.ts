/** The published command: packed and compiled, outside this repository. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { PROCESS_TEST } from '../../server/test/helpers/process/sandbox.ts'
import { ENGINES } from './helpers/engines.ts'
import { createRunnerSandbox } from './helpers/runner.ts'

const run = promisify(execFile)
const PACKAGE = fileURLToPath(new URL('../', import.meta.url))

test('the packed command needs no other package', PROCESS_TEST, async (t) => {
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
  const response: { total: number } = Object(await (await platform.get('records/people')).json())
  assert.equal(response.total, 1)
  // The drivers are in the package too.
  for (const { open, missing, name } of ENGINES) {
    if (missing) {
      t.diagnostic(`${name}: ${missing}`)
      continue
    }
    const database = await open(t)
    await database.run(
      'CREATE TABLE people (id INT PRIMARY KEY, name VARCHAR(20))',
      "INSERT INTO people VALUES (1, 'Ann')",
    )
    installed.write(
      'other.yaml',
      `platform: { name: x, source_key: 0123456789abcdef }\nsource: { database: "${database.address}" }\nmodules: [{ record_type: people, table: people, reference: id, full_name: name }]\n`,
    )
    const { code, stdout, stderr } = await installed.run(['check', '--config', 'other.yaml'])
    assert.equal(code, 0, `${name}: ${stderr}`)
    assert.match(stdout, /\b1 records?\b/, name)
  }
})
