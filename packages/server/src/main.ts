#!/usr/bin/env node
import { parseArguments } from './cli/arguments.ts'
import { helpText } from './cli/help.ts'
import { VERSION } from './cli/version.ts'
import { readConfig, readSurroundings, SettingError } from './config.ts'
import { HubError } from './errors.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)
const complain = (line: string) => void process.stderr.write(`${line}\n`)

/** Each command loads its own parts, so that the small ones start quickly. */
async function main(args: string[]): Promise<void> {
  const { command, words, settings, options, help, version } = parseArguments(args)
  if (version) return print(VERSION)
  if (help || command === '' || command === 'help') return print(helpText())
  const { config, unknown } = readConfig({ flags: settings, ...readSurroundings() })
  for (const name of unknown) complain(`${name} is not a setting of this version; see --help.`)
  if (command === 'start') return (await import('./cli/start.ts')).start(config, print)
  if (command === 'demo') return (await import('./cli/demo.ts')).demo(config, print)
  if (command === 'token create') {
    return (await import('./cli/create-token.ts')).createToken(config, options, print)
  }
  if (words[0] === 'operator') {
    const { operatorCommand } = await import('./cli/operator.ts')
    return operatorCommand(words.slice(1), { config, options, print })
  }
  throw new SettingError(`There is no command "${command}"; see recordhub --help.`)
}

function exitCodeOf(error: unknown): number {
  const isMistyped = error instanceof HubError && error.code === 'invalid_request'
  return isMistyped || error instanceof SettingError ? 2 : 1
}

// What the hub writes holds secrets and other people's records.
process.umask(0o077)
// What ends without having come to its end has failed.
process.exitCode = 1
main(process.argv.slice(2)).then(
  () => process.exit(0),
  (error: unknown) => {
    complain(error instanceof Error ? error.message : String(error))
    process.exit(exitCodeOf(error))
  },
)
