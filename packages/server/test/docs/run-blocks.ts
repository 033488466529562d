/** Executes the blocks of a document in their order, in a copy of the repository, with a hub and a platform. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { bareEnvironment, createSandbox, OPERATOR } from '../helpers/process/sandbox.ts'
import { guardMs } from '../helpers/time/guard.ts'
import { until } from '../helpers/time/until.ts'
import type { DocumentedBlock, Treatment } from './blocks.ts'
import { listRepositoryFiles, ROOT } from './markdown.ts'

type CleanUps = { after: (cleanUp: () => unknown) => void }

/** The operator of the documents. */
const ANN = 'ann@example.org'
/** For blocks that install all packages. */
const LIMIT_MS = 900_000

/** Executes the blocks of one document. */
export type BlockRunner = {
  /** @throws Error that names the block which failed, with its output. */
  run: (blocks: readonly DocumentedBlock[]) => Promise<void>
}

/** Starts the hub, with a platform and a token, that all documents share. */
export async function startBlockRunner(t: CleanUps): Promise<BlockRunner> {
  const sandbox = createSandbox(t)
  const copy = copyRepository(sandbox.folder, { isInstalled: true })
  const hub = await sandbox.startHub({ cwd: copy, env: { HUB_ADMIN_EMAIL: ANN } })
  const operator = await signIn(hub.address, { ...OPERATOR, email: ANN })
  const modules = ['student', 'employee'].map((type) => generateModule(type, 3))
  const platform = await startPlatform(t, { name: 'school', modules })
  const { hub_api_key } = await operator.registerModules(platform)
  const token = { name: 'documents', role: 'viewer' }
  const created = await operator.request('POST', '/api/v1/tokens', token)
  const { token: apiToken }: { token: string } = JSON.parse(created)
  // What the text around the blocks asks the reader to prepare.
  const files = { 'record.json': JSON.stringify(RECORD), file: `${OPERATOR.password} 2\n` }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(copy, name), text)
  cpSync(join(copy, 'file'), join(copy, 'file-with-the-new-password'))
  const bin = join(sandbox.folder, 'bin')
  mkdirSync(bin)
  // In the quick tier from the bundle, which starts in half the processor time.
  const main = process.env['TEST_HUB_PROGRAM'] || join(copy, 'packages/server/src/main.ts')
  writeFileSync(join(bin, 'recordhub'), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  chmodSync(join(bin, 'recordhub'), 0o755)
  const env = {
    ...bareEnvironment(),
    PATH: `${bin}:${dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: sandbox.folder,
    RECORDHUB_TOKEN: apiToken,
    HUB_API_KEY: hub_api_key,
    SOURCE_API_KEY: platform.source_api_key,
    PLATFORM_URL: platform.source_base_url,
  }
  const toReal = (text: string) =>
    text
      .replaceAll(/https:\/\/hub\.example\.org|http:\/\/127\.0\.0\.1:8080/g, hub.address)
      .replaceAll("'your hub API key'", `'${hub_api_key}'`)

  return {
    async run(blocks) {
      const runnable = blocks.filter(({ treatment }) => 'run' in treatment)
      for (const block of runnable.filter(needsInstall)) {
        const { folder } = createSandbox(t)
        const fresh = copyRepository(folder, { isInstalled: false })
        await runScript(fresh, [block], { ...withoutSettings(process.env), PORT: '0' })
      }
      const others = runnable.filter((block) => !needsInstall(block))
      const real = others.map((block) => ({ ...block, text: toReal(block.text) }))
      if (real.length > 0) await runScript(copy, real, env)
    },
  }
}

/** The environment with the settings of npm, such as its registry, and without those of a hub or of this npm script. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const others = Object.entries(environment).filter(
    ([name]) => !/^(?:HUB_|DATABASE_URL$|npm_(?:package|lifecycle|execpath|node))/.test(name),
  )
  return Object.fromEntries(others)
}

function needsInstall({ treatment }: DocumentedBlock): boolean {
  return 'run' in treatment && treatment.needsInstall === true
}

const RECORD = {
  ...{ module_name: 'Employees', record_type: 'employee', reference_number: 'E-2' },
  ...{ full_name: 'Bob Example', data: { number: 1 } },
}

/** A copy of all files of the repository. With `isInstalled`, it uses the installed packages of the original. */
function copyRepository(folder: string, { isInstalled }: { isInstalled: boolean }): string {
  const copy = join(folder, 'recordhub')
  for (const path of listRepositoryFiles()) cpSync(join(ROOT, path), join(copy, path))
  if (isInstalled) {
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    symlinkSync(join(ROOT, 'packages/dashboard/dist'), join(copy, 'packages/dashboard/dist'))
  }
  return copy
}

/** Runs blocks in one shell, as a reader does, except for those that run until they are stopped. */
async function runScript(
  cwd: string,
  blocks: readonly DocumentedBlock[],
  env: Record<string, string | undefined>,
): Promise<void> {
  const toScript = ({ path, line, text }: DocumentedBlock) => `echo '@@ ${path}:${line}'\n${text}`
  const inOrder = blocks.filter(({ treatment }) => !isStopped(treatment))
  await execute(inOrder.map(toScript).join('\n'), { cwd, env })
  for (const block of blocks) {
    const { treatment } = block
    if (isStopped(treatment)) await execute(toScript(block), { cwd, env, treatment })
  }
}

type Stopped = { until?: RegExp; untilFile?: string }

function isStopped(treatment: Treatment): treatment is Treatment & Stopped {
  return 'until' in treatment || 'untilFile' in treatment
}

async function execute(
  script: string,
  options: { cwd: string; env: Record<string, string | undefined>; treatment?: Stopped },
): Promise<void> {
  const { cwd, env, treatment } = options
  // A group of its own, because a signal must also reach the programs that the shell starts.
  const shell = spawn('bash', ['--norc', '-euo', 'pipefail', '-c', script], {
    ...{ cwd, env, detached: true },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
  }
  const ended = once(shell, 'close').then(() => true)
  if (treatment) {
    const { until: pattern, untilFile } = treatment
    const isReached = () =>
      pattern?.test(output) || (untilFile !== undefined && existsSync(join(cwd, untilFile)))
    const end = () => shell.exitCode !== null || null
    try {
      await until(() => isReached() || end(), `the block is ready:\n${script}`, guardMs(LIMIT_MS))
    } finally {
      if (shell.pid !== undefined && shell.exitCode === null) process.kill(-shell.pid, 'SIGINT')
    }
    await ended
    if (isReached()) return
  }
  await ended
  if (!treatment && shell.exitCode === 0) return
  const last = Math.max(output.lastIndexOf('@@ ') + 3, 3)
  throw new Error(`A block failed with exit code ${shell.exitCode}: ${output.slice(last)}`)
}
