#!/usr/bin/env node
import {
  type Arguments,
  assertOptionsKnown,
  type CommandContext,
  parseArguments,
} from './cli/arguments.ts'
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

type Command = (context: CommandContext) => Promise<void>

/** The other commands, by their words. Each reads the settings. */
const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['start', loadStart],
  ['demo', async () => (await import('./cli/demo.ts')).demo],
  ['token create', async () => (await import('./cli/operator.ts')).createToken],
  ['setup-link', async () => (await import('./cli/operator.ts')).printSetupLink],
  ['guide', async () => (await import('./cli/guide.ts')).printGuide],
  ['secret rotate', async () => (await import('./cli/rotate-secret.ts')).rotateSecret],
  ['search rebuild', async () => (await import('./cli/search.ts')).rebuildSearch],
  ['sql-views', async () => (await import('./cli/sql-views.ts')).printSqlViews],
  ['pull', async () => (await import('./cli/pull.ts')).setNextPullMode],
  ['rollback', async () => (await import('./cli/rollback.ts')).rollback],
  ['backup', async () => (await import('./cli/backup.ts')).backup],
])
/** Commands whose first word is followed by arguments. */
const COMMANDS_WITH_ARGUMENTS: typeof COMMANDS = new Map([
  ['restore', async () => (await import('./cli/restore.ts')).restore],
  ['revert', async () => (await import('./cli/revert.ts')).revertCommand],
  ['operator', async () => (await import('./cli/operator.ts')).operatorCommand],
])

async function loadStart(): Promise<Command> {
  enlargeThreadPool()
  limitHeapDuringStart()
  return (await import('./cli/start.ts')).start
}

async function runCommand({ command, positionals, settings, ...parsed }: Arguments): Promise<void> {
  const { config, given, unknown } = readConfig({ flags: settings, ...readEnvironment() })
  for (const name of unknown) printError(`${name} is not a setting of this version; see --help.`)
  const [first = '', ...args] = positionals
  const load = COMMANDS.get(command) ?? COMMANDS_WITH_ARGUMENTS.get(first)
  if (!load) throw new SettingError(`There is no command "${command}"; see recordhub --help.`)
  const run = await load()
  await run({ ...parsed, config, given, args, print })
}

runProgram(main)
