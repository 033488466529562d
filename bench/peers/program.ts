/** The programs of other products: run to their end, or started as a server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export type Program = { cwd: string; env: Record<string, string>; timeoutMs: number }
export type Server = { pid: number; stop: () => Promise<void> }

/** The last characters of the output that an error contains. */
const OUTPUT_IN_ERROR = 2000
const POLL_MS = 250
const STOP_TIMEOUT_MS = 15_000

/** Waits for the end of a program. An error contains the end of its output. */
export async function runProgram(
  command: string,
  args: readonly string[],
  program: Program,
): Promise<void> {
  const { child, output } = start(command, args, program)
  const timeout = setTimeout(() => child.kill('SIGKILL'), program.timeoutMs)
  const [code, signal] = await once(child, 'close').finally(() => clearTimeout(timeout))
  if (code !== 0)
    throw new Error(`${describe(command, args)} ended with ${code ?? signal}:\n${output()}`)
}

/** Starts a server and waits until the URL returns a successful response. */
export async function startProgram(
  command: string,
  args: readonly string[],
  program: Program & { readyUrl: string },
): Promise<Server> {
  const { child, output } = start(command, args, program)
  const { pid } = child
  const stop = () => end(child)
  const deadline = Date.now() + program.timeoutMs
  while (pid !== undefined && child.exitCode === null && Date.now() < deadline) {
    const isReady = await fetch(program.readyUrl).then(
      (response) => response.body?.cancel().then(() => response.ok) ?? response.ok,
      () => false,
    )
    if (isReady) return { pid, stop }
    await sleep(POLL_MS)
  }
  await stop()
  throw new Error(`${describe(command, args)} did not become ready:\n${output()}`)
}

function start(command: string, args: readonly string[], { cwd, env }: Program) {
  // `node` is the program that runs the benchmark, also for npm.
  const path = `${dirname(process.execPath)}:${process.env['PATH']}`
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env, PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const collect = (chunk: Buffer) => {
    output = `${output}${chunk}`.slice(-OUTPUT_IN_ERROR)
  }
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const kill = () => child.kill()
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return { child, output: () => output }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  child.kill()
  await once(child, 'exit')
  clearTimeout(timeout)
}

function describe(command: string, args: readonly string[]): string {
  return [command, ...args].join(' ')
}
