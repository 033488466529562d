/** Real processes of recordhub-platform in a temporary folder; both end with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bareEnvironment } from '../../../server/test/helpers/process/sandbox.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export const SOURCE_API_KEY = 'the source key of these tests'

type RunnerOutput = { code: number | null; stdout: string; stderr: string }

export type RunningPlatform = {
  address: string
  child: ChildProcess
  /** The complete log. */
  log: () => string
  /** Resolves when the log matches. */
  logs: (pattern: RegExp) => Promise<void>
  /** Requests an endpoint with the right key. */
  get: (path: string, headers?: Record<string, string>) => Promise<Response>
  stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

type RunnerSandbox = {
  folder: string
  write: (file: string, text: string) => void
  run: (args: string[], env?: Record<string, string>) => Promise<RunnerOutput>
  /** Runs a command whose standard output no process reads. */
  runWithoutReader: (args: string[]) => Promise<RunnerOutput>
  /** Serves the settings in `platform.yaml`. */
  start: (env?: Record<string, string>, port?: string) => Promise<RunningPlatform>
  /** As `start`, but returns before it listens. */
  startWithoutWaiting: (
    env?: Record<string, string>,
    port?: string,
  ) => {
    child: ChildProcess
    logs: RunningPlatform['logs']
    listening: Promise<RunningPlatform>
  }
}

export function createRunnerSandbox(t: TestContext, main = MAIN): RunnerSandbox {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-runner-'))
  const children: ChildProcess[] = []
  t.after(async () => {
    await Promise.all(children.map((child) => end(child, 'SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  })

  function launch(args: string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: { ...bareEnvironment(), SOURCE_API_KEY, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    const output = { stdout: '', stderr: '' }
    const lines = createInterface({ input: child.stderr })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text
    })
    lines.on('line', (line) => {
      output.stderr += `${line}\n`
    })
    return { child, output, lines }
  }

  return {
    folder,
    write: (file, text) => writeFileSync(join(folder, file), text),
    async run(args, env) {
      const { child, output } = launch(args, env)
      await once(child, 'close')
      return { code: child.exitCode, ...output }
    },
    async runWithoutReader(args) {
      const { child, output } = launch(args)
      child.stdout.destroy()
      await once(child, 'close')
      return { code: child.exitCode, ...output }
    },
    start: (env, port) => startWithoutWaiting(env, port).listening,
    startWithoutWaiting,
  }

  function startWithoutWaiting(env: Record<string, string> = {}, port = '0') {
    const { child, output, lines } = launch(['--port', port], env)
    const logs = (pattern: RegExp) =>
      new Promise<void>((resolve, reject) => {
        if (pattern.test(output.stderr)) return resolve()
        child.once('close', () =>
          reject(new Error(`It ended without ${pattern}: ${output.stderr}`)),
        )
        lines.on('line', () => {
          if (pattern.test(output.stderr)) resolve()
        })
      })
    const listening = new Promise<RunningPlatform>((resolve, reject) => {
      child.stdout.on('data', () => {
        const address = / listens at (\S+)\n/.exec(output.stdout)?.[1]
        if (address) resolve(describe(address))
      })
      child.once('close', () => reject(new Error(`It ended: ${output.stderr}`)))
    })
    const describe = (address: string): RunningPlatform => ({
      address,
      child,
      log: () => output.stderr,
      logs,
      get: (path, headers = {}) =>
        fetch(`${address}/api/hub/${path}`, {
          headers: { 'X-PLATFORM-API-KEY': SOURCE_API_KEY, ...headers },
        }),
      stop: (signal = 'SIGTERM') => end(child, signal),
    })
    return { child, logs, listening }
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const closed = once(child, 'close')
    child.kill(signal)
    await closed
  }
  return child.exitCode
}
