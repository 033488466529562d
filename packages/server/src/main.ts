#!/usr/bin/env node
import { type Arguments, parseArguments } from './cli/arguments.ts'
import { helpText } from './cli/help.ts'
import { VERSION } from './cli/version.ts'
import { readCheckSurroundings, readSurroundings } from './config/surroundings.ts'
import { readConfig, SettingError } from './config.ts'
import { HubError } from './errors.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)
const complain = (line: string) => void process.stderr.write(`${line}\n`)

/**
 * Each command loads its own parts, so that the small ones start quickly.
 * @returns the exit code.
 */
async function main(args: string[]): Promise<number> {
  const asked = parseArguments(args)
  if (asked.version) print(VERSION)
  else if (asked.help || asked.command === '' || asked.command === 'help') print(helpText())
  else if (asked.command === 'check-platform') return checkPlatform(asked)
  else await runForHub(asked)
  return 0
}

async function checkPlatform(asked: Arguments): Promise<number> {
  const { config } = readConfig({ flags: asked.settings, ...readCheckSurroundings() })
  return (await import('./cli/check-platform.ts')).checkPlatform(config, asked, print, complain)
}

async function runForHub({
  command,
  words,
  settings,
  options,
  switches,
}: Arguments): Promise<void> {
  const { config, unknown } = readConfig({ flags: settings, ...readSurroundings() })
  for (const name of unknown) complain(`${name} is not a setting of this version; see --help.`)
  if (command === 'start') return (await import('./cli/start.ts')).start(config, print)
  if (command === 'demo') return (await import('./cli/demo.ts')).demo(config, print)
  if (command === 'token create') {
    return (await import('./cli/create-token.ts')).createToken(config, options, print)
  }
  if (command === 'guide') {
    return (await import('./cli/guide.ts')).printGuide(config, options, print)
  }
  if (command === 'secret rotate') {
    return (await import('./cli/rotate-secret.ts')).rotateSecret(config, print)
  }
  if (words[0] === 'operator') {
    const { operatorCommand } = await import('./cli/operator.ts')
    return operatorCommand(words.slice(1), { config, options, switches, print })
  }
  throw new SettingError(`There is no command "${command}"; see recordhub --help.`)
}

const MISTYPED = new Set(['invalid_request', 'source_url_invalid', 'source_key_invalid'])

function exitCodeOf(error: unknown): number {
  const isMistyped = error instanceof HubError && MISTYPED.has(error.code)
  return isMistyped || error instanceof SettingError ? 2 : 1
}

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
