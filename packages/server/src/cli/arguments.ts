import { parseArgs } from 'node:util'
import { type GivenSettings, SettingError } from '../config/config.ts'
import { type Config, flagOf, isSettingName, SETTING_NAMES } from '../config/settings.ts'
import { messageOf } from '../errors.ts'
import { findCommand, listOptions } from './commands.ts'

export type Arguments = {
  /** The positional arguments, joined by spaces: the command and its subcommand, such as `token create`. */
  command: string
  positionals: string[]
  /** Settings passed as flags, by the name of the setting. */
  settings: Record<string, string>
  /** Options of the command itself. */
  options: Record<string, string>
  /** Options of the command without a value. */
  switches: ReadonlySet<string>
  help: boolean
  version: boolean
}

/** What a command is called with. Each takes the part that it uses. */
export type CommandContext = Pick<Arguments, 'options' | 'switches'> & {
  config: Config
  given: GivenSettings
  /** The arguments after its name. */
  args: string[]
  print: (line: string) => void
}

/** The options of all commands: those that a value follows, and those that nothing follows. */
export const { options: COMMAND_OPTIONS, switches: COMMAND_SWITCHES } = listOptions()

/** @throws SettingError for an option that no command has, or for a missing value. */
export function parseArguments(args: string[]): Arguments {
  const settingFlags = SETTING_NAMES.map((name) => [flagOf(name), name] as const)
  const options = Object.fromEntries(
    [...settingFlags.map(([flag]) => flag), ...COMMAND_OPTIONS].map((flag) => [
      flag,
      { type: 'string' as const },
    ]),
  )
  const { values, positionals } = parse(args, {
    args,
    allowPositionals: true,
    options: {
      ...options,
      ...Object.fromEntries(COMMAND_SWITCHES.map((name) => [name, { type: 'boolean' as const }])),
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
    },
  })
  const textOf = (flag: string) => {
    const value = values[flag]
    return value === true ? 'on' : typeof value === 'string' ? value : undefined
  }
  return {
    command: positionals.join(' '),
    positionals,
    settings: collect(settingFlags, textOf),
    options: collect(
      COMMAND_OPTIONS.map((name) => [name, name] as const),
      textOf,
    ),
    switches: new Set(COMMAND_SWITCHES.filter((name) => values[name] === true)),
    help: values['help'] === true,
    version: values['version'] === true,
  }
}

/**
 * Asserts that the command has each of its options: one that it ignored would let it do more than it was told to.
 * @throws SettingError that names the command and the option.
 */
export function assertOptionsKnown({ positionals, settings, options, switches }: Arguments): void {
  const command = findCommand(positionals)
  if (!command) return
  const flags = Object.keys(settings)
    .filter(isSettingName)
    .filter((name) => !command.settings.includes(name))
    .map(flagOf)
  const others = [...Object.keys(options), ...switches].filter((one) => !command.options.has(one))
  const [unknown] = [...others, ...flags]
  if (unknown !== undefined) throw unknownOption(command.name, `--${unknown}`)
}

function unknownOption(command: string, option: string): SettingError {
  const name = command === '' ? 'recordhub' : command
  const help = ['recordhub', command, '--help'].filter(Boolean).join(' ')
  return new SettingError(`${name} has no option ${option}; see ${help}.`)
}

function parse(args: string[], config: Parameters<typeof parseArgs>[0]) {
  try {
    return parseArgs(config)
  } catch (error) {
    const message = messageOf(error)
    const [, option] = /^Unknown option '(.+?)'/s.exec(message) ?? []
    const end = args.findIndex((one) => one.startsWith('-'))
    const command = findCommand(args.slice(0, end))?.name ?? ''
    const text = option === undefined ? message : unknownOption(command, option).message
    throw new SettingError(text)
  }
}

function collect(
  flags: readonly (readonly [string, string])[],
  textOf: (flag: string) => string | undefined,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [flag, name] of flags) {
    const value = textOf(flag)
    if (value !== undefined) found[name] = value
  }
  return found
}
