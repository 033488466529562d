/**
 * `npm run check:nodes`: installs the packed hub without a registry, and uses it on the Node.js versions below, which come
 * from the npm registry and are deleted afterwards. Also builds the executable, and uses it without Node.js in PATH. Exits
 * with 1 on any difference.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildExecutable } from '../../../../release/executable.ts'
import { VERSION } from '../../src/cli/version.ts'
import { installHub } from '../helpers/process/package.ts'
import { createSandbox, type Sandbox } from '../helpers/process/sandbox.ts'
import { useHub } from '../helpers/process/use-hub.ts'

/** The first and the last version of each supported major version, and the last ones that are not supported. */
const SUPPORTED = ['22.20.0', '22.23.3', '24.7.0', '24.21.0', '25.9.0', '26.10.0']
const UNSUPPORTED = ['18.20.8', '20.20.2', '22.19.0', '23.11.1', '24.6.0']

const cleanUps: (() => unknown)[] = []
const t = { after: (cleanUp: () => unknown) => void cleanUps.push(cleanUp) }
const print = (line: string) => void process.stdout.write(`${line}\n`)

async function main(): Promise<void> {
  const sandbox = createSandbox(t)
  const project = await installHub(sandbox.folder)
  const program = join(project, 'node_modules/.bin/recordhub')
  for (const version of UNSUPPORTED) {
    const shell = `exec '${await fetchNode(sandbox.folder, version)}' "$@"`
    for (const command of ['start', 'demo']) {
      const { code, stdout, stderr } = await sandbox.run([command], { program, shell })
      assert.deepEqual([code, stdout.length, stderr.length], [1, 0, 1], stderr.join('\n'))
      assert.match(stderr[0] ?? '', /^recordhub needs Node\.js .+ Install /)
    }
    print(`Node.js ${version}: prints that it is not supported`)
  }
  for (const version of SUPPORTED) {
    const node = await fetchNode(sandbox.folder, version)
    await use(sandbox, { program, shell: `exec '${node}' "$@"` })
    print(`Node.js ${version}: OK`)
  }
  const executable = join(sandbox.folder, buildExecutable(sandbox.folder, VERSION))
  // The first argument is the program that Node.js would run.
  const shell = `shift; unset PATH; exec '${executable}' "$@"`
  await use(sandbox, { program, shell, env: { XDG_CACHE_HOME: join(sandbox.folder, 'cache') } })
  print('Executable, without PATH: OK')
}

/** Starts and uses a hub, and runs the demo until it has registered its platforms. */
async function use(
  sandbox: Sandbox,
  options: { program: string; shell: string; env?: Record<string, string> },
) {
  const cwd = join(sandbox.folder, `run-${cleanUps.length}`)
  mkdirSync(cwd, { recursive: true })
  const hub = await sandbox.startHub({ ...options, cwd })
  await useHub(t, hub)
  assert.deepEqual(await hub.stop(), { code: 0, signal: null }, hub.stderr.join('\n'))
  const demo = sandbox.spawn(['demo'], { ...options, cwd, env: { ...options.env, PORT: '0' } })
  await demo.untilPrinted(/^Ctrl-C /)
  assert.deepEqual(await demo.stop('SIGINT'), { code: 0, signal: null }, demo.stderr.join('\n'))
  for (const { stderr } of [hub, demo]) assert.deepEqual(stderr, [])
}

/** @returns the program of this version. */
async function fetchNode(parent: string, version: string): Promise<string> {
  const folder = join(parent, `node-${version}`)
  const name = `node-${process.platform}-${process.arch}`
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts', `${name}@${version}`]
  await promisify(execFile)('npm', args, { cwd: folder })
  return join(folder, 'node_modules', name, 'bin/node')
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
} finally {
  for (const cleanUp of cleanUps.reverse()) await cleanUp()
}
