import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'

export type Program = {
  /** Everything that the program has printed. */
  output: () => string
  /** Resolves with the exit code; null if the program was killed. */
  ended: Promise<number | null>
  /** Kills the program and all processes that it started. */
  stop: () => Promise<void>
  /** Peak memory in MiB; null if unknown. */
  peakMemory: () => number | null
}

/** Runs a shell command, and kills it when the test ends. */
export function runProgram(
  t: Pick<TestContext, 'after'>,
  command: string,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Program {
  // A separate process group, because some commands start servers that outlive them.
  const child = spawn('sh', ['-c', /\n/.test(command) ? command : `exec ${command}`], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close').then(() => child.exitCode)
  const stop = async () => {
    killGroup(child)
    await ended
  }
  t.after(stop)
  return { output: () => output, ended, stop, peakMemory: () => readPeakMemory(child) }
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The group has already ended.
  }
}

function readPeakMemory({ pid }: ChildProcess): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1024)
  } catch {
    return null
  }
}
