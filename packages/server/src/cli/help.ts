import { CHECK_SETTINGS } from '../config/environment.ts'
import { describeSettings, flagOf, SETTING_NAMES, type SettingName } from '../config/settings.ts'
import { CHECK_PLATFORM } from './check-platform-command.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands.ts'

/** The output of `recordhub --help`. */
export function helpText(): string {
  const commands = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(15)} ${summary}`,
  )
  return `Recordhub collects the records of many platforms in one place.

Usage: recordhub <command> [options] [settings]

Commands:
${commands.join('\n')}

recordhub <command> --help prints the options of a command.

Settings, from flags, the environment, or the file .env in the working directory. A secret can be in a
file of its own instead, whose path is in HUB_SECRET_FILE, DATABASE_URL_FILE and so on:
${settingsText(SETTING_NAMES)}
`
}

/** The output of `recordhub <command> --help`; null for an unknown command. */
export function commandHelp(positionals: readonly string[]): string | null {
  const found = Object.entries(COMMANDS).find(([name]) => {
    const [first, second] = name.split(' ')
    if (first !== positionals[0]) return false
    return second === undefined || positionals.length === 1 || second === positionals[1]
  })
  return found ? describeCommand(`recordhub ${found[0]}`, found[1]) : null
}

/** The output of `recordhub-check-platform --help`. */
export function checkPlatformHelp(): string {
  return describeCommand('recordhub-check-platform', CHECK_PLATFORM)
}

function describeCommand(program: string, command: Command): string {
  const { summary, usage, about, options = {}, subcommands = {}, notes, settings } = command
  const rows = [
    ...Object.entries(options).map(([name, { value, help }]) =>
      describeRow(withValue(`--${name}`, value), help),
    ),
    ...Object.entries(subcommands).map(([name, { args, options: own = {}, help }]) => {
      const named = Object.entries(own).map(
        ([option, { value }]) => `[${withValue(`--${option}`, value)}]`,
      )
      return describeRow([withValue(name, args), ...named].join(' '), help)
    }),
  ]
  const details = [about, rows.join('\n'), notes].filter(Boolean).join('\n\n')
  // check-platform ignores the .env file, which probably belongs to the platform.
  const sources =
    settings === CHECK_SETTINGS
      ? 'flags or the environment'
      : 'flags, the environment, or the file .env in the working directory'
  const settingsPart =
    settings.length === 0 ? '' : `\n\nSettings, from ${sources}:\n${settingsText(settings)}`
  return `${summary}

Usage: ${program} ${usage}

${details}${settingsPart}
`
}

function withValue(name: string, value: string | undefined): string {
  return value === undefined ? name : `${name} ${value}`
}

const ROW_INDENT = ' '.repeat(28)

function describeRow(name: string, help: string): string {
  const begin = `  ${name}`
  const text = help.replaceAll('\n', `\n${ROW_INDENT}`)
  const isShort = begin.length < ROW_INDENT.length
  return isShort ? begin.padEnd(ROW_INDENT.length) + text : `${begin}\n${ROW_INDENT}${text}`
}

function settingsText(names: readonly SettingName[]): string {
  const shown = describeSettings().filter(({ name }) => names.includes(name))
  const rows = shown.map(({ name, default: value, help }) => {
    return `  ${name.padEnd(25)} --${flagOf(name).padEnd(22)} ${help}\n${' '.repeat(53)}Default: ${value}`
  })
  return rows.join('\n')
}
