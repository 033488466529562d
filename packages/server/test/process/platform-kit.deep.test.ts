import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { findFreePort } from '../helpers/process/free-port.ts'
import { signIn } from '../helpers/process/operator.ts'
import { findNodePrograms, installKit } from '../helpers/process/package.ts'
import { bareEnvironment, PROCESS_TEST, test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'
import { fetchProgram } from '../programs/fetch.ts'

const README = readFileSync(new URL('../../../platform-kit/README.md', import.meta.url), 'utf8')
const SOURCE_API_KEY = 'choose-a-long-secret'
/** Oldest supported Node.js version, which may not be installed on this machine. */
const OLDEST_MAJOR = 20

test(
  'the packed and installed kit runs the platform of its README',
  async (t, { folder, startHub }) => {
    const project = await installKit(folder)
    assert.deepEqual(readdirSync(join(project, 'node_modules')).toSorted(), [
      '.package-lock.json',
      '@recordhub',
    ])
    const program = /```js\n([\s\S]+?)```/.exec(README)?.[1] ?? ''
    t.diagnostic(`The README's platform has ${program.trim().split('\n').length} lines.`)
    const hub = await startHub()
    const operator = await signIn(hub.address)

    const nodes = await findNodePrograms()
    const isOldest = ({ version }: { version: string }) => version.startsWith(`v${OLDEST_MAJOR}.`)
    if (!nodes.some(isOldest))
      t.diagnostic(`Node.js ${OLDEST_MAJOR} is not in PATH, so the kit is not tested on it.`)
    for (const { program: node, version } of nodes) {
      await t.test(`on Node.js ${version}`, async (t) => {
        const port = await findFreePort()
        const name = `hr_${version.replaceAll(/\W/g, '_')}`
        const text = program.replace('4000', String(port)).replace('hr_suite', name)
        writeFileSync(
          join(project, 'platform.mjs'),
          text.replace('./outbox', `./outbox-${version}`),
        )
        const first = startProgram(t, node, project, { SOURCE_API_KEY })
        await first.line(/listens/)

        const address = `http://127.0.0.1:${port}`
        const platform = {
          source_base_url: address,
          source_api_key: SOURCE_API_KEY,
          record_types: ['employee'],
        }
        const { hub_api_key } = await operator.registerModules(platform)
        const { tasks } = await operator.pullAll()
        const task = tasks.find(({ platform_name }) => platform_name === name)
        assert.equal(task?.state, 'succeeded')
        assert.equal(task.total, 2)
        assert.deepEqual(task.warnings, [])
        await first.stop()

        const env = { SOURCE_API_KEY, HUB_URL: hub.address, HUB_API_KEY: hub_api_key }
        const second = startProgram(t, node, project, env)
        await second.line(/^The hub has stored the PATCH of /)
        await until(async () => {
          const records = await operator.findRecords(`platform=${name}&reference_number=E-1`)
          return records[0]?.data['job'] === 'baker' ? true : null
        }, 'the record has the pushed value')
        await second.stop()
        assert.deepEqual([...first.errors, ...second.errors], [])
      })
    }

    await t.test('the published types compile in strict TypeScript projects', async () => {
      writeFileSync(join(project, 'consumer.mts'), CONSUMER)
      const tsc = join(await fetchProgram('typescript'), 'tsc')
      const types = new URL('../../../../node_modules/@types', import.meta.url).pathname
      for (const [module, resolution] of [
        ['nodenext', 'nodenext'],
        ['esnext', 'bundler'],
      ]) {
        const options = [
          '--noEmit',
          '--strict',
          '--exactOptionalPropertyTypes',
          '--target',
          'es2022',
        ]
        const typeOptions = ['--typeRoots', types, '--types', 'node']
        const moduleOptions = ['--module', module ?? '', '--moduleResolution', resolution ?? '']
        const args = [...options, ...typeOptions, ...moduleOptions, 'consumer.mts']
        const { stdout } = await promisify(execFile)(tsc, args, { cwd: project }).catch(
          (error: { stdout: string }) => error,
        )
        assert.equal(stdout, '', resolution)
      }
    })

    await t.test('the entry points for edge runtimes do not use Node.js APIs', () => {
      const kit = join(project, 'node_modules', '@recordhub', 'platform-kit', 'dist')
      for (const file of ['index.js', 'hono.js']) {
        const code = readFileSync(join(kit, file), 'utf8')
        assert.deepEqual(code.match(/from\s*["'](?!\.\/)[^"']+["']/g), null, file)
        assert.doesNotMatch(code, /\b(Buffer|process)\b\s*\./)
      }
    })
  },
  { timeout: 2 * PROCESS_TEST.timeout },
)

const CONSUMER = `
import { createServer } from 'node:http'
import { createPlatformHandler, createPushClient, type PlatformModule, type PushResult } from '@recordhub/platform-kit'
import { toFastifyPlugin } from '@recordhub/platform-kit/fastify'
import { createFileOutbox } from '@recordhub/platform-kit/file-outbox'
import { toHonoMiddleware } from '@recordhub/platform-kit/hono'
import { toNodeListener } from '@recordhub/platform-kit/node'

interface Row { job: string; left_on: Date | null }
const row: Row = { job: 'cook', left_on: null }
const employees: PlatformModule = {
  name: 'Employees',
  recordType: 'employee',
  fields: [{ key: 'job' }],
  async *records({ signal }) {
    if (!signal.aborted) yield { reference_number: 'E-1', full_name: 'Ann', data: row }
  },
}
const handler = createPlatformHandler({ name: 'a', title: 'A', sourceKey: 'k'.repeat(16), modules: [employees] })
const response: Response | null = await handler(new Request('http://any/'))
createServer(toNodeListener(handler))
toFastifyPlugin(handler)
toHonoMiddleware(handler)
const client = createPushClient({ hubUrl: 'http://hub', hubApiKey: 'k', outbox: createFileOutbox('outbox') })
const result: PushResult = await client.updated({ record_type: 'employee', reference_number: 'E-1' }, { data: row })
if (result.outcome === 'stored') console.log(result.recordId satisfies number, response)
// @ts-expect-error: a module has either records or pages
const both: PlatformModule = { ...employees, pages: () => ({ records: [], next: null }) }
console.log(both)
`

function startProgram(t: TestContext, node: string, cwd: string, settings: Record<string, string>) {
  // The hub compares the time of a push with its own clock, so both need the clock of --clock.
  const env = { ...bareEnvironment(), ...settings }
  const child = spawn(node, ['platform.mjs'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = createInterface({ input: child.stdout })
  const lines: string[] = []
  const errors: string[] = []
  output.on('line', (line) => lines.push(line))
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
  const ended = once(child, 'close')
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(stop)
  return {
    errors,
    stop,
    line: (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        if (lines.some((line) => pattern.test(line))) resolve()
        output.on('line', (line) => {
          if (pattern.test(line)) resolve()
        })
        ended.then(() => reject(new Error(errors.join('\n'))), reject)
      }),
  }
}
