/** Real processes of the hub in a temporary folder; those that are still running are stopped with the test. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { guardMs } from '../time/guard.ts'

/** The file that Node.js runs as the hub. */
export const HUB_SOURCE: string = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** A time limit for hanging tests; no test relies on it. */
export const PROCESS_TEST: { timeout: number } = { timeout: guardMs(300_000) }

export const OPERATOR = { email: 'ops@example.org', password: 'correct horse battery' } as const

type Surroundings = {
  env?: Record<string, string>
  /** The working directory, with `./data` and `.env` of a new hub. */
  cwd?: string
  /** Commands of `bash` before it executes the hub, such as `ulimit`. */
  shell?: string
  /** Its standard input; empty by default. */
  input?: string
}

type Ending = { code: number | null; signal: NodeJS.Signals | null }

type RunningCommand = {
  child: ChildProcess
  stdout: readonly string[]
  stderr: readonly string[]
  /** The first printed line that matches. Rejects if the process ends without it. */
  line: (pattern: RegExp) => Promise<string>
  /** Resolves when the process has ended and all of its output was read. */
  ended: Promise<Ending>
  /** Sends a signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<Ending>
}

export type RunningHub = RunningCommand & { address: string }

export type Sandbox = {
  folder: string
  spawn: (args: string[], surroundings?: Surroundings) => RunningCommand
  /** Runs a command to its end. */
  run: (
    args: string[],
    surroundings?: Surroundings,
  ) => Promise<Ending & { stdout: readonly string[]; stderr: readonly string[] }>
  /** Starts a hub with an operator and without scheduled pulls, and waits for its address. */
  startHub: (surroundings?: Surroundings) => Promise<RunningHub>
}

/**
 * @param common its `env` applies to every command, which can override it; `program` replaces the file
 * that Node.js runs, by default `TEST_HUB_PROGRAM` (see `program.ts`) or the source.
 */
export function createSandbox(
  t: Pick<TestContext, 'after'>,
  common: { env?: Record<string, string>; program?: string } = {},
): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-process-'))
  const commands: RunningCommand[] = []
  t.after(async () => {
    await Promise.all(commands.map((command) => command.stop('SIGKILL')))
    rmSync(folder, { recursive: true, force: true })
  })
  const sandbox: Sandbox = {
    folder,
    spawn(args, surroundings = {}) {
      const env = { ...common.env, ...surroundings.env }
      const program = common.program ?? (process.env['TEST_HUB_PROGRAM'] || HUB_SOURCE)
      const command = spawnCommand([program, ...args], { cwd: folder, ...surroundings, env })
      commands.push(command)
      return command
    },
    async run(args, surroundings) {
      const { ended, stdout, stderr } = sandbox.spawn(args, surroundings)
      return { ...(await ended), stdout, stderr }
    },
    async startHub(surroundings = {}) {
      const env = { ...HUB_ENVIRONMENT, ...surroundings.env }
      const command = sandbox.spawn(['start'], { ...surroundings, env })
      const line = await command.line(/^Recordhub listens at /)
      return { ...command, address: line.slice('Recordhub listens at '.length) }
    },
  }
  return sandbox
}

const HUB_ENVIRONMENT = {
  PORT: '0',
  HUB_PULL_SCHEDULE: 'off',
  HUB_LOG_LEVEL: 'warn',
  HUB_ADMIN_EMAIL: OPERATOR.email,
  HUB_ADMIN_PASSWORD: OPERATOR.password,
}

/** The environment without the settings of the user. NODE_OPTIONS and TEST_CLOCK… continue the clock of `--clock`. */
export function bareEnvironment() {
  const { PATH, NODE_COMPILE_CACHE, TEST_CLOCK, TEST_CLOCK_OFFSET_MS } = process.env
  const clock =
    TEST_CLOCK === undefined
      ? {}
      : { NODE_OPTIONS: process.env['NODE_OPTIONS'], TEST_CLOCK, TEST_CLOCK_OFFSET_MS }
  return { PATH, NODE_COMPILE_CACHE, ...clock }
}

function spawnCommand(
  args: string[],
  { env, cwd, shell, input = '' }: Surroundings,
): RunningCommand {
  const command = [process.execPath, ...args]
  // Bash reads its settings if its input is a socket, as with a child process of Node.js.
  const [file = '', ...rest] = shell
    ? ['bash', '--norc', '-c', `${shell}; exec "$0" "$@"`, ...command]
    : command
  const child = spawn(file, rest, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...bareEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A process that ends without reading its input is not a failure of the test.
  child.stdin.on('error', () => undefined).end(input)
  const output = createInterface({ input: child.stdout })
  const stdout: string[] = []
  const stderr: string[] = []
  output.on('line', (line) => stdout.push(line))
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line))
  const ended = once(child, 'close').then(() => ({
    code: child.exitCode,
    signal: child.signalCode,
  }))

  return {
    child,
    stdout,
    stderr,
    ended,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const printed = stdout.find((line) => pattern.test(line))
        if (printed !== undefined) return resolve(printed)
        output.on('line', (line) => {
          if (pattern.test(line)) resolve(line)
        })
        ended.then(({ code }) => {
          reject(new Error(`Ended with ${code} before printing ${pattern}: ${stderr.join('\n')}`))
        }, reject)
      }),
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      return ended
    },
  }
}
