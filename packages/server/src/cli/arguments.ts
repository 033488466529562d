import { parseArgs } from 'node:util'
import { SettingError } from '../config/config.ts'
import { flagOf, SETTING_NAMES } from '../config/settings.ts'

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

export const COMMAND_OPTIONS = [
  'name',
  'role',
  'scope',
  'expires-in-days',
  'platform',
  'module',
  'language',
  'url',
  'key',
  'html',
  'for',
  'max-records',
  'max-seconds',
  'out',
  'timeout',
] as const
export const COMMAND_SWITCHES = [
  'json',
  'push',
  'strict',
  'watch',
  'remove-second-factor',
  'keep-tokens',
  'encrypt',
  'force',
  'check-only',
  'quick',
  'fix',
] as const

/** @throws SettingError for an unknown flag or a missing value. */
export function parseArguments(args: string[]): Arguments {
  const settingFlags = SETTING_NAMES.map((name) => [flagOf(name), name] as const)
  const options = Object.fromEntries(
    [...settingFlags.map(([flag]) => flag), ...COMMAND_OPTIONS].map((flag) => [
      flag,
      { type: 'string' as const },
    ]),
  )
  const { values, positionals } = parse({
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

function parse(config: Parameters<typeof parseArgs>[0]) {
  try {
    return parseArgs(config)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new SettingError(message.replaceAll(/\s+/g, ' '))
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
