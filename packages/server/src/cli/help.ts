import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { CHECK_SETTINGS } from '../config/environment.ts'
import { describeSettings, flagOf, SETTING_NAMES, type SettingName } from '../config/settings.ts'

export type CommandHelp = {
  /** One line for the list of all commands. */
  summary: string
  /** The arguments after the name of the command. */
  usage: string
  /**
   * The options of the command, and further information. Lines that begin with two spaces and a word are its subcommands
   * (`completion.ts` reads them).
   */
  details: string
  settings: readonly SettingName[]
}

const STORAGE_SETTINGS = ['DATABASE_URL', 'HUB_DATA_DIR'] as const satisfies SettingName[]

const CHECK_PLATFORM: CommandHelp = {
  summary: 'Check whether a platform works with the hub.',
  usage: '--url <base URL> [options]',
  details: `Calls the platform as the hub does. It needs no hub and stores nothing.

  --url <base URL>          The base URL of the platform, without /api/hub.
  --key <key>               The source API key. Without it, the key is read from SOURCE_API_KEY or standard input.
  --max-records <number>    Maximum number of records to read per module. Default: 1000000
  --max-seconds <seconds>   Maximum duration of the check of the endpoints. Default: 900
  --json                    Print the report as JSON. Everything else is printed to standard error.
  --html <file>             Also write the report as an HTML page.
  --strict                  Fail on warnings, too.
  --push                    After the endpoints, open a receiver at --host and --port and check the pushes that the
                            platform sends there. Some pushes are rejected on purpose. Pushes that the receiver
                            accepts leave the outbox of the platform without reaching a hub: use an empty outbox.
  --for <seconds>           Maximum duration of the check of the pushes. Default: until all checks are complete, or
                            Ctrl-C
  --public-url <url>        URL at which the platform reaches the receiver, such as that of a tunnel.

Exit codes: 0 the platform conforms, 1 it has errors, 2 wrong usage or the platform cannot be reached, 130 the
check was stopped.`,
  settings: CHECK_SETTINGS,
}

