import { SettingError } from '../config.ts'
import { HubError } from '../errors.ts'

export const print = (line: string) => void process.stdout.write(`${line}\n`)
export const complain = (line: string) => void process.stderr.write(`${line}\n`)

const MISTYPED = new Set(['invalid_request', 'source_url_invalid', 'source_key_invalid'])

function exitCodeOf(error: unknown): number {
  const isMistyped = error instanceof HubError && MISTYPED.has(error.code)
  return isMistyped || error instanceof SettingError ? 2 : 1
}

/** Runs `main` as the program of this process, which ends with the exit code that it returns, or that its error means. */
export function runProgram(main: (args: string[]) => Promise<number>): void {
  // Whoever reads the output may leave: a command ends by itself, and a hub serves on.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  // What the hub writes holds secrets and other people's records.
  process.umask(0o077)
  // What ends without having come to its end has failed.
  process.exitCode = 1
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      complain(error instanceof Error ? error.message : String(error))
      process.exit(exitCodeOf(error))
    },
  )
}
