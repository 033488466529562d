import { SettingError } from '../config/config.ts'
import { HubError } from '../errors.ts'

export const print = (line: string) => void process.stdout.write(`${line}\n`)
export const printError = (line: string) => void process.stderr.write(`${line}\n`)

const USAGE_ERRORS = new Set(['invalid_request', 'source_url_invalid', 'source_key_invalid'])

/** 2 for wrong usage or an invalid setting, 1 for any other error. */
function exitCodeOf(error: unknown): number {
  const isUsageError = error instanceof HubError && USAGE_ERRORS.has(error.code)
  return isUsageError || error instanceof SettingError ? 2 : 1
}

/** Runs `main` as the program of this process, and exits with the code that it returns or that its error maps to. */
export function runProgram(main: (args: string[]) => Promise<number>): void {
  // The reader of a pipe may exit first. Then a command finishes silently, and a hub continues to serve.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  // The files of the hub contain secrets and personal data.
  process.umask(0o077)
  // The exit code if the event loop drains before `main` has settled.
  process.exitCode = 1
  main(process.argv.slice(2)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      printError(error instanceof Error ? error.message : String(error))
      process.exit(exitCodeOf(error))
    },
  )
}
