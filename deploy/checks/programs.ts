/** Runs other programs. */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { env } from 'node:process'

/** A program that exited with another code than 0. `message` contains the end of its output. */
export class ProgramError extends Error {}

type RunOptions = {
  cwd?: string
  env?: Record<string, string | undefined>
  input?: string
  limitMs?: number
}

const MAX_SHOWN = 2000

/**
 * Runs a program to its end.
 * @returns its standard output.
 * @throws ProgramError if it cannot be started, fails, or exceeds the time limit.
 */
export async function run(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(program, args, options)
  if (code === 0) return stdout
  const output = `${stdout}${stderr}`.trim().slice(-MAX_SHOWN)
  throw new ProgramError(`${program} ${args.join(' ')} exited with ${code}: ${output}`)
}

/** Runs a program to its end, whatever its exit code is; null if a signal or the time limit ended it. */
export async function runToEnd(
  program: string,
  args: readonly string[],
  { input = '', limitMs = 600_000, ...options }: RunOptions = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(program, args, {
    ...options,
    env: { ...env, ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: limitMs,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // A program may end without reading its input.
  child.stdin.on('error', () => undefined).end(input)
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new ProgramError(`${program}: ${error.message}`)))
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** @returns those of the programs that are not installed. */
export function findMissing(...programs: string[]): string[] {
  return programs.filter((program) => !isInstalled(program))
}

export function isInstalled(program: string): boolean {
  return (env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
