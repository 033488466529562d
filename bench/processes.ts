import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type ServerProcess = {
  child: ChildProcess
  pid: number
  port: number
  stop: () => Promise<void>
}

/** The module that ends a process with its parent, for `--import`. JavaScript, so that a package loads no type stripper. */
export const STOP_WITH_PARENT = new URL('./stop-with-parent.mjs', import.meta.url).href

/** Starts a server script and waits for the line with its address. The server stops when this process ends. */
export async function startServer(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
  launcher: readonly string[] = [],
): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const node = [process.execPath, '--import', STOP_WITH_PARENT]
  const [command = '', ...rest] = [...launcher, ...node, path, ...args]
  const child = spawn(command, rest, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) throw new Error('The output of a server is not a pipe')
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /listens at http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
    if (port === undefined || child.pid === undefined) continue
    child.stdout.resume()
    const stop = () =>
      new Promise<void>((resolve) => {
        child.once('exit', () => resolve())
        child.kill()
      })
    return { child, pid: child.pid, port: Number(port), stop }
  }
  throw new Error(`${file} ended before it listened`)
}

/** Runs a script that reads the same records as the hub. @returns the seconds that it reports. */
export async function runReader(file: string, args: (string | number)[]): Promise<number> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const options = ['--max-old-space-size=8192', path, ...args.map(String)]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  const { milliseconds }: { milliseconds: number } = JSON.parse(stdout)
  return milliseconds / 1000
}

/** The processor seconds that processes and their ended children have used, from Linux's /proc. */
export function cpuSeconds(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + secondsOf(statOf(`${pid}`)), 0)
}

/** The processor seconds of the main thread of a process, in nanoseconds rather than ticks of 10 ms. */
export function mainThreadSeconds(pid: number): number {
  const [nanoseconds = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(nanoseconds) / 1e9
}

function secondsOf(stat: readonly string[]): number {
  return [11, 12, 13, 14].reduce((ticks, at) => ticks + Number(stat[at] ?? 0), 0) / 100
}

/** A process and its running children, such as PostgreSQL's. */
export function withChildren(pid: number): number[] {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && statOf(name)[1] === String(pid))
    .map(Number)
  return [pid, ...children]
}

/** The peak memory of a process in megabytes, from Linux's /proc. */
export function peakMemory(pid: number): number {
  return memoryOf(pid, 'VmHWM')
}

/** The memory of a process in megabytes, from Linux's /proc. */
export function currentMemory(pid: number): number {
  return memoryOf(pid, 'VmRSS')
}

/** Starts a new peak at the current memory. */
export function resetPeakMemory(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

function memoryOf(pid: number, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) * 1024) / 1e6
}

/** The fields of the `stat` of a process or thread after its name; empty if it has ended. */
function statOf(path: string): string[] {
  try {
    return readFileSync(`/proc/${path}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
  } catch {
    return []
  }
}
