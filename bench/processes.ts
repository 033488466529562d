import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export type ServerProcess = {
  child: ChildProcess
  pid: number
  port: number
  stop: () => Promise<void>
}

/** Starts a server script and waits for the line with its address. */
export async function startServer(
  file: string,
  args: string[],
  env: Record<string, string>,
): Promise<ServerProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
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

/** The processor seconds that a process has used, from Linux's /proc. */
export function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** The peak memory of a process in bytes, from Linux's /proc. */
export function peakMemory(pid: number): number {
  const kilobytes = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}
