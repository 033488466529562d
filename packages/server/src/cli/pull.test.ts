/** `recordhub pull` on a database of its own. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { TestClock } from '../../test/helpers/storage/engine.ts'
import { registerTestPlatform } from '../../test/helpers/storage/fixtures.ts'
import { startTestPull } from '../../test/helpers/storage/pulls.ts'
import { readConfig } from '../config/config.ts'
import { openStorage } from '../storage/open.ts'
import { parseArguments } from './arguments.ts'
import { setNextPullMode } from './pull.ts'

test('--mode is that of the next pull, for all platforms, one of them or one module', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'recordhub-pull-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const { config, given } = readConfig({
    ...{ flags: { HUB_DATA_DIR: dataDir }, environment: {}, envFile: {} },
  })
  const options = { url: '', dataDir, asHub: true, timeZone: 'UTC', warn: () => undefined }
  const storage = await openStorage(options)
  t.after(() => storage.close())
  await registerTestPlatform(
    { storage, clock: new TestClock() },
    { modules: ['students', 'rooms'] },
  )
  const lines: string[] = []
  const print = (line: string) => void lines.push(line)
  const run = (...args: string[]) =>
    setNextPullMode({ ...parseArguments(['pull', ...args]), config, given, args: [], print })
  await run('--mode', 'full')
  await run('--mode', 'digest', '--platform', 'school')
  await run('--mode', 'auto', '--platform', 'school', '--module', 'rooms')
  assert.deepEqual(lines, [
    'Modules that the next pull reads again: 2',
    'Modules that the next pull compares by digest: 2',
    'Modules that the next pull reads as usual: 1',
  ])
  for (const [args, reason] of [
    [[], /--mode must be auto, full or digest/],
    [['--mode', 'sums'], /--mode must be auto, full or digest/],
    [['--mode', 'full', '--module', 'rooms'], /--module requires --platform/],
    [['--mode', 'full', '--platform', 'school', '--module', 'staff'], /staff/],
  ] as const) {
    await assert.rejects(run(...args), reason)
  }
  const { tasks } = await startTestPull(storage)
  const modes = tasks.map(({ record_type, pull_mode }) => `${record_type} ${pull_mode}`)
  assert.deepEqual(modes.sort(), ['rooms auto', 'students digest'])
})
