#!/usr/bin/env node
import { type Arguments, assertOptionsKnown, parseArguments } from './cli/arguments.ts'
import { commandHelp, helpText } from './cli/help.ts'
import { limitHeapDuringStart, print, printError, runProgram } from './cli/program.ts'
import { VERSION } from './cli/version.ts'
import { readConfig, SettingError } from './config/config.ts'
import { enlargeThreadPool, readEnvironment } from './config/environment.ts'

/** @returns the exit code. */
async function main(args: string[]): Promise<number> {
  const parsed = parseArguments(args)
  const { command, positionals } = parsed
  if (parsed.version) print(VERSION)
  else if (parsed.help || command === '') print(commandHelp(positionals) ?? helpText())
  else if (positionals[0] === 'help') print(commandHelp(positionals.slice(1)) ?? helpText())
  else return run(parsed)
  return 0
}

/**
 * Each command is loaded only when it runs, so that the small ones start quickly.
 * @returns the exit code.
 */
async function run(parsed: Arguments): Promise<number> {
  const { command, positionals } = parsed
  assertOptionsKnown(parsed)
  if (positionals[0] === 'completion') {
    const { completionScript } = await import('./cli/completion.ts')
    print(completionScript(positionals.slice(1).join(' ')))
  } else if (command === 'check-platform') {
    return (await import('./cli/check-platform.ts')).checkPlatform(parsed, print, printError)
  } else if (command === 'alerts') {
    return (await import('./cli/alerts.ts')).printAlerts(parsed, print, printError)
  } else if (command === 'doctor') {
    return (await import('./cli/doctor.ts')).doctor(parsed, print, printError)
  } else await runCommand(parsed)
  return 0
}

async function runCommand(parsed: Arguments): Promise<void> {
  const { command, positionals, settings, options, switches } = parsed
  const { config, given, unknown } = readConfig({ flags: settings, ...readEnvironment() })
  for (const name of unknown) printError(`${name} is not a setting of this version; see --help.`)
  if (command === 'start') {
    enlargeThreadPool()
    limitHeapDuringStart()
    return (await import('./cli/start.ts')).start({ config, given }, print)
  }
  if (command === 'demo') return (await import('./cli/demo.ts')).demo({ config, given }, print)
  if (command === 'token create') {
    return (await import('./cli/operator.ts')).createToken(config, options, print)
  }
  if (command === 'guide') {
    return (await import('./cli/guide.ts')).printGuide(config, options, print)
  }
  if (command === 'secret rotate') {
    return (await import('./cli/rotate-secret.ts')).rotateSecret(config, print)
  }
  if (command === 'search rebuild') {
    return (await import('./cli/search.ts')).rebuildSearch(config, print)
  }
  if (command === 'sql-views') {
    return (await import('./cli/sql-views.ts')).printSqlViews(config, options, print)
  }
  if (command === 'pull full') {
    const { requireFullReads } = await import('./cli/require-full-reads.ts')
    return requireFullReads(config, options, print)
  }
  if (command === 'rollback') {
    return (await import('./cli/rollback.ts')).rollback(config, print)
  }
  if (command === 'backup') {
    return (await import('./cli/backup.ts')).backup(config, { options, switches, print })
  }
  if (positionals[0] === 'restore') {
    const { restore } = await import('./cli/restore.ts')
    return restore(config, { args: positionals.slice(1), switches, print })
  }
  if (positionals[0] === 'revert') {
    const { revertCommand } = await import('./cli/revert.ts')
    return revertCommand(positionals.slice(1), { config, options, switches, print })
  }
  if (positionals[0] === 'operator') {
    const { operatorCommand } = await import('./cli/operator.ts')
    return operatorCommand(positionals.slice(1), { config, options, switches, print })
  }
  throw new SettingError(`There is no command "${command}"; see recordhub --help.`)
}

runProgram(main)
