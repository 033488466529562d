import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { CHECK_SETTINGS } from '../config/environment.ts'
import { describeSettings, flagOf, SETTING_NAMES, type SettingName } from '../config.ts'

type CommandHelp = {
  /** One line for the list of all commands. */
  summary: string
  /** What follows the name of the command. */
  usage: string
  /** The options of the command and what else there is to know. */
  details: string
  settings: readonly SettingName[]
}

const STORAGE_SETTINGS = ['DATABASE_URL', 'HUB_DATA_DIR'] as const satisfies SettingName[]

const CHECK_PLATFORM: CommandHelp = {
  summary: 'Check whether a platform works with the hub.',
  usage: '--url <base URL> [options]',
  details: `Calls the platform as the hub does. It needs no hub and stores nothing.

  --url <base URL>          The base URL of the platform, without /api/hub.
  --key <key>               The source API key. Without it, the key is read from RECORDHUB_SOURCE_KEY or standard input.
  --max-records <number>    Maximum number of records to read per module. Default: 1000000
  --max-seconds <seconds>   Maximum duration of the check of the endpoints. Default: 900
  --json                    Print the report as JSON. Everything else is printed to standard error.
  --html <file>             Write the report as an HTML page too.
  --strict                  Warnings fail the check too.
  --push                    After the endpoints, open a receiver at --host and --port and check the pushes that the
                            platform sends there. Some pushes are rejected on purpose. What the receiver accepts
                            leaves the outbox of the platform and does not reach a hub: use an empty outbox.
  --for <seconds>           End the check of the pushes after this time. Default: until Ctrl-C or until all is seen
  --public-url <address>    The address that the platform reaches the receiver by, such as that of a tunnel.

Exit code 0: the platform conforms, 1: it has errors, 2: wrong usage, or the platform cannot be reached,
130: the check was stopped.`,
  settings: CHECK_SETTINGS,
}

const COMMANDS: Record<string, CommandHelp> = {
  start: {
    summary: 'Run the hub.',
    usage: '[settings]',
    details: 'It runs until SIGINT or SIGTERM, and logs to standard output.',
    settings: SETTING_NAMES,
  },
  demo: {
    summary: 'Run a hub with two sample platforms that push and are pulled.',
    usage: '[settings]',
    details: 'It runs until SIGINT or SIGTERM.',
    settings: SETTING_NAMES,
  },
  'token create': {
    summary: 'Create an API token for a program.',
    usage: '--name <name> --role <role> [options]',
    details: `The token is printed once.

  --name <name>             The name of the token.
  --role <role>             viewer, operator or admin.
  --expires-in-days <days>  How long the token is valid.`,
    settings: STORAGE_SETTINGS,
  },
  guide: {
    summary: 'Print the integration guide for developers of platforms.',
    usage: '[options]',
    details: `Prints Markdown to standard output. No hub has to run.

  --platform <name or id>   Print the guide for this registered platform, with its modules. It needs the database.
  --language <language>     Show the examples in this language only: ${Object.keys(GUIDE_LANGUAGES).join(', ')}.

The address of the hub in the guide is HUB_PUBLIC_URL.`,
    settings: [
      'HUB_PUBLIC_URL',
      'HOST',
      'PORT',
      'HUB_PLATFORM_PATH',
      'HUB_TUNNEL_HEADER',
      ...STORAGE_SETTINGS,
    ],
  },
  'check-platform': CHECK_PLATFORM,
  'secret rotate': {
    summary: 'Encrypt all stored secrets with a new hub secret.',
    usage: '[settings]',
    details: `HUB_SECRET is the new secret and HUB_SECRET_PREVIOUS the current one. Without them, a new file is written to
HUB_DATA_DIR. Stop the hub first.`,
    settings: ['HUB_SECRET', 'HUB_SECRET_PREVIOUS', ...STORAGE_SETTINGS],
  },
  operator: {
    summary: 'List, invite and change operators.',
    usage: '<subcommand>',
    details: `  list                      List the operators.
  invite <email> [--role <role>]
                            Invite an operator as viewer, operator or admin. The link is printed once.
  role <email> <role>       Change the role of an operator.
  disable <email>           Disable an operator, and end all sessions and tokens.
  enable <email>            Enable an operator.
  end-sessions <email>      End all sessions of an operator.
  reset-password <email> [--remove-second-factor]
                            Set the password that is read from standard input, and end all sessions.`,
    settings: ['HUB_PUBLIC_URL', 'PORT', ...STORAGE_SETTINGS],
  },
}

/** What `recordhub --help` prints. */
export function helpText(): string {
  const commands = Object.entries(COMMANDS).map(
    ([name, { summary }]) => `  ${name.padEnd(15)} ${summary}`,
  )
  return `Recordhub gathers the records of many platforms in one place.

Usage: recordhub <command> [options] [settings]

Commands:
${commands.join('\n')}

recordhub <command> --help prints the options of a command.

Settings, from flags, the environment, or a file .env in the working directory:
${settingsText(SETTING_NAMES)}
`
}

/** What `recordhub <command> --help` prints; null for no command. */
export function commandHelp(words: readonly string[]): string | null {
  const found = Object.entries(COMMANDS).find(([name]) => {
    const [first, second] = name.split(' ')
    return first === words[0] && (second === undefined || words.length === 1 || second === words[1])
  })
  return found ? describeCommand(`recordhub ${found[0]}`, found[1]) : null
}

/** What the program of `@recordhub/check-platform` prints for `--help`. */
export function checkPlatformHelp(): string {
  return describeCommand('recordhub-check-platform', CHECK_PLATFORM)
}

function describeCommand(
  program: string,
  { summary, usage, details, settings }: CommandHelp,
): string {
  // A check runs beside a platform, whose file .env is not for it.
  const sources =
    settings === CHECK_SETTINGS
      ? 'flags or the environment'
      : 'flags, the environment, or a file .env in the working directory'
  return `${summary}

Usage: ${program} ${usage}

${details}

Settings, from ${sources}:
${settingsText(settings)}
`
}

function settingsText(names: readonly SettingName[]): string {
  const shown = describeSettings().filter(({ name }) => names.includes(name))
  const rows = shown.map(({ name, default: value, help }) => {
    return `  ${name.padEnd(25)} --${flagOf(name).padEnd(22)} ${help}\n${' '.repeat(53)}Default: ${value}`
  })
  return rows.join('\n')
}
