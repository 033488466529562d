#!/usr/bin/env node
import { HELP, parseArguments, UsageFault } from './commands/arguments.ts'
import { SettingsFault } from './platform/load-platform.ts'
import { createHiding, type HideSecrets, secretsOf, secretsOfSource } from './settings/secrets.ts'
import { VERSION } from './version.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)
let hide: HideSecrets = (text) => text

/** Each command loads its own parts, so that the small ones start quickly. */
async function main(args: string[]): Promise<void> {
  if (!('rawJSON' in JSON)) {
    throw new UsageFault(
      `recordhub-platform needs Node.js 22.16 or later; this is ${process.version}.`,
    )
  }
  const { command, config, port, from, help, version } = parseArguments(args)
  if (version) return print(VERSION)
  if (help) return print(HELP)
  if (command === 'init') {
    const { findTarget, init } = await import('./commands/init.ts')
    const target = findTarget({ config, from })
    hide = createHiding(secretsOfSource(target.source))
    return init(target, print)
  }
  const { openSettings } = await import('./commands/open-settings.ts')
  const settings = openSettings(config)
  hide = createHiding(secretsOf(settings))
  if (command === 'check') return (await import('./commands/check.ts')).check(settings, print)
  const listen = { ...settings.listen, ...(port === null ? {} : { port }) }
  return (await import('./commands/serve.ts')).serve({ ...settings, listen }, stopSignal(), print)
}

/** Aborted when the process is asked to end; asked again, it ends at once. */
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

// What is written holds secrets and other people's records.
process.umask(0o077)
process.exitCode = 1
main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${hide(error instanceof Error ? error.message : String(error))}\n`)
    process.exit(error instanceof SettingsFault || error instanceof UsageFault ? 2 : 1)
  },
)
