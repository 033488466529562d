#!/usr/bin/env node
import { type Arguments, parseArguments } from './cli/arguments.ts'
import { commandHelp, helpText } from './cli/help.ts'
import { complain, print, runProgram } from './cli/run-program.ts'
import { VERSION } from './cli/version.ts'
import { readEnvironment } from './config/environment.ts'
import { readConfig, SettingError } from './config.ts'

/**
 * Each command loads its own parts, so that the small ones start quickly.
 * @returns the exit code.
 */
async function main(args: string[]): Promise<number> {
  const asked = parseArguments(args)
  if (asked.version) print(VERSION)
  else if (asked.help || asked.command === '') print(commandHelp(asked.words) ?? helpText())
  else if (asked.words[0] === 'help') print(commandHelp(asked.words.slice(1)) ?? helpText())
  else if (asked.command === 'check-platform') {
    return (await import('./cli/check-platform.ts')).checkPlatform(asked, print, complain)
  } else await runForHub(asked)
  return 0
}

async function runForHub({
  command,
  words,
  settings,
  options,
  switches,
}: Arguments): Promise<void> {
  const { config, unknown } = readConfig({ flags: settings, ...readEnvironment() })
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

runProgram(main)
