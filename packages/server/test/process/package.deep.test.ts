/** The hub as published: packed, installed in an empty folder without a registry, and used. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { VERSION } from '../../src/cli/version.ts'
import { ENGINES } from '../helpers/process/engine.ts'
import { findNodePrograms, installHub } from '../helpers/process/package.ts'
import { bareEnvironment, PROCESS_TEST, test } from '../helpers/process/sandbox.ts'
import { useHub } from '../helpers/process/use-hub.ts'
import { fetchProgram } from '../programs/fetch.ts'

const run = promisify(execFile)
const MAX_BYTES = 60 * 1024 * 1024
const ROOT = join(import.meta.dirname, '../../../..')

test(
  'the packed hub runs in an empty folder, without the repository and its packages',
  async (t, sandbox) => {
    const project = await installHub(sandbox.folder)
    const folder = join(project, 'node_modules/recordhub')
    const program = join(project, 'node_modules/.bin/recordhub')

    await t.test('it has no dependencies and is smaller than 60 MB', () => {
      const packages = readdirSync(join(project, 'node_modules')).filter((name) => name[0] !== '.')
      assert.deepEqual(packages, ['recordhub'])
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      const bytes = files.map((file) => statSync(join(folder, file)).size)
      assert.ok(bytes.reduce((sum, one) => sum + one) < MAX_BYTES)
      assert.deepEqual(
        files.filter((file) => /\.ts$/.test(file) && !/\.d\.ts$/.test(file)),
        [],
      )
    })

    for (const { name, createSandbox } of ENGINES) {
      await t.test(`it pulls, pushes, searches, and serves its files, on ${name}`, async (t) => {
        const { sandbox } = await createSandbox(t)
        const hub = await sandbox.startHub({ program })
        await useHub(t, hub)
        assert.deepEqual(await hub.stop(), { code: 0, signal: null })
        // Node.js warned neither of an experimental feature nor of a missing file.
        assert.deepEqual(hub.stderr, [])
      })
    }

    await t.test(
      'the launcher starts Node.js with its options, which the user can override',
      async () => {
        const probe = join(sandbox.folder, 'probe.cjs')
        const shown =
          '[...process.execArgv, process.env.MALLOC_ARENA_MAX, process.env.MALLOC_TRIM_THRESHOLD_].join()'
        writeFileSync(probe, `process.on("exit", () => console.error(${shown}))`)
        const optionsWith = async (options: string, more: Record<string, string> = {}) => {
          const env = { NODE_OPTIONS: `--require ${probe} ${options}`, ...more }
          return (await sandbox.run(['--version'], { program, env })).stderr
        }
        const young = '--max-semi-space-size=8'
        const warnings = '--disable-warning=ExperimentalWarning'
        assert.deepEqual(await optionsWith(''), [`${young},${warnings},2,131072`])
        assert.deepEqual(await optionsWith('--max-semi-space-size=64'), [`${warnings},2,131072`])
        assert.deepEqual(await optionsWith('', { MALLOC_ARENA_MAX: '4' }), [
          `${young},${warnings},4,131072`,
        ])
      },
    )

    await t.test(
      'a version of Node.js that is too old gets one line that says what to do',
      async () => {
        const pretend = join(sandbox.folder, 'pretend.cjs')
        for (const [version, code] of [
          ['18.20.8', 1],
          ['20.20.2', 1],
          ['22.19.0', 1],
          ['23.11.1', 1],
          ['24.6.0', 1],
          ['22.20.0', 0],
          ['24.7.0', 0],
          ['100.0.0', 0],
        ] as const) {
          writeFileSync(
            pretend,
            `Object.defineProperty(process.versions, 'node', { value: '${version}' })`,
          )
          const args = ['--require', pretend, program, '--version']
          const result = await run(process.execPath, args, { env: bareEnvironment() }).catch(
            (error: { code: number; stdout: string; stderr: string }) => error,
          )
          assert.equal('code' in result ? result.code : 0, code, version)
          assert.equal(result.stdout, code === 0 ? `${VERSION}\n` : '')
          if (code === 1) assert.match(result.stderr, /^recordhub needs Node\.js .+ Install .+\n$/)
        }
        for (const { program: node, version } of await findNodePrograms()) {
          if (!/^v(1\d|20|21)\./.test(version)) continue
          await assert.rejects(run(node, [program, 'start'], { env: bareEnvironment() }), {
            code: 1,
          })
        }
      },
    )

    await t.test('its types compile in a strict project, and it starts as a library', async () => {
      writeFileSync(join(project, 'consumer.mts'), CONSUMER)
      const modules = join(ROOT, 'node_modules')
      const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2023']
      const types = ['--typeRoots', join(modules, '@types'), '--types', 'node']
      const args = [...options, ...types, '--module', 'nodenext', 'consumer.mts']
      const compiler = join(await fetchProgram('typescript'), 'tsc')
      const { stdout } = await run(compiler, args, { cwd: project }).catch(
        (error: { stdout: string }) => error,
      )
      assert.equal(stdout, '')
      const started = await run(process.execPath, ['consumer.mts'], { cwd: project })
      assert.equal(started.stdout, `${VERSION} Unknown settings: HUB_UNKNOWN\n`)
    })

    await t.test('its bundles name the licence of each package', () => {
      for (const list of ['dist/licenses.txt', 'page/assets/licenses.txt']) {
        assert.match(readFileSync(join(folder, list), 'utf8'), /^## \S+ - \d\S+ \([\w-]+\)$/m)
      }
    })
  },
  { timeout: 2 * PROCESS_TEST.timeout },
)

const CONSUMER = `
import { type HubSettings, type RunningHub, startHub, VERSION } from 'recordhub'
const settings: HubSettings = { PORT: '0', HUB_DATA_DIR: './library', HUB_LOG_LEVEL: 'silent' }
const hub: RunningHub = await startHub(settings, { signal: new AbortController().signal })
const { status } = await fetch(hub.address + '/readyz')
if (status !== 200 || hub.setupLink === null) throw new Error(String(status))
await hub.stop()
// @ts-expect-error: no setting has this name
await startHub({ HUB_UNKNOWN: '1' }).catch((error: Error) => console.log(VERSION, error.message))
`