export const COMMANDS: Record<string, CommandHelp> = {
  start: {
    summary: 'Run the hub.',
    usage: '[settings]',
    details: 'Runs until SIGINT or SIGTERM, and logs to standard output.',
    settings: SETTING_NAMES,
  },
  demo: {
    summary: 'Run a hub with two sample platforms.',
    usage: '[settings]',
    details:
      'The platforms push records, and the hub pulls them. Runs until SIGINT or SIGTERM, then deletes its data.',
    settings: SETTING_NAMES,
  },
  'token create': {
    summary: 'Create an API token for a program.',
    usage: '--name <name> [options]',
    details: `The token is printed once.

  --name <name>             The name of the token.
  --role <role>             viewer, operator or admin. Default: viewer
  --scope <scope>           Restrict the token. alerts: reading alerts, such as for a feed reader. hub_keys: revealing and
                            rotating hub API keys. access: tokens, invitations and operators. Default: everything else
                            that the role allows
  --expires-in-days <days>  Validity of the token. Default: unlimited`,
    settings: STORAGE_SETTINGS,
  },
  alerts: {
    summary: 'List or watch the open alerts.',
    usage: '[options]',
    details: `Reads the database of the hub, which does not have to run.

  --json                    Print {"alerts": [...]} in one line, then one line per change.
  --watch                   Also print each change until Ctrl-C.

Exit codes: 0 no alert is open, 1 alerts are open (with --watch: at the end), 2 the alerts could not be read, or wrong
usage.`,
    settings: STORAGE_SETTINGS,
  },
  guide: {
    summary: 'Print the integration guide for developers of platforms.',
    usage: '[options]',
    details: `Prints Markdown to standard output. The hub does not have to run.

  --platform <name or id>   Print the guide for this registered platform, with its modules. Requires the database.
  --language <language>     Print the examples in this language, instead of curl: ${Object.keys(GUIDE_LANGUAGES).join(', ')}.

The guide contains HUB_PUBLIC_URL as the URL of the hub.`,
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
    details: `Stop the hub first. HUB_SECRET is the new secret, and HUB_SECRET_PREVIOUS the current one. Without them, the command
replaces the secret file in HUB_DATA_DIR.`,
    settings: ['HUB_SECRET', 'HUB_SECRET_PREVIOUS', ...STORAGE_SETTINGS],
  },
  'pull full': {
    summary: 'Let the next pull read everything again.',
    usage: '[options]',
    details: `Works with or without a running hub. The next pull requests the modules without the ETag or Last-Modified of their
last responses.

  --platform <name or id>   Only the modules of this platform. Default: all platforms
  --module <record type>    Only this module of the platform.`,
    settings: STORAGE_SETTINGS,
  },
  'search rebuild': {
    summary: 'Build the search index again from all records.',
    usage: '[settings]',
    details: `The index repairs itself, so this is only needed if searches do not find records that the hub has. A running hub begins
at once, otherwise the next start does. Until a record is indexed again, searches may not find it.`,
    settings: STORAGE_SETTINGS,
  },
  doctor: {
    summary: 'Check the hub and its database, and repair them.',
    usage: '[options]',
    details: `Works while a hub runs, and on a damaged database. docs/doctor.md describes the checks.

  --quick                   Skip the checks that read the whole database.
  --fix                     Repair what can safely be repaired: counters, leases, an abandoned pull, the search index,
                            and the permissions of files. Prints each change.
  --json                    Print the report as JSON. Everything else is printed to standard error.
  --timeout <seconds>       Time after which no further check begins. Default: 3600

Exit codes: 0 healthy, 1 problems found, 2 wrong usage or the database could not be opened.`,
    settings: SETTING_NAMES,
  },
  backup: {
    summary: 'Write a verified backup of the database.',
    usage: '[options]',
    details: `Works with or without a running hub, which continues to store pushes. The backup is one file. It does not contain the
secret of the hub (HUB_SECRET, or recordhub.secret in HUB_DATA_DIR), which a restore needs.

  --out <file>              The backup. Default: a file named by the time, in HUB_BACKUP_DIR
  --encrypt                 Encrypt the backup with a passphrase, read from standard input unless the variable
                            RECORDHUB_BACKUP_PASSPHRASE or HUB_BACKUP_PASSPHRASE_FILE is set, which encrypt it, too.`,
    settings: ['HUB_BACKUP_DIR', 'HUB_BACKUP_PASSPHRASE_FILE', 'HUB_SECRET', ...STORAGE_SETTINGS],
  },
  restore: {
    summary: 'Restore a backup.',
    usage: '<file> [options]',
    details: `Stop every process of the hub first. Checks the whole backup, and that the configured secret decrypts it, before anything
is changed. The replaced data is kept. Records that were erased after the backup are erased again.

  --force                   Replace existing data.
  --check-only              Only check the backup, and print what it contains and which secret it needs.

The passphrase of an encrypted backup is read from RECORDHUB_BACKUP_PASSPHRASE, HUB_BACKUP_PASSPHRASE_FILE or standard
input.`,
    settings: [
      'HUB_BACKUP_PASSPHRASE_FILE',
      'HUB_SECRET',
      'HUB_SECRET_PREVIOUS',
      ...STORAGE_SETTINGS,
    ],
  },
  rollback: {
    summary: 'State what a rollback to an earlier version would require.',
    usage: '[settings]',
    details: `Lists the backups with their versions, what would be lost with each of them, and the commands to run. Changes nothing.`,
    settings: ['HUB_BACKUP_DIR', ...STORAGE_SETTINGS],
  },
  operator: {
    summary: 'List, invite and change operators.',
    usage: '<subcommand>',
    details: `  list                      List the operators.
  invite <email> [--role <role>]
                            Invite an operator and print the link, which works once. Roles: viewer (default),
                            operator, admin.
  role <email> <role>       Change the role of an operator.
  disable <email>           Disable an operator, which ends all sessions and tokens of this operator.
  enable <email>            Enable an operator.
  end-sessions <email>      End all sessions of an operator.
  reset-password <email> [--remove-second-factor] [--keep-tokens]
                            Set a new password, read from standard input, end all sessions and revoke all tokens.`,
    settings: ['HUB_PUBLIC_URL', 'PORT', ...STORAGE_SETTINGS],
  },
  completion: {
    summary: 'Print a script that completes commands and options in a shell.',
    usage: '<shell>',
    details: `  bash                      Add to ~/.bashrc: source <(recordhub completion bash)
  zsh                       Add to ~/.zshrc, after compinit: source <(recordhub completion zsh)
  fish                      Run: recordhub completion fish > ~/.config/fish/completions/recordhub.fish`,
    settings: [],
  },
}

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

function describeCommand(
  program: string,
  { summary, usage, details, settings }: CommandHelp,
): string {
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

function settingsText(names: readonly SettingName[]): string {
  const shown = describeSettings().filter(({ name }) => names.includes(name))
  const rows = shown.map(({ name, default: value, help }) => {
    return `  ${name.padEnd(25)} --${flagOf(name).padEnd(22)} ${help}\n${' '.repeat(53)}Default: ${value}`
  })
  return rows.join('\n')
}
