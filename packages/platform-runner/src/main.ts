#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { HELP, parseArguments, UsageError } from './commands/arguments.ts'
import { InvalidSettings } from './platform/load-platform.ts'
import {
  createRedactor,
  type RedactSecrets,
  secretsOf,
  secretsOfSource,
} from './settings/secrets.ts'

const { version: VERSION }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
const print = (line: string) => void process.stdout.write(`${line}\n`)
let redact: RedactSecrets = (text) => text

/** Each command imports its own modules, so that small commands start fast. */
async function main(args: string[]): Promise<void> {
  if (!('rawJSON' in JSON)) {
    throw new UsageError(
      `recordhub-platform needs Node.js 22.16 or later; this is ${process.version}.`,
    )
  }
  const { command, config, port, from, help, version } = parseArguments(args)
  handleEndOfReader(command === 'serve')
  if (version) return print(VERSION)
  if (help) return print(HELP)
  if (command === 'init') {
    const { findTarget, init } = await import('./commands/init.ts')
    const target = findTarget({ config, from })
    redact = createRedactor(secretsOfSource(target.source))
    return init(target, print)
  }
  const { openSettings } = await import('./commands/open-settings.ts')
  const settings = openSettings(config)
  redact = createRedactor(secretsOf(settings))
  if (command === 'check') return (await import('./commands/check.ts')).check(settings, print)
  const listen = { ...settings.listen, ...(port === null ? {} : { port }) }
  return (await import('./commands/serve.ts')).serve({ ...settings, listen }, stopSignal(), print)
}

/**
 * The reader of the output may end before this process, such as `head` in `recordhub-platform check | head`. A server then
 * continues, and any other command ends quietly.
 */
function handleEndOfReader(isServer: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (!('code' in error && error.code === 'EPIPE')) throw error
      if (!isServer) process.exit(0)
    })
  }
}

/** Aborted by the first SIGINT or SIGTERM; the second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort()
    })
  }
  return stopping.signal
}

// Files that the process writes contain secrets and personal data.
process.umask(0o077)
process.exitCode = 1
main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${redact(error instanceof Error ? error.message : String(error))}\n`)
    process.exit(error instanceof InvalidSettings || error instanceof UsageError ? 2 : 1)
  },
)
