import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SettingError } from '../config/config.ts'
import { readSourceKeyVariable, SOURCE_KEY_VARIABLE } from '../config/environment.ts'
import { HubError, messageOf } from '../errors.ts'

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
      printError(messageOf(error))
      process.exit(exitCodeOf(error))
    },
  )
}

/** A signal that aborts on SIGINT or SIGTERM. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}

/** A signal that aborts when the reader of the output exits, as in `… | head`. */
export function closedOutputSignal(): AbortSignal {
  const closed = new AbortController()
  process.stdout.on('error', () => closed.abort())
  return closed.signal
}

/**
 * Reads the first line of standard input without an echo, so that a secret does not appear in the history of the shell.
 * @param showPrompt called if standard input is a terminal
 */
export async function promptSecret(showPrompt: () => void): Promise<string> {
  const { stdin } = process
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silent, terminal: stdin.isTTY === true })
  if (stdin.isTTY) showPrompt()
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}

/**
 * The source API key of a platform, from its environment variable or from standard input.
 * @throws SettingError if there is none.
 */
export async function readSourceKey(printError: (line: string) => void): Promise<string> {
  const showPrompt = () => printError('Source API key of the platform (not shown):')
  const key = readSourceKeyVariable() ?? (await promptSecret(showPrompt)).trim()
  if (key !== '') return key
  throw new SettingError(
    `check-platform: the source API key is missing. Pass it by --key, ${SOURCE_KEY_VARIABLE} or standard input.`,
  )
}

/**
 * Keeps V8's heap small, with flags of V8 that take effect in a running process (decision 20). Node.js only offers
 * options of its command line for this, which cannot be set by a program. Called before the modules of the hub are
 * loaded. Most objects that loading creates are permanent. A young generation that grows for them stays large.
 */
export function limitHeapDuringStart(): void {
  setFlagsFromString('--semi-space-growth-factor=1')
  // The option of the command line takes precedence over the limits that the hub gives to its threads.
  setFlagsFromString('--max-semi-space-size=0')
}

/**
 * Called when the hub has started. Frees the garbage of the start, and lets the heap grow by less than half of what is
 * in use until the next collection: before its first collection, V8 lets any heap grow by 256 MB.
 */
export function limitHeapAfterStart(): void {
  setFlagsFromString('--semi-space-growth-factor=2')
  setFlagsFromString('--heap-growing-percent=40')
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  collectGarbage()
}
