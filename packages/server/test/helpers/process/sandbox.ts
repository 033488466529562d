/**
 * Processes of the hub in a temporary folder. Processes that are still running after the test are killed. If the test has
 * failed, what its processes have printed is saved.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext, TestOptions } from 'node:test'
import { fileURLToPath } from 'node:url'
import { hasFailed, saveArtifacts } from '../artifacts.ts'
import { registerTest } from '../register-test.ts'
import { guardMs } from '../time/guard.ts'
import type { SessionHeaders } from './operator.ts'
import { provideData } from './provide-data.ts'

/** The file that Node.js runs as the hub. */
export const HUB_SOURCE: string = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/** The file that Node.js runs by default as the hub: `TEST_HUB_PROGRAM` (see `program.ts`) or the source. */
export function hubProgram(): string {
  return process.env['TEST_HUB_PROGRAM'] || HUB_SOURCE
}

/** A time limit for tests that hang. */
export const PROCESS_TEST: { timeout: number } = { timeout: guardMs(300_000) }

/** Precedes the address of a hub in its output. */
export const LISTENS = 'Recordhub listens at '

export const OPERATOR = { email: 'ops@example.org', password: 'correct horse battery' } as const

/** A test that starts processes: with a time limit, and with a sandbox of its own. */
export function test(
  name: string,
  body: (t: TestContext, sandbox: Sandbox) => unknown,
  options: TestOptions = {},
): void {
  registerTest(name, { ...PROCESS_TEST, ...options }, (t) => body(t, createSandbox(t)))
}

type CommandOptions = {
  env?: Record<string, string>
  /** The working directory, with `./data` and `.env` of a new hub. */
  cwd?: string
  /** Commands of `bash` before it executes the hub, such as `ulimit`. */
  shell?: string
  /** Its standard input; empty by default. */
  input?: string
  /** The file that Node.js runs instead of the default of the sandbox. */
  program?: string
}

type Exit = { code: number | null; signal: NodeJS.Signals | null }

type RunningCommand = {
  args: readonly string[]
  child: ChildProcess
  stdout: readonly string[]
  stderr: readonly string[]
  /** Resolves to the first line of the output that matches. Rejects if the process ends before. */
  untilPrinted: (pattern: RegExp) => Promise<string>
  /** Resolves when the process has ended and all of its output has been read. */
  ended: Promise<Exit>
  /** Sends a signal and waits until the process has ended. */
  stop: (signal?: NodeJS.Signals) => Promise<Exit>
}

export type RunningHub = RunningCommand & {
  address: string
  /** Of the operator, if the sandbox has a copy of the template; see `connectOperator`. */
  session: SessionHeaders | null
}

export type Sandbox = {
  folder: string
  spawn: (args: string[], options?: CommandOptions) => RunningCommand
  /** Runs a command and waits until it has ended. */
  run: (
    args: string[],
    options?: CommandOptions,
  ) => Promise<Exit & { stdout: readonly string[]; stderr: readonly string[] }>
  /**
   * Starts a hub with an operator and without scheduled pulls, and waits for its address. In a new sandbox on SQLite, it
   * continues a copy of the data that another hub has created (`data-template.ts`). `spawn` makes a first start.
   */
  startHub: (options?: CommandOptions) => Promise<RunningHub>
}

/**
 * @param defaults its `env` applies to every command, which can override it; `program` replaces the file
 * that Node.js runs, by default `TEST_HUB_PROGRAM` (see `program.ts`) or the source.
 */
export function createSandbox(
  t: Pick<TestContext, 'after'>,
  defaults: { env?: Record<string, string>; program?: string } = {},
): Sandbox {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-process-'))
  const commands: RunningCommand[] = []
  let session: SessionHeaders | null = null
  t.after(async () => {
    const running = commands.filter(({ child }) => child.exitCode === null && !child.signalCode)
    await Promise.all(commands.map((command) => command.stop('SIGKILL')))
    if (hasFailed(t)) saveArtifacts(t, describeCommands(commands, running))
    rmSync(folder, { recursive: true, force: true })
  })
  const sandbox: Sandbox = {
    folder,
    spawn(args, options = {}) {
      const env = { ...defaults.env, ...options.env }
      const program = options.program ?? defaults.program ?? hubProgram()
      const command = spawnCommand([program, ...args], { cwd: folder, ...options, env })
      commands.push(command)
      return command
    },
    async run(args, options) {
      const { ended, stdout, stderr } = sandbox.spawn(args, options)
      return { ...(await ended), stdout, stderr }
    },
    async startHub(options = {}) {
      const env = { ...HUB_ENVIRONMENT, ...options.env }
      if (canCopyData({ ...defaults.env, ...env }) && !options.cwd) session ??= provideData(folder)
      const command = sandbox.spawn(['start'], { ...options, env })
      const line = await command.untilPrinted(/^Recordhub listens at /)
      return { ...command, address: line.slice(LISTENS.length), session }
    },
  }
  return sandbox
}

/** The arguments, the exit and the output of each process, by the name of a file. */
function describeCommands(
  commands: readonly RunningCommand[],
  running: readonly RunningCommand[],
): Record<string, string> {
  const files = commands.map((command, index) => {
    const { args, child, stdout, stderr } = command
    const exit = running.includes(command)
      ? 'was running at the end of the test'
      : `exit code ${child.exitCode}, signal ${child.signalCode}`
    const lines = [args.join(' '), exit, '', 'stdout:', ...stdout, '', 'stderr:', ...stderr, '']
    return [
      `${index + 1}-${(args[1] ?? '').slice(0, 30).replaceAll(/\W+/g, '')}.log`,
      lines.join('\n'),
    ]
  })
  return Object.fromEntries(files)
}

/** Whether the hub uses SQLite, the secret file, the folder `data` and the cookies of HTTP, as the template of the run does. */
function canCopyData(env: Record<string, string>): boolean {
  return ['DATABASE_URL', 'HUB_SECRET', 'HUB_DATA_DIR', 'HUB_PUBLIC_URL'].every(
    (name) => env[name] === undefined,
  )
}

export const HUB_ENVIRONMENT = {
  PORT: '0',
  HUB_PULL_SCHEDULE: 'off',
  HUB_LOG_LEVEL: 'warn',
  HUB_ADMIN_EMAIL: OPERATOR.email,
  HUB_ADMIN_PASSWORD: OPERATOR.password,
}

/** The environment without settings of the user. With `--clock`, it passes on the shifted clock. */
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
  { env, cwd, shell, input = '' }: CommandOptions,
): RunningCommand {
  const command = [process.execPath, ...args]
  // Node.js passes a socket as the input, with which Bash would read its startup files.
  const [file = '', ...rest] = shell
    ? ['bash', '--norc', '-c', `${shell}; exec "$0" "$@"`, ...command]
    : command
  const child = spawn(file, rest, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...bareEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  // A process may end without reading its input.
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
    args,
    child,
    stdout,
    stderr,
    ended,
    untilPrinted: (pattern) =>
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
